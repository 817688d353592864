#include "tests/experiments/tasks/language_contract.h"

namespace lengthwise {
namespace {

TEST(Dyck, KeepsTheContract) {
  expect_task_contract("dyck", {}, {2, 4, 10, 40});
  expect_task_contract("dyck", {{"pairs", "5"}, {"depth", "3"}}, {2, 6, 30});
}

TEST(Dyck, LabelsByHand) {
  EXPECT_EQ(solved(*dense_task("dyck"), "( [ ] )"), "(|)|[ (|[|] (|)|[ EOS|(|[");
  EXPECT_EQ(solved(*dense_task("dyck", {{"depth", "2"}}), "( [ ] )"), "(|)|[ ] (|)|[ EOS|(|[");
  EXPECT_EQ(solved(*dense_task("dyck", {{"pairs", "5"}}), "(5 )5"), "(1|(2|(3|(4|(5|)5 EOS|(1|(2|(3|(4|(5");
}

TEST(Dyck, IsItsLanguage) {
  for (const std::size_t depth : {0, 1, 2})
    expect_language(*dense_task("dyck", {{"depth", std::to_string(depth)}}), 8, 3, [&](const std::string& word) {
      std::vector<char> open;
      for (const char c : joined(word)) {
        if (c == '(' || c == '[') {
          open.push_back(c == '(' ? ')' : ']');
          if (depth > 0 && open.size() > depth) return false;
        } else {
          if (open.empty() || open.back() != c) return false;
          open.pop_back();
        }
      }
      return open.empty();
    });
}

/// The words of one kind of bracket that the grammar grows, as the source does it: with probabilities p and q, thrown
/// away when they come out too long or too deep.
struct Grown {
  double p, q;
  std::size_t longest;
  Rng rng;
  bool grow(std::string& word) {
    if (word.size() > longest) return false;
    const double u = rng.uniform();
    if (u < p) {
      word += '(';
      if (!grow(word)) return false;
      word += ')';
      return true;
    }
    return u >= p + q || (grow(word) && grow(word));
  }
};

std::size_t depth_of(const std::string& word) {
  std::size_t open = 0, depth = 0;
  for (const char c : word) depth = std::max(depth, open += c == '(' ? 1 : -1);
  return depth;
}

// Both ways to draw words of three pairs agree, with and without a bound on the depth.
TEST(Dyck, FollowsTheGrammarGivenTheLength) {
  for (const std::size_t depth : {0, 2}) {
    std::map<std::string, double> grown, drawn;
    Grown grammar{0.4, 0.3, 6, Rng(5)};
    double count = 0;
    while (count < 20000) {
      std::string word;
      if (!grammar.grow(word) || word.size() != 6 || (depth && depth_of(word) > depth)) continue;
      ++grown[word], ++count;
    }
    const auto task =
        dense_task("dyck", {{"pairs", "1"}, {"depth", std::to_string(depth)}, {"p", "0.4"}, {"q", "0.3"}});
    for (std::size_t i = 0; i < 20000; ++i) ++drawn[joined(words(*task, task->sample(6, Rng(i)).string))];
    EXPECT_EQ(drawn.size(), depth ? 4u : 5u);
    for (const auto& [word, number] : drawn) EXPECT_NEAR(number, grown[word], 5 * std::sqrt(2 * number)) << word;
  }
}

TEST(Dyck, StaysInItsDepth) {
  const auto task = dense_task("dyck", {{"pairs", "1"}, {"depth", "4"}});
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < 50; ++i)
    deepest = std::max(deepest, depth_of(joined(words(*task, task->sample(400, Rng(i)).string))));
  EXPECT_EQ(deepest, 4u);
}

// Flat words are a 1e-370th of the grammar's at this length.
TEST(Dyck, DrawsWhatIsRare) {
  const auto task = dense_task("dyck", {{"pairs", "1"}, {"depth", "1"}});
  std::string flat;
  for (std::size_t i = 0; i < 500; ++i) flat += "()";
  EXPECT_EQ(joined(words(*task, task->sample(1000, Rng(1)).string)), flat);
}

TEST(Dyck, HasItsChance) {
  for (const char* depth : {"0", "1", "2"})
    for (const std::size_t n : {2, 4, 20}) expect_chance_of_sets(*task_with("dyck", {{"depth", depth}}), n);
}

TEST(Dyck, RefusesWhatHasNoWords) {
  expect_input_error([] { task_with("dyck")->check_length(7); }, {"dyck", "length 7", "2..50:2"});
  const auto nested = task_with("dyck", {{"q", "0"}, {"depth", "3"}});
  EXPECT_NO_THROW(nested->check_length(6));
  expect_input_error([&] { nested->check_length(8); }, {"4 pairs", "dyck.depth = 3", "up to 6"});
  expect_input_error([] { task_with("dyck", {{"p", "0.6"}, {"q", "0.4"}}); }, {"0.6", "0.4", "below 1"});
  expect_input_error([] { task_with("dyck", {{"pairs", "30"}}); }, {"pairs", "30", "29"});
}

}  // namespace
}  // namespace lengthwise
