// Numbers written digit by digit, as the arithmetic tasks use them.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// Least significant first. Zeros on the significant side are written like any digit.
using Digits = std::vector<int>;

/// `count` uniform digits, the leading one not 0; a number of one digit may be 0 where `zero` says so.
inline Digits random_number(std::size_t count, int base, Rng& rng, bool zero = true) {
  Digits digits(count);
  for (int& digit : digits) digit = static_cast<int>(rng.below(static_cast<std::uint64_t>(base)));
  if (count > 1 || !zero) digits.back() = static_cast<int>(rng.between(1, base - 1));
  return digits;
}

/// Digits of two numbers: uniform over the 2n - 1 pairs whose larger is n.
inline std::pair<std::size_t, std::size_t> digit_counts(std::size_t n, Rng& rng) {
  const std::size_t pair = rng.below(2 * n - 1);
  return pair < n ? std::pair{n, pair + 1} : std::pair{pair - n + 1, n};
}

/// a + b base^shift, column by column.
inline Digits add(const Digits& a, const Digits& b, int base, std::size_t shift = 0) {
  Digits sum;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size() + shift); ++i) {
    carry += (i < a.size() ? a[i] : 0) + (i >= shift && i - shift < b.size() ? b[i - shift] : 0);
    sum.push_back(carry % base);
    carry /= base;
  }
  if (carry) sum.push_back(carry);
  return sum;
}

/// The same number in at least `width` digits.
inline Digits padded(Digits number, std::size_t width) {
  number.resize(std::max(number.size(), width));
  return number;
}

/// How many digits the operands of a task have at length n.
enum class Sampling {
  uniform_digits,     // uniform over all counts of which the largest is n
  bucket_grid,        // each uniform on 1 .. n, and no operand 0
  partially_uniform,  // the first operand n, the others uniform on 1 .. n
  exact,              // n each
};

inline OptionSpec sampling_option() {
  return choice("sampling", "uniform_digits", {"uniform_digits", "bucket_grid", "partially_uniform", "exact"})
      .says(
          "digit counts; uniform_digits: uniform over those whose largest is n; exact: n each; partially_uniform: n "
          "for the first, 1 .. n for the others; bucket_grid: 1 .. n each, and no operand 0");
}

inline Sampling sampling(const Options& options) {
  const std::string& law = options.text("sampling");
  return law == "bucket_grid"         ? Sampling::bucket_grid
         : law == "partially_uniform" ? Sampling::partially_uniform
         : law == "exact"             ? Sampling::exact
                                      : Sampling::uniform_digits;
}

/// How many numbers have n digits. 0 has one digit, where `zero` counts it.
inline double numbers(std::size_t n, int base, bool zero = true) {
  return n == 1 ? base - !zero : (base - 1) * std::pow(base, n - 1);
}

/// How many tuples of `operands` numbers there are at length n. 0 has one digit.
inline double number_tuples(std::size_t n, std::size_t operands, int base, Sampling law) {
  const double up_to = std::pow(base, n), shorter = n == 1 ? 0 : 1. / base;  // a share of up_to
  const auto k = static_cast<double>(operands);
  switch (law) {
    case Sampling::uniform_digits:
      return std::pow(up_to, k) * (1 - std::pow(shorter, k));
    case Sampling::bucket_grid:
      return std::pow(up_to - 1, k);
    case Sampling::partially_uniform:
      return numbers(n, base) * std::pow(up_to, k - 1);
    case Sampling::exact:
      return std::pow(numbers(n, base), k);
  }
  return {};
}

/// 0 .. 9, a .. z.
inline std::string digit_name(int digit) { return std::string(1, "0123456789abcdefghijklmnopqrstuvwxyz"[digit]); }

/// How a task writes its numbers.
struct Writing {
  std::string signs;  // the characters beside digits
  int base = 10;
  bool reverse_prompt = false, reverse_answer = false;  // least significant digit first
  double space_p = 0;                                   // probability of a blank before a token of the prompt
  std::size_t hints = 0;                                // size of the hints' alphabet
};

/// Options that every DigitTask has, and those of its own.
inline std::vector<OptionSpec> digit_options(std::vector<OptionSpec> own) {
  own.push_back(integer("base", 10).at_least(2).at_most(36).says("numbers are written in this base"));
  own.push_back(
      choice("order", "plain", {"plain", "rev_out", "rev_all"})
          .says("digit order; plain: most significant first; rev_out: the answer reversed; rev_all: operands too"));
  own.push_back(real("space_p", 0).at_least(0).below(1).says("probability of a blank before each token of the prompt"));
  own.push_back(integer("hints", 0)
                    .at_most(1 << 20)
                    .says("a hint before each digit that tells its place, of a random run of this many hint symbols; "
                          "0: no hints"));
  return own;
}

inline Writing writing(const Options& options, std::string signs) {
  return {.signs = std::move(signs),
          .base = static_cast<int>(options.integer("base")),
          .reverse_prompt = options.text("order") == "rev_all",
          .reverse_answer = options.text("order") != "plain",
          .space_p = options.real("space_p"),
          .hints = options.count("hints")};
}

/// Prompt and answer are numbers with signs between them. Their tokens have ids in these channels:
///
///     digit     the place of a digit, 1 for units, 2 for tens ...; 0 for any other token
///     coupled   its place + 1, so that digits of equal significance share an id (Cho et al. 2024, arXiv:2405.20671);
///               signs and SEP 1; blanks and BOS 0
///     operand   which number of the prompt it belongs to, or the last one that the answer's number takes in; a sign
///               goes with the number after it (Cho et al. 2024, arXiv:2410.15787)
///
/// Hints (Zhou et al. 2023, arXiv:2310.16028): the digit at place i follows hint start + i, the start random and common
/// to all numbers. Blanks (McLeish et al. 2024, arXiv:2405.17399, where they also come in rows and in answers): one at
/// most before each token of the prompt.
class DigitTask : public PromptTask {
 public:
  DigitTask(Layout layout, Writing how) : PromptTask(layout), how_(std::move(how)) {}

  void check_length(std::size_t n) const override {
    PromptTask::check_length(n);
    require(!how_.hints || widest(n) <= how_.hints, name(), ": length ", n, " has numbers of ", widest(n),
            " digits and ", name(), ".hints is ", how_.hints,
            ". Set hints to the digits of the longest number or more, or to 0 for none.");
  }
  std::size_t prompt_tokens(std::size_t n) const final { return tokens(prompt_size(n)) * (how_.space_p > 0 ? 2 : 1); }
  std::size_t target_tokens(std::size_t n) const final { return tokens(answer_size(n)); }
  /// All up to the last = or >.
  std::size_t pad_tokens(const std::vector<int>& target) const final {
    for (std::size_t i = target.size(); i-- > 0;)
      if (const std::string word = symbol(target[i] - first_symbol); word == "=" || word == ">") return i + 1;
    return 0;
  }
  /// solve() with its scratch-pad.
  virtual std::vector<int> solve_by_steps(const std::vector<int>& prompt) const { return solve(prompt); }
  int symbols() const final { return first_hint() - first_symbol + static_cast<int>(how_.hints); }
  std::string symbol(int index) const final {
    const int signs = how_.base, blank = signs + static_cast<int>(how_.signs.size());
    if (index < signs) return digit_name(index);
    if (index < blank) return std::string(1, how_.signs[static_cast<std::size_t>(index - signs)]);
    return index < first_hint() - first_symbol ? "_" : join('#', index - first_hint() + first_symbol);
  }
  /// A guess of the digits alone: the layout of the longest answer tells its signs and hints.
  double chance(std::size_t n) const override {
    const Size size = number_size(n);
    const double guessed = static_cast<double>(size.digits) / static_cast<double>(tokens(size));
    return 1 - guessed + guessed / how_.base;
  }

 protected:
  struct Number {
    Digits digits;
    std::size_t operand = 0;
    char sign = 0;         // in front of it; 0: none
    bool is_list = false;  // its digits are operands 1, 2, ... from the units on, in channel "coupled" without a place
  };
  struct Size {
    std::size_t digits = 0, signs = 0;
  };
  using Integer = boost::multiprecision::cpp_int;

  /// A prompt as the oracle reads it, without its blanks.
  struct Reading {
    std::vector<Integer> values;
    std::vector<std::size_t> digits;  // how many each was written with
    int hint = 0;                     // of the units
  };

  virtual Size prompt_size(std::size_t n) const = 0;  // of the longest prompt of length n
  virtual Size answer_size(std::size_t n) const = 0;
  virtual Size number_size(std::size_t n) const { return answer_size(n); }  // of the answer after a scratch-pad
  virtual std::size_t widest(std::size_t n) const = 0;                      // digits of the longest number

  int base() const { return how_.base; }

  Sample written(const std::vector<Number>& prompt, const std::vector<Number>& answer, const Rng& rng) const {
    std::size_t longest = 0;
    for (const auto* numbers : {&prompt, &answer})
      for (const Number& number : *numbers) longest = std::max(longest, number.digits.size());
    int hint = first_hint();
    if (how_.hints) hint += static_cast<int>(rng.at("hints").below(how_.hints - longest + 1));
    Rows rows = with_blanks(laid_out(prompt, how_.reverse_prompt, hint), rng.at("blanks"));
    Rows answer_rows = laid_out(answer, how_.reverse_answer, hint);

    Sample sample{.prompt = std::move(rows.tokens), .target = std::move(answer_rows.tokens), .ids = {}};
    const std::map<std::string, double> separator{
        {"digit", 0}, {"coupled", 1}, {"operand", static_cast<double>(answer.front().operand)}};
    for (const auto& [channel, id] : separator) {
      std::vector<double>& ids = sample.ids[channel] = std::move(rows.ids[channel]);
      ids.push_back(id);
      ids.insert(ids.end(), answer_rows.ids[channel].begin(), answer_rows.ids[channel].end());
    }
    return sample;
  }

  Reading read(const std::vector<int>& prompt) const {
    const int first_sign = first_symbol + how_.base, blank = first_sign + static_cast<int>(how_.signs.size());
    Reading read;
    Integer value = 0, weight = 1;
    std::size_t digits = 0;
    const auto end_number = [&] {
      read.values.push_back(std::exchange(value, 0));
      read.digits.push_back(std::exchange(digits, 0));
      weight = 1;
    };
    read.hint = *std::max_element(prompt.begin(), prompt.end());
    for (const int token : prompt) {
      if (token >= first_hint()) {
        read.hint = std::min(read.hint, token);
      } else if (token >= first_sign) {
        if (token < blank) end_number();
      } else {
        const int digit = token - first_symbol;
        value = how_.reverse_prompt ? Integer(value + weight * digit) : Integer(value * how_.base + digit);
        weight *= how_.base;
        ++digits;
      }
    }
    end_number();
    return read;
  }

  Digits digits_of(Integer value, std::size_t width = 0) const {
    Digits digits;
    do {
      digits.push_back(static_cast<int>(Integer(value % how_.base)));
      value /= how_.base;
    } while (value > 0);
    return padded(std::move(digits), width);
  }

  std::vector<int> after_pad(const std::vector<int>& target) const {
    return {target.begin() + static_cast<std::ptrdiff_t>(pad_tokens(target)), target.end()};
  }
  std::vector<int> answer_tokens(const std::vector<Number>& answer, const Reading& prompt) const {
    return laid_out(answer, how_.reverse_answer, prompt.hint).tokens;
  }

 private:
  struct Rows {
    std::vector<int> tokens;
    std::map<std::string, std::vector<double>> ids;

    void push(int token, double digit, double coupled, double operand) {
      tokens.push_back(token);
      ids["digit"].push_back(digit);
      ids["coupled"].push_back(coupled);
      ids["operand"].push_back(operand);
    }
  };

  int first_hint() const {
    return first_symbol + how_.base + static_cast<int>(how_.signs.size()) + (how_.space_p > 0 ? 1 : 0);
  }
  std::size_t tokens(const Size& size) const { return size.digits * (how_.hints ? 2 : 1) + size.signs; }

  Rows laid_out(const std::vector<Number>& numbers, bool reversed, int hint) const {
    Rows rows;
    for (const Number& number : numbers) {
      const auto operand = static_cast<double>(number.operand);
      if (number.sign)
        rows.push(first_symbol + how_.base + static_cast<int>(how_.signs.find(number.sign)), 0, 1, operand);
      for (std::size_t i = 0; i < number.digits.size(); ++i) {
        const std::size_t at = reversed ? i : number.digits.size() - 1 - i;
        const auto place = static_cast<double>(at + 1);
        const double coupled = number.is_list ? 0 : place + 1, owner = number.is_list ? place : operand;
        if (how_.hints) rows.push(hint + static_cast<int>(at), place, coupled, owner);
        rows.push(first_symbol + number.digits[at], place, coupled, owner);
      }
    }
    return rows;
  }

  Rows with_blanks(Rows rows, Rng rng) const {
    if (how_.space_p == 0) return rows;
    Rows spaced;
    for (std::size_t i = 0; i < rows.tokens.size(); ++i) {
      if (rng.uniform() < how_.space_p) spaced.push(first_hint() - 1, 0, 0, 0);
      spaced.push(rows.tokens[i], rows.ids["digit"][i], rows.ids["coupled"][i], rows.ids["operand"][i]);
    }
    return spaced;
  }

  Writing how_;
};

}  // namespace lengthwise
