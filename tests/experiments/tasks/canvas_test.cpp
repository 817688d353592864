#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

/// The pixels of an image, one string a row, '#' where there is ink; put together by the ids of the patches.
std::vector<std::string> drawn(const Task& task, const Example& example) {
  const auto &rows = example.ids.at("row"), &columns = example.ids.at("column");
  const auto side = static_cast<std::size_t>(std::sqrt(task.features()));
  const auto pixels = [&](const std::vector<double>& ids) {
    return side * (static_cast<std::size_t>(*std::max_element(ids.begin(), ids.end())) + 1);
  };
  std::vector<std::string> lines(pixels(rows), std::string(pixels(columns), '.'));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        if (rows[i] >= 0 && example.features[(i * side + y) * side + x] > 0.5f)
          lines[static_cast<std::size_t>(rows[i]) * side + y][static_cast<std::size_t>(columns[i]) * side + x] = '#';
  return lines;
}

/// What is inked, without the paper around it.
std::string cropped(const std::vector<std::string>& lines) {
  std::size_t left = lines[0].size(), right = 0;
  for (const std::string& line : lines) {
    left = std::min(left, line.find('#'));
    if (line.find('#') != std::string::npos) right = std::max(right, line.rfind('#'));
  }
  std::string crop;
  for (const std::string& line : lines)
    if (line.find('#') != std::string::npos) crop += line.substr(left, right - left + 1) + '\n';
  return crop;
}

void erase(std::vector<std::string>& lines, std::size_t r, std::size_t c) {
  if (r >= lines.size() || c >= lines[r].size() || lines[r][c] != '#') return;
  lines[r][c] = '.';
  for (const std::size_t y : {r - 1, r, r + 1})
    for (const std::size_t x : {c - 1, c, c + 1}) erase(lines, y, x);
}

/// Pieces of ink, by sides and corners: every digit is one.
int pieces(std::vector<std::string> lines) {
  int count = 0;
  for (std::size_t r = 0; r < lines.size(); ++r)
    for (std::size_t c = 0; c < lines[r].size(); ++c)
      if (lines[r][c] == '#') erase(lines, r, c), ++count;
  return count;
}

TEST(Canvas, KeepsTheContract) {
  expect_task_contract("canvas", {{"width", "2"}}, {2, 3, 5, 8});
  expect_task_contract("canvas", {{"count", "3"}, {"width", "6"}, {"pool", "class_token"}}, {4, 6, 9});
}

// Equal ink has equal classes, and there are ten of each: the picture tells the class, and nothing else does.
TEST(Canvas, ShowsTheDigitOfItsClass) {
  std::map<std::string, std::string> class_of;
  for (const Layout layout : {Layout::causal, Layout::encoder})
    for (const char* pool : {"mean", "class_token"}) {
      const auto task = task_with("canvas", {{"pool", pool}, {"patch", "3"}, {"width", "5"}}, layout);
      for (const Stream stream : every_stream)
        for (const Example& example : Draws{stream, {3, 6}, 400}.examples(*task)) {
          const std::string digit = task->word(example.targets[0]);
          ASSERT_EQ(class_of.emplace(cropped(drawn(*task, example)), digit).first->second, digit);
        }
    }
  EXPECT_EQ(class_of.size(), 10u);
  EXPECT_EQ(class_of["#####\n....#\n...#.\n...#.\n..#..\n..#..\n..#..\n"], "7");
  EXPECT_EQ(class_of[".#.\n##.\n.#.\n.#.\n.#.\n.#.\n###\n"], "1");
}

TEST(Canvas, HasAsManyDigitsAsItSays) {
  const auto task = task_with("canvas", {{"count", "4"}});
  std::set<int> seen;
  for (const Stream stream : every_stream)
    for (const Example& example : Draws{stream, {4, 5, 7}, 300}.examples(*task)) {
      const int count = pieces(drawn(*task, example));
      ASSERT_EQ(task->word(example.targets[0]), std::to_string(count));
      seen.insert(count);
    }
  EXPECT_EQ(seen, (std::set<int>{1, 2, 3, 4}));
}

// Ten digits of 7 x 5 pixels have 2 x 4 places each on 8 x 8, and every picture is in one stream.
TEST(Canvas, PutsDigitsEverywhereAndSharesThePicturesAmongTheStreams) {
  const auto task = task_with("canvas");
  std::map<std::vector<std::string>, Stream> owner;
  for (const Stream stream : every_stream)
    for (const Example& example : Draws{stream, {2}, 2000}.examples(*task))
      ASSERT_EQ(owner.emplace(drawn(*task, example), stream).first->second, stream);
  EXPECT_EQ(owner.size(), 80u);
  EXPECT_EQ(task->space(2), 80);
}

TEST(Canvas, PutsAClassTokenWhereItSeesTheImage) {
  const auto example = [](Layout layout) {
    return task_with("canvas", {{"pool", "class_token"}}, layout)
        ->example(2, make_draw(0, Stream::train, "canvas", 2, 0));
  };
  const Example first = example(Layout::encoder), last = example(Layout::causal);
  EXPECT_EQ(first.tokens, (std::vector<int>{1, 0, 0, 0, 0}));
  EXPECT_EQ(first.ids.at("row"), (std::vector<double>{-1, 0, 0, 1, 1}));
  EXPECT_EQ(first.ids.at("column"), (std::vector<double>{-1, 0, 1, 0, 1}));
  EXPECT_EQ(first.ids.at("digit"), (std::vector<double>{0, 1, 2, 3, 4}));
  EXPECT_EQ(first.scored, std::vector<std::size_t>{0});
  EXPECT_EQ(last.tokens, (std::vector<int>{0, 0, 0, 0, 1}));
  EXPECT_EQ(last.ids.at("digit"), (std::vector<double>{1, 2, 3, 4, 0}));
  EXPECT_EQ(last.scored, std::vector<std::size_t>{4});
  EXPECT_FALSE(first.pooled);
  EXPECT_TRUE(task_with("canvas")->example(2, make_draw(0, Stream::train, "canvas", 2, 0)).pooled);
}

TEST(Canvas, IsAPictureToPeople) {
  const auto task = task_with("canvas", {{"width", "3"}, {"pool", "class_token"}});
  for (std::size_t i = 0; i < 30; ++i) {
    const Example example = task->example(2, make_draw(0, Stream::train, "canvas", 2, i));
    const std::string picture = task->picture(example);
    EXPECT_EQ(std::count(picture.begin(), picture.end(), '\n'), 8 / 2 + 1);  // a line shows two rows of pixels
    EXPECT_THAT(picture, testing::EndsWith("target  " + task->word(example.targets[0]) + '\n'));
    EXPECT_THAT(picture, testing::HasSubstr("@"));
  }
}

TEST(Canvas, ChanceIsAGuessOfAClass) {
  for (const char* count : {"0", "4"}) {
    const auto task = task_with("canvas", {{"count", count}});
    const auto classes = static_cast<std::uint64_t>(task->vocabulary() - 2);
    expect_chance(*task, 5, [&](const Example&, Rng& rng) { return 2 + static_cast<int>(rng.below(classes)); });
  }
}

TEST(Canvas, RefusesImagesWithoutRoom) {
  expect_input_error([] { task_with("canvas")->check_length(1); }, {"4 x 4 pixels", "room for 0"});
  expect_input_error(
      [] {
        task_with("canvas", {{"count", "5"}})->check_length(3);
      },
      {"12 x 12", "room for 2", "count is 5"});
}

}  // namespace
}  // namespace lengthwise
