#include "experiments/tasks/corpus.h"
#include "tests/experiments/tasks/task_contract.h"
#include "tests/experiments/tasks/text_file.h"

namespace lengthwise {
namespace {

enum : int { CLS = 256, SEPARATOR, MASK, NEXT, OTHER };

/// 2000 bytes, every 16-bit window of them different, so that a passage tells where it comes from.
std::string distinct_pairs() {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += {static_cast<char>(i % 250), static_cast<char>(i / 250 + 250)};
  return bytes;
}

std::unique_ptr<Task> masked(const File& file, Values values = {}) {
  values["path"] = file.path();
  return task_with("masked_lm", values, Layout::encoder);
}

TEST(MaskedLm, KeepsTheContract) {
  Rng rng(3);
  std::string bytes(20000, ' ');
  for (char& byte : bytes) byte = static_cast<char>(rng.below(256));
  const File file(bytes);
  const auto task = masked(file);
  expect_independent_streams(*task, 40);
  for (const Stream stream : every_stream) {
    const Draws batch{stream, {2, 7, 64}, 50};
    for (std::size_t i = 0; i < batch.size(); ++i)
      ASSERT_NO_FATAL_FAILURE(expect_well_formed(*task, batch.example(*task, i), batch.length(i)));
    expect_same_in_any_order("masked_lm", {{"path", file.path()}}, batch, Layout::encoder);
  }
}

// The pair as it was before it was masked.
std::vector<int> told(const Example& example) {
  std::vector<int> tokens = example.tokens;
  for (std::size_t i = 1; i < example.scored.size(); ++i) tokens[example.scored[i]] = example.targets[i];
  return tokens;
}

TEST(MaskedLm, ShowsTwoPassagesAndWhetherTheSecondIsNext) {
  const std::string bytes = distinct_pairs();
  const File file(bytes);
  const auto task = masked(file, {{"validation_fraction", "0.2"}, {"evaluation_fraction", "0.3"}});
  const std::size_t begins[] = {0, 1000, 1400}, ends[] = {1000, 1400, 2000};
  for (std::size_t s = 0; s < 3; ++s) {
    std::size_t next = 0, first_bytes = 0;
    const Draws batch{every_stream[s], {40}, 400};
    for (const Example& example : batch.examples(*task)) {
      ASSERT_EQ(example.tokens.size(), 43u);
      ASSERT_EQ(example.tokens[0], CLS);
      const std::vector<int> tokens = told(example);
      const auto separator = static_cast<std::size_t>(std::ranges::find(tokens, SEPARATOR) - tokens.begin());
      ASSERT_EQ(tokens.back(), SEPARATOR);
      for (std::size_t i = 0; i < tokens.size(); ++i) ASSERT_EQ(example.ids.at("segment")[i], i > separator);
      std::string a, b;
      for (std::size_t i = 1; i < separator; ++i) a += static_cast<char>(tokens[i]);
      for (std::size_t i = separator + 1; i + 1 < tokens.size(); ++i) b += static_cast<char>(tokens[i]);
      ASSERT_EQ(a.size() + b.size(), 40u);
      ASSERT_GE(std::min(a.size(), b.size()), 1u);
      const std::string part = bytes.substr(begins[s], ends[s] - begins[s]);
      ASSERT_NE(part.find(a), part.npos);
      ASSERT_NE(part.find(b), part.npos);
      const bool follows = part.find(a + b) != part.npos;
      // A passage of one byte occurs in many places.
      if (std::min(a.size(), b.size()) > 1) {
        ASSERT_EQ(example.targets[0], follows ? NEXT : OTHER);
      }
      next += example.targets[0] == NEXT;
      first_bytes += a.size();
    }
    EXPECT_NEAR(static_cast<double>(next), 200, 5 * 10);
    EXPECT_NEAR(static_cast<double>(first_bytes) / 400, 20, 5 * 11.3 / 20);
  }
}

TEST(MaskedLm, HidesFifteenPercentInThreeWays) {
  const File file(std::string(5000, 'x'));
  const auto task = masked(file);
  double masks = 0, random = 0, total = 0;
  for (const Example& example : Draws{Stream::train, {100}, 400}.examples(*task)) {
    ASSERT_EQ(example.scored.size(), 16u);  // [CLS] and 15 bytes
    ASSERT_EQ(example.scored[0], 0u);
    for (std::size_t i = 1; i < 16; ++i, ++total) {
      ASSERT_EQ(example.targets[i], 'x');
      const int shown = example.tokens[example.scored[i]];
      masks += shown == MASK;
      random += shown < 256 && shown != 'x';
    }
    const auto changed =
        std::ranges::count_if(example.tokens, [](int t) { return t != 'x' && t != CLS && t != SEPARATOR; });
    ASSERT_LE(changed, 15);
  }
  EXPECT_NEAR(masks / total, 0.8, 5 * std::sqrt(0.16 / total));
  EXPECT_NEAR(random / total, 0.1 * 255 / 256, 5 * std::sqrt(0.09 / total));
}

TEST(MaskedLm, CanBeAskedForEachAlone) {
  const File file(distinct_pairs());
  const auto both = masked(file), bytes = masked(file, {{"targets", "masked"}}),
             next = masked(file, {{"targets", "next_sentence"}});
  const Draw draw = make_draw(0, Stream::train, "masked_lm", 20, 7);
  const Example whole = both->example(20, draw);
  EXPECT_EQ(next->example(20, draw).tokens, whole.tokens);
  EXPECT_EQ(next->example(20, draw).targets, std::vector<int>(whole.targets.begin(), whole.targets.begin() + 1));
  EXPECT_EQ(bytes->example(20, draw).targets, std::vector<int>(whole.targets.begin() + 1, whole.targets.end()));
  EXPECT_DOUBLE_EQ(next->chance(20), 0.5);
  EXPECT_DOUBLE_EQ(bytes->chance(20), 1.0 / 256);
  EXPECT_DOUBLE_EQ(both->chance(20), (0.5 + 3.0 / 256) / 4);  // 3 of 20 bytes
}

TEST(MaskedLm, ReadsLikeThis) {
  const File file("The same");
  const auto task = masked(file, {{"validation_fraction", "0"}, {"evaluation_fraction", "0"}});
  EXPECT_EQ(words(*task, {CLS, 'T', ' ', SEPARATOR, MASK, NEXT, OTHER}), "[CLS] T ␣ [SEP] [MASK] next other");
}

TEST(MaskedLm, RefusesWhatItCannotDo) {
  const File file(distinct_pairs());
  expect_input_error(
      [&] {
        task_with("masked_lm", {{"path", file.path()}}, Layout::causal);
      },
      {"masked_lm", "model.attention = bidirectional"});
  expect_input_error([&] { masked(file)->check_length(1); }, {"length 1", "2 .. 2000"});
  expect_input_error([&] { masked(file)->check_supply(Stream::evaluation, 150, 60); },
                     {"evaluation part", "has 200 bytes", "51 different windows", "masked_lm.evaluation_fraction"});
  expect_input_error([&] { masked(file, {{"masked", "0"}}); }, {"masked_lm.masked", "above 0"});
}

}  // namespace
}  // namespace lengthwise
