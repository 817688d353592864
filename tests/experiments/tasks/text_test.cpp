#include <numeric>

#include "tests/experiments/tasks/task_contract.h"
#include "tests/experiments/tasks/text_file.h"

namespace lengthwise {
namespace {

/// Byte i has value i, so that a token tells where it stood.
std::string ascending(std::size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

std::unique_ptr<Task> text_task(const File& file, const std::string& validation, const std::string& evaluation) {
  return task_with("text",
                   {{"path", file.path()}, {"validation_fraction", validation}, {"evaluation_fraction", evaluation}});
}

/// The evaluation windows of length n in a protocol.
std::vector<Example> windows(const Task& task, std::size_t n, std::size_t count, std::size_t longest,
                             std::size_t last = 0) {
  std::vector<Example> all;
  for (std::size_t i = 0; i < count; ++i) {
    Draw draw = make_draw(0, Stream::evaluation, "text", n, i);
    draw.count = count, draw.longest = longest, draw.last = last;
    all.push_back(task.example(n, draw));
  }
  return all;
}

std::vector<int> last_targets(const std::vector<Example>& examples) {
  std::vector<int> ends;
  for (const Example& example : examples) ends.push_back(example.targets.back());
  return ends;
}

TEST(Text, KeepsTheContract) {
  Rng rng(3);
  std::string bytes(20000, ' ');
  for (char& byte : bytes) byte = static_cast<char>(rng.below(256));
  const File file(bytes);
  expect_task_contract("text", {{"path", file.path()}}, {1, 2, 31, 64});
}

TEST(Text, TokensAreTheBytes) {
  const File file("\x41\xFF\x92\xC3\x42\x0A");  // not UTF-8
  const auto task = text_task(file, "0", "0");
  const Example example = task->example(5, make_draw(0, Stream::train, "text", 5, 0));
  EXPECT_EQ(example.tokens, (std::vector<int>{0x41, 0xFF, 0x92, 0xC3, 0x42}));
  EXPECT_EQ(example.targets, (std::vector<int>{0xFF, 0x92, 0xC3, 0x42, 0x0A}));
  EXPECT_EQ(task->data(), file.path() + ": 6 bytes: training 6, validation 0, evaluation 0");
  EXPECT_EQ(words(*task, {' ', '\n', 'a', 0xFF, '\\', 0, 127}), "␣ \\n a \\xFF \\\\ \\x00 \\x7F");
}

TEST(Text, HasAllWindowsOfAShortText) {
  const File file(ascending(16));
  const auto eight = text_task(file, "0", "0.5");
  EXPECT_EQ(last_targets(windows(*eight, 4, 4, 4)), (std::vector<int>{12, 13, 14, 15}));
  EXPECT_EQ(windows(*eight, 4, 4, 4)[0].tokens, (std::vector<int>{8, 9, 10, 11}));
  expect_input_error([&] { windows(*eight, 4, 5, 4); },
                     {"has 8 bytes", "4 different windows of length 4", "5 examples"});

  const File shorter(ascending(10));
  const auto five = text_task(shorter, "0", "0.5");
  EXPECT_EQ(last_targets(windows(*five, 4, 1, 4)), (std::vector<int>{9}));
  expect_input_error([&] { five->check_supply(Stream::evaluation, 4, 2); }, {"1 different windows"});
  expect_input_error([&] { five->check_supply(Stream::evaluation, 5, 1); }, {"has 5 of 10 bytes", "at least 6"});
}

TEST(Text, PredictsOneByteLessThanTheWindowHolds) {
  const File file(ascending(10));
  const auto task = text_task(file, "0", "0.5");
  const Example example = windows(*task, 4, 1, 4)[0];
  EXPECT_EQ(example.targets.size(), 4u);
  EXPECT_EQ(example.answer, 4u);
  EXPECT_NEAR(-std::log(task->chance(4)), 5.545177, 1e-6);
}

TEST(Text, ScoresTheSameBytesAtEveryLength) {
  const File file(ascending(256));
  const auto task = text_task(file, "0.1", "0.5");
  const std::vector<Example> longest = windows(*task, 64, 20, 64, 8);
  for (const std::size_t n : {8, 9, 33, 64}) {
    const std::vector<Example> examples = windows(*task, n, 20, 64, 8);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(examples[i].targets, longest[i].targets);
      EXPECT_EQ(examples[i].tokens.size(), n);
      EXPECT_EQ(examples[i].scored.front(), n - 8);
      EXPECT_EQ(examples[i].answer, 8u);
    }
  }
  expect_input_error([&] { windows(*task, 7, 20, 64, 8); }, {"length 7", "last 8"});
}

TEST(Text, SpacesEvaluationWindowsEvenly) {
  const File file(ascending(256));
  const std::vector<int> ends = last_targets(windows(*text_task(file, "0", "0.5"), 5, 11, 27));
  EXPECT_EQ(ends.front(), 128 + 27);  // the first byte with 27 before it in the part
  EXPECT_EQ(ends.back(), 255);
  for (std::size_t i = 1; i < ends.size(); ++i) EXPECT_EQ(ends[i] - ends[i - 1], 10);
}

/// Windows that follow each other, and the targets they score, window by window.
std::vector<std::vector<int>> scored_targets(const Task& task, std::size_t n, std::size_t count, std::size_t longest,
                                             std::size_t stride) {
  std::vector<std::vector<int>> all;
  Draw draw = make_draw(0, Stream::evaluation, "text", n, 0);
  draw.count = count, draw.longest = longest, draw.stride = stride;
  for (std::size_t i = 0; i < task.examples(n, draw); ++i) {
    draw.index = i;
    const Example example = task.example(n, draw);
    EXPECT_EQ(example.tokens.size(), n);
    EXPECT_EQ(example.answer, example.targets.size());
    EXPECT_EQ(example.scored.back(), n - 1);
    EXPECT_EQ(example.targets.back(), example.tokens.back() + 1);  // bytes ascend
    all.push_back(example.targets);
  }
  return all;
}

TEST(Text, SlidesWindowsAndScoresWhatIsNew) {
  const File file(ascending(32));
  const auto task = text_task(file, "0", "0.5");  // bytes 16 .. 31
  using Targets = std::vector<std::vector<int>>;
  EXPECT_EQ(scored_targets(*task, 6, 3, 6, 2), (Targets{{17, 18, 19, 20, 21, 22}, {23, 24}, {25, 26}}));
  EXPECT_EQ(scored_targets(*task, 4, 3, 6, 2), (Targets{{17, 18, 19, 20}, {21, 22}, {23, 24}, {25, 26}}));
  EXPECT_EQ(scored_targets(*task, 5, 3, 6, 2), (Targets{{17, 18, 19, 20, 21}, {22, 23}, {24, 25}, {26}}));
  EXPECT_EQ(scored_targets(*task, 6, 1, 6, 2), (Targets{{17, 18, 19, 20, 21, 22}}));
}

TEST(Text, LaysDisjointWindowsEndToEnd) {
  const File file(ascending(32));
  const auto task = text_task(file, "0", "0.5");
  using Targets = std::vector<std::vector<int>>;
  const std::size_t disjoint = ~std::size_t{0};
  EXPECT_EQ(scored_targets(*task, 6, 2, 6, disjoint), (Targets{{17, 18, 19, 20, 21, 22}, {23, 24, 25, 26, 27, 28}}));
  EXPECT_EQ(scored_targets(*task, 5, 2, 6, disjoint), (Targets{{17, 18, 19, 20, 21}, {22, 23, 24, 25, 26}, {27, 28}}));
  expect_input_error([&] { scored_targets(*task, 6, 3, 6, disjoint); }, {"has 16 of 32 bytes", "at least 19"});
}

TEST(Text, KeepsTheStreamsApart) {
  const File file(ascending(200));
  const auto task = text_task(file, "0.2", "0.3");
  const auto bytes = [&](Stream stream) {
    std::set<int> seen;
    for (const Example& example : Draws{stream, {10}, 40}.examples(*task)) {
      seen.insert(example.tokens.begin(), example.tokens.end());
      seen.insert(example.targets.begin(), example.targets.end());
    }
    return seen;
  };
  const std::set<int> train = bytes(Stream::train), validation = bytes(Stream::validation),
                      evaluation = bytes(Stream::evaluation);
  EXPECT_LT(*train.rbegin(), 100);
  EXPECT_GE(*validation.begin(), 100);
  EXPECT_LT(*validation.rbegin(), 140);
  EXPECT_GE(*evaluation.begin(), 140);
  EXPECT_EQ(*evaluation.rbegin(), 199);
  EXPECT_EQ(overlap(*task, 10, 0, 40), 0);
}

TEST(Text, StartsTrainingWindowsUniformly) {
  const File file(ascending(30));
  const auto task = text_task(file, "0", "0");
  std::vector<double> starts(20);
  for (const Example& example : Draws{Stream::train, {10}, 4000}.examples(*task))
    ++starts.at(static_cast<std::size_t>(example.tokens[0]));
  for (const double count : starts) EXPECT_NEAR(count, 200, 5 * std::sqrt(200 * 0.95));
}

TEST(Text, KeepsLineEndsAsTheyAre) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const File file("a" + end + "b" + end);
    const auto task = text_task(file, "0", "0");
    const std::size_t n = 1 + 2 * end.size();
    const Example example = task->example(n, make_draw(0, Stream::train, "text", n, 0));
    std::string read(1, static_cast<char>(example.tokens[0]));
    for (const int token : example.targets) read += static_cast<char>(token);
    EXPECT_EQ(read, "a" + end + "b" + end);
    EXPECT_THAT(task->data(), testing::HasSubstr(join(2 + 2 * end.size(), " bytes")));
  }
}

TEST(Text, HasOneSymbolTableForAllFiles) {
  const File a("aaaaaaaa"), b("zzz\xFEzzzz");
  for (const File* file : {&a, &b}) EXPECT_EQ(text_task(*file, "0", "0")->vocabulary(), 256);
  const Example example = text_task(b, "0", "0")->example(7, make_draw(0, Stream::train, "text", 7, 0));
  EXPECT_EQ(example.tokens[3], 0xFE);
}

TEST(Text, ReadsAFileOnceForAllTasks) {
  const File file(ascending(16));
  auto first = text_task(file, "0", "0.5");
  file.write(std::string(40, 'x'));
  EXPECT_EQ(windows(*text_task(file, "0", "0.5"), 4, 4, 4), windows(*first, 4, 4, 4));
  first.reset();
  EXPECT_EQ(windows(*text_task(file, "0", "0.5"), 4, 4, 4)[0].tokens, std::vector<int>(4, 'x'));
}

TEST(Text, IsDefinedByItsBytesNotItsPath) {
  const File a("the same"), b("the same"), c("the rest");
  const auto hash = [](const File& file) {
    return definition_hash("text", Options(tasks().at("text").section, {{"path", file.path()}}));
  };
  EXPECT_EQ(hash(a), hash(b));
  EXPECT_NE(hash(a), hash(c));
}

TEST(Text, RefusesFilesItCannotUse) {
  const File empty(""), newline("\n");
  const auto make = [](const std::string& path) { task_with("text", {{"path", path}}); };
  expect_input_error([&] { make(""); }, {"text.path is not set"});
  expect_input_error([&] { make("/no/such/file"); }, {"'/no/such/file'", "No such file"});
  expect_input_error([&] { make(testing::TempDir()); }, {testing::TempDir(), "a directory"});
  expect_input_error([&] { make("/dev/null"); }, {"/dev/null", "no file"});
  expect_input_error([&] { make(empty.path()); }, {empty.path(), "0 byte(s)"});
  expect_input_error([&] { make(newline.path()); }, {newline.path(), "1 byte(s)"});
}

TEST(Text, RefusesSettingsThatLeaveNothing) {
  const File file(ascending(100));
  expect_input_error([&] { text_task(file, "0.5", "0.5"); }, {"0.5", "below 1"});
  expect_input_error([&] { text_task(file, "0.1", "1"); }, {"evaluation_fraction", "1"});
  expect_input_error([&] { text_task(file, "-0.1", "0.1"); }, {"validation_fraction", "-0.1"});
  const auto task = text_task(file, "0.05", "0.1");
  expect_input_error([&] { task->check_supply(Stream::train, 85, 0); },
                     {"training part", "has 85 of 100", "at least 86"});
  expect_input_error([&] { task->check_supply(Stream::validation, 5, 0); }, {"validation part", "has 5 of 100"});
  expect_input_error([&] { task->example(5, make_draw(0, Stream::validation, "text", 5, 0)); }, {"validation part"});
  expect_input_error([&] { task->check_length(100); }, {"length 100", "1 .. 99"});
  expect_input_error([&] { task->check_length(0); }, {"length 0"});
  expect_input_error(
      [&] {
        task_with("text", {{"path", file.path()}}, Layout::encoder);
      },
      {"bidirectional", "model.attention = causal"});
}

TEST(Text, ChanceIsAGuessOfAByte) {
  Rng rng(3);
  std::string bytes(60000, ' ');
  for (char& byte : bytes) byte = static_cast<char>(rng.below(256));
  const File file(bytes);
  expect_chance(*text_task(file, "0", "0.5"), 50,
                [](const Example&, Rng& draws) { return static_cast<int>(draws.below(256)); });
}

}  // namespace
}  // namespace lengthwise
