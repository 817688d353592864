#include <iostream>

#include "core/parallel.h"
#include "experiments/commands.h"
#include "experiments/decode.h"
#include "experiments/run.h"
#include "experiments/settings.h"

namespace lengthwise {
namespace {

// Text is written as it is, symbols with blanks between them.
std::string written(const Task& task, std::span<const int> tokens) {
  std::string text;
  for (const int token : tokens)
    text += task.windows() ? std::string(1, static_cast<char>(token)) : (text.empty() ? "" : " ") + task.word(token);
  return text;
}

struct Start {
  Example example;          // its ids are those of the whole sequence
  std::size_t given = 0;    // tokens the model reads
  std::vector<int> answer;  // what is right, where it is known
};

Start start_of(const Experiment& experiment, const Options& flags) {
  const Task& task = *experiment.task;
  const std::string& prompt = flags.text("prompt");
  Start start;
  if (!prompt.empty()) {
    require(flags.count("length") == 0 && flags.count("index") == 0,
            "--prompt stands for the example that --length and --index name; keep one of the two.");
    require(experiment.scheme->hints().empty(),
            "--prompt gives symbols alone, and positions.scheme = ", experiment.config["positions"].text("scheme"),
            " needs ids that task ", task.name(), " gives its examples; name one with --length and --index.");
    start.example.tokens = task.read_prompt(prompt);
    start.given = start.example.tokens.size();
    start.example.tokens.resize(start.given + (flags.count("tokens") ? flags.count("tokens") : 64), PAD);
    return start;
  }
  const std::size_t n = flags.count("length") ? flags.count("length") : experiment.train.lengths.back();
  task.check_length(n);
  check_memory(experiment, task, n, false, "--length");
  task.check_supply(Stream::evaluation, n, flags.count("index") + 1);
  Draw draw = make_draw(experiment.train.seed, Stream::evaluation, task.name(), n, flags.count("index"));
  draw.count = std::max(experiment.evaluation.examples, flags.count("index") + 1);
  draw.longest = n;
  start.example = task.example(n, draw);
  const std::size_t tokens = start.example.tokens.size();
  require(task.ends_with_answer() || task.windows(), "task ", task.name(),
          " has no answer that a model could write: what is scored stands inside the input.");
  start.given = task.ends_with_answer() ? start.example.scored.front() + 1 : (tokens + 1) / 2;
  if (task.ends_with_answer())
    start.answer = start.example.targets;
  else
    start.answer.assign(start.example.tokens.begin() + static_cast<std::ptrdiff_t>(start.given),
                        start.example.tokens.end());
  const std::size_t wanted = flags.count("tokens");
  if (wanted == 0 || start.given + wanted == tokens) return start;
  require(start.example.ids.empty() || start.given + wanted < tokens, "--tokens is ", wanted, ", but task ",
          task.name(), " numbers the tokens of its answers itself, and this one has ", start.answer.size(),
          "; ask for at most as many.");
  start.example.tokens.resize(start.given + wanted, PAD);
  for (auto& [channel, ids] : start.example.ids) ids.resize(start.given + wanted);
  if (auto& seen = start.example.first_seen; !seen.empty()) seen.resize(start.given + wanted, seen.back());
  return start;
}

template <class T>
std::vector<int> generated(const Experiment& experiment, const RunFile& trained, const std::string& path,
                           const Start& start, const Options& flags) {
  const TrainedModel<T> loaded = load_model<T>(experiment, trained, path);
  const TransposedWeights<T> weights(loaded.model->store());
  const std::vector<Example> examples{start.example};
  const std::vector<Rng> streams{Rng(experiment.train.seed).at("generate")};
  Decoder<T> decoder(
      *loaded.model,
      make_batch(examples, streams, *experiment.scheme, Phase::evaluate, experiment.model.shape.original_length()),
      start.given);
  const Sampling sampling{.temperature = flags.real("temperature"), .top = flags.count("top")};
  // The answer's end is written after the last token that is read.
  const std::size_t most = flags.count("tokens")                                ? flags.count("tokens")
                           : experiment.task->windows() || start.answer.empty() ? decoder.room() - start.given
                                                                                : start.answer.size();
  return write_tokens(decoder, most, !experiment.task->windows(), sampling, Rng(flags.count("seed")).at("sampling"));
}

}  // namespace

int generate_command(const Invocation& invocation) {
  const std::string& source = invocation.arguments.at(0);
  const RunFile trained = read_trained(source);
  const Experiment experiment =
      make_experiment(stored_config(all_sections(), trained.facts.config, source, invocation.overrides), Purpose::look);
  require(experiment.model.shape.causal, source,
          " holds a bidirectional model, which answers in one pass; only causal models write token after token.");
  set_threads(experiment.threads);
  const Start start = start_of(experiment, invocation.flags);
  const std::vector<int> tokens = experiment.double_precision
                                      ? generated<double>(experiment, trained, source, start, invocation.flags)
                                      : generated<float>(experiment, trained, source, start, invocation.flags);
  const Task& task = *experiment.task;
  const std::span<const int> read(start.example.tokens.data(), start.given);
  if (task.windows()) {
    std::cout << written(task, read) << written(task, tokens) << "\n";
    return done;
  }
  std::cout << "prompt     " << written(task, read) << "\ngenerated  " << written(task, tokens)
            << (tokens.back() == EOS ? "" : "   (never stopped)") << "\n";
  if (!start.answer.empty())
    std::cout << "right      " << written(task, start.answer) << "\n"
              << (tokens == start.answer ? "exact match" : "not a match") << "\n";
  return done;
}

}  // namespace lengthwise
