// A scratch-pad: the steps of a computation, written before its answer.
//
// Source  the unified format of Kazemnejad et al. 2023 (arXiv:2305.19466). A step is
//
//             >> input :: computation == output [ variables ] => remaining input #
//
//         where each of the five parts is a switch and goes with its markers; ANSWER ends the pad. What a part holds
//         is the task's to say.
// Scores  The pad is trained on, and an exact match asks for it as for the answer: from one teacher-forced pass, that
//         is what a model that writes everything itself would get right. Token accuracy and loss are of the answer
//         alone, given the right pad. Example::pad tells the two apart in what is scored, pad_tokens() in any output.
#pragma once

#include <algorithm>
#include <string_view>

#include "experiments/tasks/symbols.h"

namespace lengthwise {

inline OptionSpec scratchpad_option() {
  return text("scratchpad", "none")
      .says(
          "parts of the steps written before the answer: letters of icovr (input, computation, output, variables, "
          "remaining input), or none");
}

/// A task whose answer may follow a scratch-pad; needs scratchpad_option().
class ScratchpadTask : public WordTask {
 public:
  struct Step {
    std::vector<int> input, computation, output, variables, remaining;
  };

  /// `pad_words`: what only the steps use; they follow the alphabet where there is a pad.
  ScratchpadTask(const Options& options, Layout layout, std::vector<std::string> alphabet, const std::string& pad_words)
      : WordTask(layout, with_pad(alphabet, pad_words, options)),
        parts_(has_pad(options) ? options.text("scratchpad") : ""),
        pad_words_(first_symbol + static_cast<int>(alphabet.size())) {
    const std::string_view order = "icovr";
    std::size_t next = 0;  // in `order`: each letter is looked for behind the one before
    for (const char part : parts_) {
      next = order.find(part, next);
      require(next++ != order.npos, options.section(), ".scratchpad is '", parts_,
              "'; it is none, or one or more letters of icovr in this order.");
    }
    require(parts_.empty() || layout == Layout::causal, options.section(),
            ".scratchpad: an encoder fills its answer in at once and has no use for a scratch-pad. Set it to none, or "
            "model.attention = causal.");
  }

  Sample sample(std::size_t n, Rng rng) const final {
    Sample sample = ask(n, rng);
    if (parts_.empty()) return sample;
    const std::vector<int> pad = written(steps(sample.prompt));
    for (auto& [channel, ids] : sample.ids) ids.insert(ids.end() - std::ssize(sample.target), pad.size(), 0.0);
    sample.target.insert(sample.target.begin(), pad.begin(), pad.end());
    return sample;
  }
  /// All up to ANSWER.
  std::size_t pad_tokens(const std::vector<int>& target) const final {
    if (parts_.empty()) return 0;
    const auto answer = std::ranges::find(target, vocabulary() - 1);
    return static_cast<std::size_t>(answer - target.begin()) + (answer != target.end());
  }
  std::size_t target_tokens(std::size_t n) const final {
    return answer_tokens(n) + (parts_.empty() ? 0 : written(steps(longest_prompt(n))).size());
  }

 protected:
  /// Prompt and answer alone.
  virtual Sample ask(std::size_t n, Rng rng) const = 0;
  virtual std::size_t answer_tokens(std::size_t n) const = 0;
  virtual std::vector<Step> steps(const std::vector<int>& prompt) const = 0;
  /// A prompt of length n that takes the longest pad.
  virtual std::vector<int> longest_prompt(std::size_t n) const = 0;
  /// The token of the i-th of pad_words.
  int pad_word(int i) const { return pad_words_ + i; }

 private:
  static bool has_pad(const Options& options) { return options.text("scratchpad") != "none"; }
  static std::vector<std::string> with_pad(std::vector<std::string> alphabet, const std::string& pad_words,
                                           const Options& options) {
    if (has_pad(options))
      for (std::string& word : split_words(pad_words + " >> :: == [ ] => # ANSWER"))
        alphabet.push_back(std::move(word));
    return alphabet;
  }

  std::vector<int> written(const std::vector<Step>& steps) const {
    const int answer = vocabulary() - 1, end_of_step = answer - 1, rest = answer - 2, close = answer - 3,
              open = answer - 4, result = answer - 5, by = answer - 6, of = answer - 7;
    std::vector<int> pad;
    const auto write = [&](char part, int marker, const std::vector<int>& tokens) {
      if (parts_.find(part) == parts_.npos) return;
      pad.push_back(marker);
      pad.insert(pad.end(), tokens.begin(), tokens.end());
      if (marker == open) pad.push_back(close);
    };
    for (const Step& step : steps) {
      write('i', of, step.input);
      write('c', by, step.computation);
      write('o', result, step.output);
      write('v', open, step.variables);
      write('r', rest, step.remaining);
      pad.push_back(end_of_step);
    }
    pad.push_back(answer);
    return pad;
  }

  std::string parts_;
  int pad_words_;
};

}  // namespace lengthwise
