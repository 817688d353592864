#include "experiments/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "experiments/table.h"
#include "tests/experiments/files.h"
#include "tests/experiments/sample_run.h"

namespace lengthwise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Writes runs one by one and shows them all.
class Show : public testing::Test {
 protected:
  void add(const RunFile& run, std::string name = "") {
    if (name.empty()) name = join("run", paths_.size(), ".h5");
    paths_.push_back(folder_ / name);
    write_run(paths_.back(), run);
  }
  std::string shown(const ShowOptions& options = {}) const { return show_runs(paths_, options); }
  std::string refusal(const ShowOptions& options = {}) const {
    try {
      return "shown: " + shown(options);
    } catch (const InputError& error) {
      return error.what();
    }
  }

  Folder folder_;
  std::vector<std::string> paths_;
};

RunFile text_run(std::int64_t scored_tokens) {
  RunFile run = sample_run("copy_repeat", "text");
  for (LengthScore& score : run.evaluations[0].scores.back()) score.scored_tokens = scored_tokens;
  return run;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void expect_narrow(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
}

TEST_F(Show, one_run_in_full) {
  add(sample_run());
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("copy-rope (complete)\n"));
  EXPECT_THAT(text,
              HasSubstr("task copy_repeat · encoding rope · scheme sequential · training lengths 1..40 · seed 3"));
  EXPECT_THAT(text, HasSubstr("200 steps · 412,345 parameters · 61.2 s · last loss 0.0123 at step 200"));
  EXPECT_THAT(text, HasSubstr("teacher_forced at step 200"));
  EXPECT_THAT(text, HasSubstr("one teacher-forced pass; every answer token scored (window 0)"));
  EXPECT_THAT(text, HasSubstr("0.9 or above up to length 40; at 0.5 or above up to length 60"));
  EXPECT_THAT(text, HasSubstr("      40      82       512  1.000 [0.993, 1.000]   1.000 [0.990, 1.000]   0.100\n"));
  EXPECT_THAT(text, HasSubstr("     >60     122       512  0.500 [0.457, 0.543]"));
  EXPECT_THAT(text, HasSubstr("     >60  30,720  0.6000 [0.5500, 0.6500]  0.8656 [0.7935, 0.9378]\n"));
  EXPECT_THAT(text, HasSubstr("> longer than any training length"));
  EXPECT_THAT(text, HasSubstr("0.00 │████████▄▄\n"));
  EXPECT_THAT(text, Not(HasSubstr("untrained")));
  EXPECT_THAT(text, Not(HasSubstr("endless")));
  expect_narrow(text, 100);
}

TEST_F(Show, artefacts_and_gaps_are_marked) {
  RunFile run = sample_run();
  auto& scores = run.evaluations[0].scores.back();
  scores[4].untrained_fraction = 0.25;
  scores[3].exact_match = {};
  scores[2].never_stopped = 0.125;
  add(run);
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr(">100*"));
  EXPECT_THAT(text, HasSubstr("25.0 %"));
  EXPECT_THAT(text, HasSubstr("* reads rows of a learned table that training never touched"));
  EXPECT_THAT(text, HasSubstr("endless"));
  EXPECT_THAT(text, HasSubstr("██████··▄▄"));
  expect_narrow(text, 100);
}

TEST_F(Show, inputs_of_training_are_marked) {
  RunFile run = sample_run();
  run.evaluations[0].overlap = {0.25, 0, 0, 0, 0};
  add(run);
  EXPECT_THAT(shown(), AllOf(HasSubstr("   20°"), HasSubstr("25.0 %"), HasSubstr("° training draws some")));
  add(sample_run("seed = 3", "seed = 4"));
  EXPECT_THAT(shown(), AllOf(HasSubstr("  1.000°  1.000  0.500"), HasSubstr("° training draws some")));
}

TEST_F(Show, names_of_files_differ_at_their_ends) {
  const std::string common = "copy_repeat-transformer_xl-sequential-";
  add(sample_run(), common + "0-1234abcd.h5");
  add(sample_run("threads = 2", "threads = 1"), common + "0-5678abcd.h5");
  EXPECT_THAT(shown(), AllOf(HasSubstr("…ential-0-1234abcd.h5"), HasSubstr("…ential-0-5678abcd.h5")));
}

TEST_F(Show, a_run_that_never_gets_there) {
  RunFile run = sample_run();
  for (LengthScore& score : run.evaluations[0].scores.back()) score.exact_match = wilson(0, 512);
  add(run);
  EXPECT_THAT(shown(), HasSubstr("exact match stays at 0.9 or above at no length"));
}

// Lengths 20 .. 100 by 6 values: cells 0.500 [0.457, 0.543] where exact match is a half.
RunFile grid_run() {
  RunFile run = sample_run();
  Evaluation& e = run.evaluations[0];
  e.axis = "pairs", e.axis_values = {1, 2, 4, 8, 16, 32};
  for (auto& row : e.scores) {
    std::vector<LengthScore> cells;
    for (const LengthScore& score : row)
      for (std::size_t v = 0; v < 6; ++v) cells.push_back(score);
    row = cells;
  }
  e.tokens.assign(30, 10), e.overlap.assign(30, 0), e.overlap[1] = 0.5, e.examples.clear();
  return run;
}

TEST_F(Show, grids_have_intervals_and_chance) {
  add(grid_run());
  const std::string text = shown();
  EXPECT_THAT(text, HasSubstr("  length         pairs 1         pairs 2"));
  EXPECT_THAT(text, HasSubstr("\n     >60           0.500           0.500"));
  EXPECT_THAT(text, HasSubstr("\n          [0.457, 0.543]  [0.457, 0.543]"));
  EXPECT_THAT(text, HasSubstr("1.000°"));
  EXPECT_THAT(text, HasSubstr("chance 0.100 of a token, in every cell"));
  for (const std::size_t width : {40u, 80u, 120u}) {
    const std::string page = shown({.width = width});
    std::istringstream lines(page.substr(page.find("exact match"), page.find("  >") - page.find("exact match")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), width) << line;
    EXPECT_EQ(occurrences(page, "  length "), width == 120 ? 2u : width == 80 ? 4u : 6u);
  }
  EXPECT_THAT(shown({.markdown = true}), HasSubstr("| >60 | 0.500 [0.457, 0.543] | 0.500 [0.457, 0.543] |"));
}

TEST_F(Show, chance_that_differs_between_cells_is_a_grid_of_its_own) {
  RunFile run = grid_run();
  run.evaluations[0].scores.back()[2].chance = 0.25;
  add(run);
  EXPECT_THAT(shown(), AllOf(HasSubstr("chance of a token\n"), HasSubstr("0.100    0.100    0.250    0.100")));
}

TEST_F(Show, a_run_without_an_evaluation) {
  RunFile run = sample_run();
  run.facts.status = "failed";
  run.facts.status_reason = "loss is nan at step 3";
  run.evaluations.clear();
  run.train.clear();
  add(run);
  EXPECT_THAT(shown(), AllOf(HasSubstr("(failed: loss is nan at step 3)"), HasSubstr("not evaluated yet")));
}

TEST_F(Show, runs_side_by_side_are_told_apart_by_their_configs) {
  add(sample_run());
  add(sample_run("[encoding]\nname = rope", "[encoding]\nname = t5"));
  RunFile failed = sample_run("seed = 3", "seed = 4");
  failed.facts.status = "failed";
  failed.facts.status_reason = "loss is nan at step 150";
  failed.evaluations[0].steps.pop_back();
  failed.evaluations[0].scores.pop_back();
  add(failed);
  RunFile fresh = sample_run("seed = 3", "seed = 5");
  fresh.facts.status = "running";
  fresh.evaluations.clear();
  add(fresh, "fresh.h5");
  const std::string text = shown();
  // Seeds of one encoding stand together; name and threads are no labels.
  EXPECT_THAT(
      text,
      HasSubstr("  encoding.name  run.seed  step  status    ≥0.9 to  curve     20     40    >60    >80   >100\n"
                "  rope           3         200   complete       40  ██▄▂▁  1.000  1.000  0.500  0.250  0.125\n"
                "  rope           4         100   failed          –  ▄▄▂▁▁  0.500  0.500  0.250  0.125  0.062\n"
                "  t5             3         200   complete       40  ██▄▂▁  1.000  1.000  0.500  0.250  0.125\n"));
  EXPECT_THAT(text, HasSubstr("run2.h5: failed: loss is nan at step 150"));
  EXPECT_THAT(text, HasSubstr("Without an evaluation\n  " + paths_[3] + " (running)"));
}

TEST_F(Show, runs_of_one_config_are_told_apart_by_their_files) {
  add(sample_run(), "first of two with a rather long name.h5");
  add(sample_run("threads = 2", "threads = 1"), "second.h5");
  EXPECT_THAT(shown(), AllOf(HasSubstr("\n  first of two with a rather long name.h5 "), HasSubstr("\n  second.h5 "),
                             Not(HasSubstr("run.threads"))));
}

TEST_F(Show, many_options_and_lengths_stay_within_the_width) {
  for (int i = 0; i < 3; ++i) {
    RunFile run = sample_run("layers = 2", join("layers = ", i, "\nwidth = ", i, "\nheads = ", i, "\nnorm = ", i));
    run.facts.config.replace(run.facts.config.find("seed = 3"), 8, join("seed = ", i));
    Evaluation& e = run.evaluations[0];
    const LengthScore last = e.scores[1].back();
    e.examples.clear();
    for (std::int64_t n = 120; n <= 600; n += 20) {
      e.lengths.push_back(n), e.tokens.push_back(2 * n);
      for (auto& row : e.scores) row.push_back(last);
    }
    add(run);
  }
  const std::string text = shown();
  expect_narrow(text, 100);
  EXPECT_THAT(text, HasSubstr("run.seed"));
  EXPECT_THAT(text, HasSubstr("also differing: model.width"));
  EXPECT_EQ(occurrences(text, " >600\n"), 1u);
  EXPECT_GT(occurrences(text, "run.seed"), 1u);  // labels are repeated with every part of the table
}

TEST_F(Show, figures_that_do_not_compare_get_tables_of_their_own) {
  add(text_run(1000));
  RunFile other = text_run(1000);
  other.evaluations[0].settings["window"] = std::int64_t{64};
  add(other);
  add(text_run(2000));
  add(sample_run());
  const std::string text = shown();
  EXPECT_EQ(occurrences(text, "protocol: "), 4u);
  EXPECT_EQ(occurrences(text, "text, teacher_forced"), 3u);
  EXPECT_THAT(text, HasSubstr("(window 64)"));
}

TEST_F(Show, unequal_counts_are_labelled) {
  add(sample_run());
  RunFile fewer = sample_run("seed = 3", "seed = 4");
  for (LengthScore& score : fewer.evaluations[0].scores.back()) score.examples = 256, score.scored_tokens /= 2;
  fewer.facts.task_hash = "other";
  add(fewer);
  const std::string text = shown();
  EXPECT_EQ(occurrences(text, "protocol: "), 1u);
  EXPECT_THAT(text, HasSubstr("run.seed  examples  scored tokens"));
  EXPECT_THAT(text, HasSubstr("4         256       76,800"));  // (20 + 40 + 60 + 80 + 100) * 512 / 2
  EXPECT_THAT(text, HasSubstr("! the task's definition or options differ"));
}

// Loss 0.1 up to length 40 and 0.6 at 60: bits 0.866, ratio exp(0.5).
TEST_F(Show, text_is_judged_by_bits_and_by_the_ratio_of_perplexities) {
  add(text_run(1000));
  EXPECT_THAT(shown(), AllOf(HasSubstr("0.8656 [0.7935, 0.9378]      ×1.649\n"), HasSubstr("bits a byte"),
                             Not(HasSubstr("stays at 0.9"))));
  RunFile other = text_run(1000);
  other.facts.config.replace(other.facts.config.find("seed = 3"), 8, "seed = 4");
  other.evaluations[0].scores.back()[4].scored_tokens = 1000;
  add(other);
  EXPECT_THAT(shown(), HasSubstr("  4         ▁▁▅▇█  0.144 ×1.000  0.144 ×1.000  0.866 ×1.649"));
}

TEST_F(Show, a_ratio_over_other_tokens_is_marked) {
  RunFile run = text_run(1000);
  run.evaluations[0].scores.back()[4].scored_tokens = 900;
  add(run);
  EXPECT_THAT(shown(), HasSubstr("~×2.399"));
  run.facts.config.replace(run.facts.config.find("seed = 3"), 8, "seed = 4");
  add(run);
  EXPECT_THAT(shown(), AllOf(HasSubstr("1.407 ~×2.399"), HasSubstr("~ scored other tokens here")));
}

TEST_F(Show, one_protocol_on_request) {
  RunFile run = sample_run();
  Evaluation free = run.evaluations[0];
  free.name = "free_running";
  run.evaluations.push_back(free);
  add(run);
  EXPECT_THAT(shown(), AllOf(HasSubstr("teacher_forced at"), HasSubstr("free_running at")));
  EXPECT_THAT(shown({.protocol = "free_running"}),
              AllOf(Not(HasSubstr("teacher_forced at")), HasSubstr("free_running at")));
  EXPECT_THAT(refusal({.protocol = "free_runing"}),
              AllOf(HasSubstr(paths_[0]), HasSubstr("only: teacher_forced free_running"),
                    HasSubstr("Did you mean 'free_running'?")));
  add(sample_run("seed = 3", "seed = 4"));
  EXPECT_THAT(refusal({.protocol = "free_running"}), HasSubstr(paths_[1]));
}

TEST_F(Show, markdown) {
  add(sample_run());
  EXPECT_THAT(
      shown({.markdown = true}),
      AllOf(HasSubstr("## copy-rope (complete)\n\n- task"), HasSubstr("\n\n| length | tokens |"),
            HasSubstr("| >60 | 122 | 512 | 0.500 [0.457, 0.543] |"), HasSubstr("\n- `>` longer"), Not(HasSubstr("│"))));
  add(sample_run("seed = 3", "seed = 4"));
  EXPECT_THAT(shown({.markdown = true}), HasSubstr("\n| 4 | 40 | ██▄▂▁ | 1.000 | 1.000 | 0.500 | 0.250 | 0.125 |\n"));
}

TEST_F(Show, files_that_are_no_runs_are_refused) {
  EXPECT_THAT(refusal(), HasSubstr("no run file given"));
  paths_.push_back(folder_ / "missing.h5");
  EXPECT_THAT(refusal(), HasSubstr("missing.h5': No such file"));
}

TEST(largest_of_list, reads_every_form) {
  EXPECT_EQ(largest_of_list("1..40"), 40);
  EXPECT_EQ(largest_of_list("10,20, 5"), 20);
  EXPECT_EQ(largest_of_list("10..205:10"), 200);
  EXPECT_EQ(largest_of_list("10..20,300..310:4,7"), 308);
  EXPECT_FALSE(largest_of_list("–").has_value());
  EXPECT_FALSE(largest_of_list("").has_value());
}

}  // namespace
}  // namespace lengthwise
