// Regular languages in which transformers and recurrent networks were compared:
//
//     aa        (aa)*            abcde     aa*bb*cc*dd*ee*
//     aaaa      (aaaa)*          ab_d_bc   {a,b}*d{b,c}*
//     abab      (abab)*          012_02    {0,1,2}*02*
//
// The right column is star-free; the left one counts modulo 2, 4 and 4. D_m of the same source, D_m = (a D_{m-1} b)*,
// is the task dyck with pairs = 1 and depth = m.
//
// Source   Bhattamishra et al. 2020 (arXiv:2009.11264).
// n        symbols. Words of length n are drawn uniformly. The left column has one word a length, of even lengths or of
//          multiples of 4; abcde starts at 5.
// Options  language (ab_d_bc).
// Chance   one over the number of different sets in words of length n.
#include "experiments/tasks/language.h"

namespace lengthwise {
namespace {

using std::string;
constexpr int no = Automaton::no;

const std::map<string, Automaton> languages{
    {"aa", {"a", {{1}, {0}}, {0}, [](const string& x) { return x.size() % 2 ? "a" : "a$"; }}},
    {"aaaa", {"a", {{1}, {2}, {3}, {0}}, {0}, [](const string& x) { return x.size() % 4 ? "a" : "a$"; }}},
    {"abab",
     {"ab",
      {{1, no}, {no, 2}, {3, no}, {no, 0}},
      {0},
      [](const string& x) { return x.size() % 4 == 0 ? "a$"
                                   : x.back() == 'a' ? "b"
                                                     : "a"; }}},
    {"abcde",
     {"abcde",
      {{1, no, no, no, no},
       {1, 2, no, no, no},
       {no, 2, 3, no, no},
       {no, no, 3, 4, no},
       {no, no, no, 4, 5},
       {no, no, no, no, 5}},
      {5},
      [](const string& x) {
        return x.back() == 'e' ? "e$" : string{x.back(), static_cast<char>(x.back() + 1)};
      }}},
    {"ab_d_bc",
     {"abcd",
      {{0, 0, no, 1}, {no, 1, 1, no}},
      {1},
      [](const string& x) { return x.find('d') == string::npos ? "abd" : "bc$"; }}},
    {"012_02",
     {"012",
      {{1, 0, 0}, {1, 0, 1}},
      {1},
      [](const string& x) {
        const auto last = x.find_last_not_of('2');
        return last != string::npos && x[last] == '0' ? "012$" : "012";
      }}},
};

class Regular final : public AutomatonTask {
 public:
  Regular(const Options& options, Layout layout) : AutomatonTask(layout, languages.at(options.text("language"))) {}
};

const bool registered = register_task<Regular>({
    .section = {"regular",
                "Which symbols can follow in a regular language.",
                {choice("language", "ab_d_bc", {"aa", "aaaa", "abab", "abcde", "ab_d_bc", "012_02"})
                     .says("aa: (aa)*; aaaa: (aaaa)*; abab: (abab)*; abcde: aa*bb*cc*dd*ee*; ab_d_bc: "
                           "{a,b}*d{b,c}*; 012_02: {0,1,2}*02*")}},
    .length = "symbols",
    .source = "Bhattamishra et al. 2020 (arXiv:2009.11264)",
    .definition = "1: x is a uniform word of length n; the label of a position is the set of symbols that can follow",
});

}  // namespace
}  // namespace lengthwise
