// The table of commands.
#include "experiments/commands.h"
#include "experiments/settings.h"

namespace lengthwise {
namespace {

std::vector<Command> commands() {
  return {
      {.name = "run",
       .usage = "[CONFIG...]",
       .sentence = "Trains, evaluates and writes the run file; goes on where an interrupted run stopped.",
       .most_arguments = any_number,
       .takes_overrides = true,
       .flags = {flag("print-path", false).says("print the path of the run file and stop")},
       .action = run_command},
      {.name = "evaluate",
       .usage = "RUN.h5",
       .sentence = "Evaluates a trained run at other lengths, with another scheme or protocol.",
       .least_arguments = 1,
       .most_arguments = 1,
       .takes_overrides = true,
       .action = evaluate_command},
      {.name = "generate",
       .usage = "RUN.h5",
       .sentence = "Lets a trained causal model write: after a prompt, or after that of an example.",
       .least_arguments = 1,
       .most_arguments = 1,
       .takes_overrides = true,
       .flags = {text("prompt", "").says("what the model reads first; empty: an example's prompt"),
                 integer("length", 0).says("length n of the example; 0: the longest trained length"),
                 integer("index", 0).says("which example of the evaluation"),
                 integer("tokens", 0)
                     .at_most(1 << 20)
                     .says("tokens to write at most; 0: as many as the example has, or "
                           "64 after a prompt"),
                 real("temperature", 0)
                     .at_least(0)
                     .says("0: always the likeliest token; otherwise drawn, logits divided "
                           "by it"),
                 integer("top", 0).says("draw only among this many likeliest tokens; 0: all"),
                 integer("seed", 0).says("of the draws")},
       .action = generate_command},
      {.name = "show",
       .usage = "RUN.h5...",
       .sentence = "Prints the results of runs side by side.",
       .least_arguments = 1,
       .most_arguments = any_number,
       .flags = {text("protocol", "").says("which evaluation; empty: the first one that all runs have"),
                 flag("markdown", false).says("tables in Markdown")},
       .action = show_command},
      {.name = "sample",
       .usage = "[CONFIG...]",
       .sentence = "Prints examples of the task as people read them.",
       .most_arguments = any_number,
       .takes_overrides = true,
       .flags = {integer("count", 3).at_least(1).says("examples to print"),
                 integer("length", 0).at_most(1 << 20).says("their length n; 0: the longest trained length")},
       .action = sample_command},
      {.name = "list",
       .usage = "encodings|schemes|tasks|sections|options",
       .sentence = "Lists what there is, a line each.",
       .least_arguments = 1,
       .most_arguments = 1,
       .flags = {flag("markdown", false).says("encodings as a table in Markdown")},
       .action = list_command},
      {.name = "describe",
       .usage = "NAME",
       .sentence =
           "Says what is known of an encoding, scheme, task or section: source, formula, options; measures encodings.",
       .least_arguments = 1,
       .most_arguments = 1,
       .action = describe_command},
      {.name = "check",
       .usage = "NAME|all",
       .sentence =
           "Holds encodings to their contract: gradients, causality, tiles, threads, precision, what they declare.",
       .least_arguments = 1,
       .most_arguments = 1,
       .flags = {flag("verbose", false).says("every combination of scheme, mask and options")},
       .action = check_command},
  };
}

}  // namespace
}  // namespace lengthwise

int main(int count, char** words) {
  using namespace lengthwise;
  return run_program(commands(), all_sections(), {words + 1, words + count});
}
