#include "experiments/settings.h"

#include <set>

#include "encodings/registry.h"
#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

Section run_section() {
  return {
      "run",
      "The run itself: its name, its seed and where it writes.",
      {
          text("name", "")
              .incidental()
              .changeable()
              .says("name of the run and of its file; empty: task-encoding-scheme-seed-HASH"),
          integer("seed", 0).at_most(0x1p63).says("decides every random draw; runs of equal seed see the same data"),
          integer("threads", 0)
              .at_most(4096)
              .incidental()
              .changeable()
              .says("threads that work on a step; 0: every core the process may use; results do not depend on it"),
          integer("shards", 8)
              .at_least(1)
              .at_most(4096)
              .says("parts a batch is dealt to at least, which threads take; decides the last bits of a result"),
          text("output", "runs").incidental().changeable().says("folder of the run file"),
          choice("precision", "float", {"float", "double"}).says("type of parameters and arithmetic"),
          choice("if_exists", "resume", {"resume", "refuse", "overwrite"})
              .incidental()
              .changeable()
              .says(
                  "what to do when the run file is there: go on where it stopped, stop with an error, or start afresh"),
          real("checkpoint_seconds", 60)
              .at_least(0)
              .in("seconds")
              .incidental()
              .says("time between two checkpoints; 0: after every step"),
          flag("keep_checkpoint", false).incidental().says("keep the checkpoint when the run is complete"),
      }};
}

Section model_section() {
  return {"model",
          "The transformer.",
          {
              integer("layers", 2).at_least(1).at_most(1024).says("number of blocks"),
              integer("width", 64).at_least(1).at_most(1 << 16).says("features of a token; the heads share them"),
              integer("heads", 4).at_least(1).says("attention heads; must divide width"),
              real("mlp_ratio", 4).above(0).at_most(64).says("hidden features of the MLP, as a multiple of width"),
              choice("norm_position", "pre", {"pre", "post"}).says("normalise before a sub-layer or after its sum"),
              choice("norm", "layernorm", {"layernorm", "rmsnorm"}).says("the normalisation"),
              choice("activation", "gelu", {"gelu", "gelu_tanh", "relu", "swiglu"}).says("what the MLP bends with"),
              real("dropout", 0).at_least(0).below(1).says("share of activations dropped in training"),
              choice("attention", "causal", {"causal", "bidirectional"})
                  .says("whether a token sees only what came before it; decides the layout of the task too"),
              flag("tied_head", false).says("use the token embedding as the output matrix"),
              flag("head_bias", false).says("add a bias to the logits"),
              flag("qk_norm", false).says("normalise each head's queries and keys, by model.norm with a gain"),
              integer("loops", 1)
                  .at_least(1)
                  .at_most(1024)
                  .changeable()
                  .says("rounds: how often all blocks are applied, one after another"),
              flag("inject", false).says("every round of loops but the first starts by adding the embeddings"),
              choice("init", "normal", {"normal", "xavier", "kaiming", "lecun", "small"})
                  .says("how matrices start: normal as GPT-2, with smaller ones at the end of each branch; variance "
                        "2/(in + out), 2/in or 1/in; small as GPT-NeoX"),
              real("init_std", 0.02)
                  .at_least(0)
                  .says("standard deviation of initial embeddings and, with init = normal, of matrices"),
              real("embed_scale", 1).at_least(0).says("multiplies token embeddings; 0: the root of width"),
          }};
}

Section train_section() {
  return {
      "train",
      "Training: on which lengths, for how long, with which optimizer (AdamW).",
      {
          list("lengths", "1..40").at_least(1).at_most(1 << 30).in("task length").says("lengths n to train on"),
          choice("length_law", "uniform", {"uniform", "fixed", "list", "rev_exp", "staircase"})
              .says("uniform: all n from the shortest to the longest; list: the n listed, equally often; fixed: the "
                    "longest; rev_exp: those listed, in proportion to length_tau^n; staircase: the shortest of those "
                    "listed at first, the next after every stair_steps"),
          choice("length_per", "example", {"example", "batch"})
              .says("what draws its length for itself: every example, or a step for all of its examples"),
          real("length_tau", 0.9)
              .above(0)
              .at_most(100)
              .says("of rev_exp: how often a length is drawn, relative to that of one less"),
          integer("stair_steps", 0)
              .in("steps")
              .says("of staircase: steps after which the next length joins; 0: equal stairs over the whole training"),
          choice("stair_draw", "all", {"all", "newest"})
              .says("of staircase: draw from all lengths that have joined, equally often, or take the newest"),
          choice("loss", "answer", {"answer", "all"})
              .says("what training asks for: the answer and its end, or every next token, the prompt's too; scores and "
                    "validation stay those of the answer"),
          choice("set_loss", "logistic", {"logistic", "mse"})
              .says("loss of a set of right symbols in training: the logistic losses of all symbols, summed, or the "
                    "mean squared error of their sigmoids"),
          text("init_from", "")
              .incidental()
              .says("run file to go on from: its parameters, with a new optimizer, schedule and draws; empty: start "
                    "from nothing"),
          text("init_hash", "").says("hash of that run's config; filled in, and checked where it is given"),
          integer("original_positions", 0)
              .in("tokens")
              .says("the L of FIRE, log-n, scaled rotary angles and interpolation; 0: that of the run in init_from, or "
                    "the longest training sequence"),
          text("axis", "")
              .says("an integer option of the task that is drawn for each example, uniformly and whatever its length: "
                    "'operands: 2..3'; empty: none"),
          integer("pack", 0).at_most(1 << 20).in("tokens").says(
              "training sequences hold as many examples as fit into so many tokens, one after another, the first "
              "one cut at a random place; 0: an example each"),
          integer("steps", 1000).in("steps").says("updates of the parameters; 0: evaluate the untrained model"),
          integer("batch", 32).at_least(1).in("sequences").says("sequences in a step"),
          real("learning_rate", 0.001).at_least(0).says("peak learning rate"),
          integer("warmup", 100).in("steps").says("steps over which the rate rises from 0 to its peak"),
          choice("schedule", "cosine", {"cosine", "linear", "constant"}).says("how the rate falls after the warm-up"),
          real("final_rate", 0).at_least(0).at_most(1).says("rate at the last step, as a fraction of the peak"),
          real("weight_decay", 0.1).at_least(0).says("decoupled weight decay, multiplied by the rate"),
          choice("decay", "weights", {"weights", "all"})
              .says("what decays: weight matrices, or also biases, norm gains and embeddings"),
          real("clip", 1).at_least(0).says("largest norm of the gradient; 0: no clipping"),
          real("beta1", 0.9).at_least(0).below(1).says("decay of the mean of gradients"),
          real("beta2", 0.95).at_least(0).below(1).says("decay of the mean of squared gradients"),
          real("epsilon", 1e-8).above(0).says("added to the root of the mean square"),
          integer("validate_every", 0)
              .in("steps")
              .says("steps between two validations, on the training lengths from a stream of their own; 0: none"),
          integer("micro_tokens", 0)
              .in("tokens")
              .says("tokens of a part of the batch that goes through the model at once, unless its only sequence has "
                    "more; "
                    "0: the usual number; decides the last bits"),
          integer("validate_examples", 256).at_least(1).in("sequences").says("sequences in a validation"),
          integer("log_every", 1).at_least(1).in("steps").says("steps between two rows of the run file's /train"),
      }};
}

Section evaluate_section() {
  return {"evaluate",
          "Evaluation: at which lengths, on how many examples, scored how.",
          {
              list("lengths", "")
                  .at_least(1)
                  .at_most(1 << 30)
                  .in("task length")
                  .changeable()
                  .says("lengths n to evaluate; empty: the longest trained length and twice that"),
              text("axis", "")
                  .changeable()
                  .says("an integer option of the task with each of whose values every length is evaluated: "
                        "'operands: 2..5'; empty: none"),
              integer("examples", 512).at_least(1).in("sequences").changeable().says("examples of each length"),
              integer("every", 0).in("steps").says("steps between two evaluations; 0: only after the last step"),
              integer("scored_last", 0)
                  .in("tokens")
                  .changeable()
                  .says("score only this many last tokens of a text window; 0: all"),
              choice("windows", "spread", {"spread", "sliding", "disjoint"})
                  .changeable()
                  .says("where a text's windows lie. spread: their ends evenly over the evaluation part; sliding: "
                        "stride tokens after the one before, only what is new scored; disjoint: end to end. The last "
                        "two score the same tokens at every length"),
              integer("stride", 0).in("tokens").changeable().says("from one sliding window to the next"),
              choice("decoding", "teacher_forced", {"teacher_forced", "free_running"})
                  .changeable()
                  .says("what a model reads behind the prompt: the right answer, or what it wrote itself"),
              choice("repeats", "keep", {"keep", "drop"})
                  .changeable()
                  .says("what becomes of an example whose input an earlier one of its length has; the run file has "
                        "their share as `repeated`"),
              flag("diagnostics", false)
                  .changeable()
                  .says("store what heads attend to at each length: entropy, distance, largest logit"),
              choice("undefined", "error", {"error", "mark"})
                  .changeable()
                  .says("a length that the encoding or scheme (with an axis: or the task) cannot serve: refuse it, or "
                        "mark it as missing"),
          }};
}

}  // namespace

std::vector<Section> settings() {
  return {run_section(),
          {"task", "What the model learns.", {text("name", "").says("the task: see `lengthwise list tasks`")}},
          model_section(),
          {"encoding",
           "How attention learns of positions.",
           {text("name", "none")
                .says("an encoding, or several: a+b together, a/b by head groups, a;b by layers in turn; see "
                      "`lengthwise list encodings`")}},
          {"positions",
           "Which position ids the tokens get.",
           {text("scheme", "sequential").changeable().says("the scheme: see `lengthwise list schemes`")}},
          train_section(),
          evaluate_section()};
}

std::vector<Section> all_sections() {
  std::vector<Section> sections = settings();
  for (const auto& [name, info] : encodings()) sections.push_back(info.section);
  for (const auto& [name, info] : schemes()) sections.push_back(info.section);
  for (const auto& [name, info] : tasks()) sections.push_back(info.section);

  std::set<std::string> names;
  for (const Section& section : sections)
    if (!names.insert(section.name).second)
      throw std::logic_error("two modules call their config section [" + section.name + "]");
  return sections;
}

}  // namespace lengthwise
