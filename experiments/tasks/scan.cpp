// SCAN:  jump left twice -> LTURN JUMP LTURN JUMP, commands for actions. The whole grammar is enumerated: 20,910 pairs.
//
// Source   Lake and Baroni 2018 (arXiv:1711.00350); the split at 25 actions: Kazemnejad et al. 2023 (arXiv:2305.19466).
//
//              command   phrase | phrase and phrase | phrase after phrase
//              phrase    motion | motion twice | motion thrice
//              motion    verb | V way | V opposite way | V around way      V: verb or turn; way: left or right
//
// n        actions, where there are such commands: at most 48. A command is uniform over those of n actions.
// Options  split: shares (streams share the commands of each length, as other tasks do);
//          orig (trained on at most 22 actions, 16,990 commands, tested on the other 3,920);
//          mcgill (at most 25, 17,774; 3,136). Under the last two a length belongs to one side, and validation, which
//          they have none for, draws from the training side.
// Chance   1/6.
// Deviates the original draws from all training commands alike; here train.lengths says how often a length is drawn.
#include <algorithm>

#include "experiments/tasks/symbols.h"

namespace lengthwise {
namespace {

enum Word : int {
  walk = first_symbol,
  look,
  run,
  jump,
  turn,
  left,
  right,
  opposite,
  around,
  twice,
  thrice,
  conjunction,
  after,
  WALK,
  LOOK,
  RUN,
  JUMP,
  LTURN,
  RTURN
};
constexpr int action_words = 6;

using Words = std::vector<int>;

void append(Words& words, const Words& more, std::size_t times = 1) {
  for (std::size_t i = 0; i < times; ++i) words.insert(words.end(), more.begin(), more.end());
}

struct Phrase {
  Words command, actions;
};

std::vector<Phrase> motions() {
  std::vector<Phrase> motions;
  for (const int verb : {walk, look, run, jump}) motions.push_back({{verb}, {verb - walk + WALK}});
  for (const int verb : {walk, look, run, jump, turn})
    for (const int way : {left, right}) {
      const int turned = way == left ? LTURN : RTURN;
      Words once{turned}, back{turned, turned}, round;
      if (verb != turn) once.push_back(verb - walk + WALK), back.push_back(verb - walk + WALK);
      append(round, once, 4);
      motions.push_back({{verb, way}, std::move(once)});
      motions.push_back({{verb, opposite, way}, std::move(back)});
      motions.push_back({{verb, around, way}, std::move(round)});
    }
  return motions;
}

std::vector<Phrase> phrases() {
  std::vector<Phrase> phrases;
  for (const Phrase& motion : motions())
    for (const auto& [word, times] :
         {std::pair<int, int>{0, 1}, std::pair<int, int>{twice, 2}, std::pair<int, int>{thrice, 3}}) {
      Phrase phrase{motion.command, {}};
      if (word) phrase.command.push_back(word);
      append(phrase.actions, motion.actions, static_cast<std::size_t>(times));
      phrases.push_back(std::move(phrase));
    }
  return phrases;
}

/// The commands of each number of actions.
const std::map<std::size_t, std::vector<Phrase>>& commands() {
  static const auto all = [] {
    std::map<std::size_t, std::vector<Phrase>> by_length;
    const auto add = [&](Phrase phrase) { by_length[phrase.actions.size()].push_back(std::move(phrase)); };
    const std::vector<Phrase> parts = phrases();
    for (const Phrase& first : parts) {
      add(first);
      for (const Phrase& second : parts)
        for (const int link : {conjunction, after}) {
          Phrase both{first.command, link == conjunction ? first.actions : second.actions};
          both.command.push_back(link);
          append(both.command, second.command);
          append(both.actions, link == conjunction ? second.actions : first.actions);
          add(std::move(both));
        }
    }
    return by_length;
  }();
  return all;
}

class Scan final : public WordTask {
 public:
  Scan(const Options& options, Layout layout)
      : WordTask(layout, split_words("walk look run jump turn left right opposite around twice thrice and after "
                                     "WALK LOOK RUN JUMP LTURN RTURN")),
        split_(options.text("split")),
        longest_trained_(split_ == "orig"     ? 22
                         : split_ == "mcgill" ? 25
                                              : 0) {}

  void check_length(std::size_t n) const override {
    if (commands().contains(n)) return;
    std::string lengths;
    for (const auto& [length, all] : commands()) lengths += (lengths.empty() ? "" : ",") + std::to_string(length);
    throw InputError(join("scan: no command has ", n, " actions. Lengths are ", lengths,
                          "; list those you want, with train.length_law = list."));
  }
  void check_supply(Stream stream, std::size_t n, std::size_t) const override {
    if (longest_trained_ == 0) return;
    const bool evaluated = stream == Stream::evaluation;
    require(evaluated == (n > longest_trained_), "scan.split = ", split_, ": commands of ", n, " actions are for ",
            evaluated ? "training" : "evaluation", "; ", evaluated ? "evaluate" : "train", " on ",
            evaluated ? "more than " : "at most ", longest_trained_, ", or set scan.split = shares.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const std::vector<Phrase>& all = commands().at(n);
    const Phrase& drawn = all[rng.below(all.size())];
    return {.prompt = drawn.command, .target = drawn.actions, .ids = {}};
  }
  /// Worked out from what the words mean, whatever their order in a phrase.
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    const auto link = std::ranges::find_if(prompt, [](int word) { return word == conjunction || word == after; });
    if (link == prompt.end()) return done(prompt);
    Words first = done({prompt.begin(), link}), second = done({link + 1, prompt.end()});
    if (*link == after) std::swap(first, second);
    append(first, second);
    return first;
  }

  std::size_t prompt_tokens(std::size_t n) const override {
    const auto size = [](const Phrase& phrase) { return phrase.command.size(); };
    return size(std::ranges::max(commands().at(n), {}, size));
  }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 1.0 / action_words; }
  /// Under a split by length there are no shares.
  std::optional<double> space(std::size_t n) const override {
    if (longest_trained_ > 0) return {};
    return static_cast<double>(commands().at(n).size());
  }

 private:
  static Words done(Words phrase) {
    const auto said = [&](int word) { return std::ranges::find(phrase, word) != phrase.end(); };
    Words act, turned, result;
    if (phrase[0] != turn) act.push_back(phrase[0] - walk + WALK);
    if (said(left)) turned.push_back(LTURN);
    if (said(right)) turned.push_back(RTURN);
    if (said(opposite)) append(turned, {turned[0]});
    append(turned, act);
    append(result, turned, (said(around) ? 4 : 1) * (said(thrice) ? 3 : said(twice) ? 2 : 1));
    return result;
  }

  std::string split_;
  std::size_t longest_trained_;  // 0: the streams share every length
};

const bool registered = register_task<Scan>({
    .section =
        {"scan",
         "Translate navigation commands into actions.",
         {choice("split", "shares", {"shares", "orig", "mcgill"})
              .says("shares: the streams share each length's commands; orig: trained on at most 22 actions, tested "
                    "on more; mcgill: on at most 25")}},
    .length = "actions",
    .source = "Lake and Baroni 2018 (arXiv:1711.00350); split=mcgill: Kazemnejad et al. 2023 (arXiv:2305.19466)",
    .definition =
        "1: p is a uniform command of n actions, y its actions; split: by shares of each length, or by length at "
        "22 or 25",
});

}  // namespace
}  // namespace lengthwise
