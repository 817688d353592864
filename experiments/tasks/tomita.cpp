// Tomita's seven regular languages over 0 and 1:
//
//     1   1*                                        5   an even number of 0s and an even number of 1s
//     2   (10)*                                     6   #0 - #1 divisible by 3
//     3   no run of 1s of odd length is             7   0*1*0*1*
//         followed by a run of 0s of odd length
//     4   no 000
//
// Source   Tomita 1982, "Dynamic construction of finite automata from examples using hill-climbing". As sets of next
//          symbols: Bhattamishra et al. 2020 (arXiv:2009.11264).
// n        symbols. Words of length n are drawn uniformly. Languages 1 and 2 have one word a length, 2 and 5 none of
// odd
//          length.
// Options  grammar (1 .. 7; 4).
// Chance   one over the number of different sets in words of length n.
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

using std::string;
constexpr int no = Automaton::no;

std::size_t count(const string& word, char symbol) {
  return static_cast<std::size_t>(std::count(word.begin(), word.end(), symbol));
}

// The lengths of the runs of equal symbols at the end: of the last one, and of the one before it.
std::pair<std::size_t, std::size_t> last_runs(const string& word) {
  const auto run = [&](std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && word[begin - 1] == word[end - 1]) --begin;
    return end - begin;
  };
  const std::size_t last = run(word.size());
  return {last, run(word.size() - last)};
}

const Automaton grammars[] = {
    {"01", {{no, 0}}, {0}, [](const string&) { return "1$"; }},
    {"01", {{no, 1}, {0, no}}, {0}, [](const string& x) { return x.size() % 2 ? "0" : "1$"; }},
    {"01",
     {{0, 1}, {2, 0}, {3, no}, {2, 1}},
     {0, 1, 3},
     [](const string& x) {
       const auto [last, before] = last_runs(x);
       return x.back() == '0' && last % 2 && before % 2 ? "0" : "01$";
     }},
    {"01", {{1, 0}, {2, 0}, {no, 0}}, {0, 1, 2}, [](const string& x) { return x.ends_with("00") ? "1$" : "01$"; }},
    {"01",
     {{1, 2}, {0, 3}, {3, 0}, {2, 1}},
     {0},
     [](const string& x) { return count(x, '0') % 2 || count(x, '1') % 2 ? "01" : "01$"; }},
    {"01",
     {{1, 2}, {2, 0}, {0, 1}},
     {0},
     [](const string& x) { return (count(x, '0') + 2 * count(x, '1')) % 3 ? "01" : "01$"; }},
    {"01",
     {{0, 1}, {2, 1}, {2, 3}, {no, 3}},
     {0, 1, 2, 3},
     [](const string& x) { return x.find("01", x.find("10")) == string::npos ? "01$" : "1$"; }},
};

class Tomita final : public AutomatonTask {
 public:
  Tomita(const Options& options, Layout layout) : AutomatonTask(layout, grammars[options.count("grammar") - 1]) {}
};

const bool registered = register_task<Tomita>({
    .section = {"tomita",
                "Which of 0 and 1 can follow in one of Tomita's seven regular languages.",
                {integer("grammar", 4)
                     .at_least(1)
                     .at_most(7)
                     .says("1: 1*; 2: (10)*; 3: no odd run of 0s right after an odd run of 1s; 4: no 000; 5: even "
                           "numbers of both; 6: 0s minus 1s divisible by 3; 7: 0*1*0*1*")}},
    .length = "symbols",
    .source = "Tomita 1982; Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .definition = "1: x is a uniform word of length n; the label of a position is the set of symbols that can follow",
});

}  // namespace
}  // namespace lengthwise
