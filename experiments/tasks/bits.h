// Whole numbers in binary digits, and the tasks that combine two of them.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>

#include "experiments/tasks/compat.h"

namespace lengthwise {

using BigInteger = boost::multiprecision::cpp_int;

/// Tokens first_symbol (0) and first_symbol + 1 (1), least significant first.
using Bits = std::vector<int>;

/// n bits of a number that is uniform on 1 .. 2^n - 1.
inline Bits positive_bits(std::size_t n, Rng& rng) {
  Bits bits;
  do bits = independent_symbols(n, 2, rng);
  while (std::ranges::find(bits, first_symbol + 1) == bits.end());
  return bits;
}

inline BigInteger value_of(const Bits& bits) {
  BigInteger value = 0;
  for (std::size_t i = 0; i < bits.size(); ++i)
    if (bits[i] > first_symbol) bit_set(value, static_cast<unsigned>(i));
  return value;
}

/// As few bits as hold the value, which must be positive.
inline Bits bits_of(const BigInteger& value) {
  Bits bits(msb(value) + 1);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = first_symbol + bit_test(value, static_cast<unsigned>(i));
  return bits;
}

/// `a sign b -> result END`, all least significant bit first, as Delétang et al. 2022 (arXiv:2207.02098) define
/// addition and multiplication. n counts tokens, from 3 on: a has 1 .. n-2 bits, b the rest; both are uniform over the
/// positive numbers that fit, filled with zeros. The result is at most n - 1 bits long and is not filled. Ids are those
/// of DigitTask (digits.h), END having the coupled one of the bit that would follow.
/// With compat = peer, n starts at 1: below 3 the prompt is one number, uniform on 0 .. 2^n - 2, and alone() answers.
class BinaryOperation : public WordTask {
 public:
  BinaryOperation(const char* sign_word, const Options& options, Layout layout)
      : WordTask(layout, {"0", "1", "END", sign_word}), peer_(as_peer(options)) {}

  void check_length(std::size_t n) const final {
    require_length(name(), n, shortest, "two bits and the sign between them", peer_);
  }

  Sample sample(std::size_t n, Rng rng) const final {
    if (n < shortest) {
      const std::uint64_t number = rng.below((std::uint64_t{1} << n) - 1);
      Bits bits;
      for (std::size_t i = 0; i < n; ++i) bits.push_back(first_symbol + static_cast<int>(number >> i & 1));
      const Bits answer = solve(bits);
      return {.prompt = bits, .target = answer, .ids = ids_of(n, 0, answer.size() - 1)};
    }
    const std::size_t a_bits = 1 + rng.below(n - 2), b_bits = n - 1 - a_bits;
    Bits a = positive_bits(a_bits, rng), b = positive_bits(b_bits, rng), result = combine(a, b);
    while (result.back() == first_symbol) result.pop_back();
    std::map<std::string, std::vector<double>> ids = ids_of(a_bits, b_bits, result.size());
    result.push_back(end);
    a.push_back(sign);
    a.insert(a.end(), b.begin(), b.end());
    return {.prompt = std::move(a), .target = std::move(result), .ids = std::move(ids)};
  }
  std::vector<int> solve(const std::vector<int>& prompt) const final {
    const auto middle = std::ranges::find(prompt, sign);
    Bits answer = middle == prompt.end()
                      ? alone(prompt)
                      : bits_of(result(value_of({prompt.begin(), middle}), value_of({middle + 1, prompt.end()})));
    answer.push_back(end);
    return answer;
  }

  std::size_t prompt_tokens(std::size_t n) const final { return n; }
  std::size_t target_tokens(std::size_t n) const override { return n; }
  /// 0, 1 or END.
  double chance(std::size_t) const final { return 1.0 / 3; }
  std::optional<double> space(std::size_t n) const final {
    if (n < shortest) return std::pow(2.0, n) - 1;
    double pairs = 0;
    for (std::size_t a = 1; a + 2 <= n; ++a) pairs += (std::pow(2.0, a) - 1) * (std::pow(2.0, n - 1 - a) - 1);
    return pairs;
  }

 protected:
  static constexpr std::size_t shortest = 3;

 private:
  static constexpr int end = first_symbol + 2, sign = first_symbol + 3;

  /// The bits of the result, worked out bit by bit; zeros may follow.
  virtual Bits combine(const Bits& a, const Bits& b) const = 0;
  virtual BigInteger result(const BigInteger& a, const BigInteger& b) const = 0;
  /// What is said to a number without a second one.
  virtual Bits alone(const Bits& number) const = 0;

  bool peer_;

  // Without bits of b there is no sign either.
  static std::map<std::string, std::vector<double>> ids_of(std::size_t a_bits, std::size_t b_bits, std::size_t bits) {
    std::vector<double> digit, coupled, operand;
    const auto push = [&](double place, double shared, double owner) {
      digit.push_back(place);
      coupled.push_back(shared);
      operand.push_back(owner);
    };
    const auto number = [&](std::size_t count, double owner) {
      for (std::size_t place = 1; place <= count; ++place)
        push(static_cast<double>(place), static_cast<double>(place + 1), owner);
    };
    const double last = b_bits > 0 ? 2 : 1;
    number(a_bits, 1);
    if (b_bits > 0) push(0, 1, last);  // the sign
    number(b_bits, last);
    push(0, 1, last);  // SEP
    number(bits, last);
    push(0, static_cast<double>(bits + 2), last);  // END
    return {{"digit", std::move(digit)}, {"coupled", std::move(coupled)}, {"operand", std::move(operand)}};
  }
};

}  // namespace lengthwise
