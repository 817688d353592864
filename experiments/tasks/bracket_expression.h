// Bracketed expressions modulo a number:  ((-2) + (3 - 4)), as mod_arith_brackets and solve_eq ask for them.
//
// Source   Delétang et al. 2022 (arXiv:2207.02098) and its public code: of length 1 `d`, 2 `-d`, 3 `(d)`, 4 `(-d)`;
//          from 5 on `(A op B)` with |A| uniform on 1 .. n-4 and |B| = n-3-|A|.
#pragma once

#include <span>

#include "experiments/tasks/symbols.h"

namespace lengthwise {

class BracketExpressions {
 public:
  /// With products (+ - *) or without (+ -). Tokens: the digits below the modulus, then + - ( ) *, in this order.
  BracketExpressions(int modulus, bool products) : modulus_(modulus), operators_(products ? 3 : 2) {}

  bool is_digit(int token) const { return token < plus(); }

  /// Appends a random expression of n >= 1 tokens. Returns its value, 0 .. modulus-1.
  int append(std::size_t n, Rng& rng, std::vector<int>& tokens) const {
    if (n <= 4) {
      const bool negative = n % 2 == 0, brackets = n > 2;
      const int digit = static_cast<int>(rng.below(static_cast<std::uint64_t>(modulus_)));
      if (brackets) tokens.push_back(open());
      if (negative) tokens.push_back(minus());
      tokens.push_back(first_symbol + digit);
      if (brackets) tokens.push_back(close());
      return residue(negative ? -digit : digit);
    }
    const std::size_t left = 1 + rng.below(n - 4);
    const int sign = operator_token(rng.below(operators_));
    tokens.push_back(open());
    const int a = append(left, rng, tokens);
    tokens.push_back(sign);
    const int b = append(n - 3 - left, rng, tokens);
    tokens.push_back(close());
    return apply(a, sign, b);
  }

  /// The value of an expression as the rules of arithmetic read it, whatever generated it.
  int value(std::span<const int> expression) const { return sum(expression); }

  struct Counts {
    double expressions = 0, digits = 0;  // how many there are of one length, and how many digits all of them have
  };
  /// Infinite where a double cannot hold it. A string has one derivation, so that counting derivations will do.
  Counts count(std::size_t n) const {
    std::vector<Counts> counts(n + 1);
    for (std::size_t length = 1; length <= n; ++length) {
      Counts& here = counts[length];
      if (length <= 4) here = {static_cast<double>(modulus_), static_cast<double>(modulus_)};
      for (std::size_t left = 1; left + 4 <= length; ++left) {
        const Counts &a = counts[left], &b = counts[length - 3 - left];
        here.expressions += static_cast<double>(operators_) * a.expressions * b.expressions;
        here.digits += static_cast<double>(operators_) * (a.digits * b.expressions + a.expressions * b.digits);
      }
    }
    return counts[n];
  }

 private:
  int plus() const { return first_symbol + modulus_; }
  int minus() const { return plus() + 1; }
  int open() const { return plus() + 2; }
  int close() const { return plus() + 3; }
  int times() const { return plus() + 4; }
  int operator_token(std::uint64_t kind) const { return kind == 0 ? plus() : kind == 1 ? minus() : times(); }
  int residue(int x) const { return (x % modulus_ + modulus_) % modulus_; }
  int apply(int a, int sign, int b) const { return residue(sign == plus() ? a + b : sign == minus() ? a - b : a * b); }

  // Both take what they read off the front of `rest`.
  int sum(std::span<const int>& rest) const {  // factor | factor op factor
    const int a = factor(rest);
    if (rest.empty() || rest[0] == close()) return a;
    const int sign = take(rest);
    return apply(a, sign, factor(rest));
  }
  int factor(std::span<const int>& rest) const {  // digit | - factor | ( sum )
    const int token = take(rest);
    if (token == minus()) return residue(-factor(rest));
    if (is_digit(token)) return token - first_symbol;
    const int inside = sum(rest);
    take(rest);  // the closing bracket
    return inside;
  }
  static int take(std::span<const int>& rest) {
    const int token = rest[0];
    rest = rest.subspan(1);
    return token;
  }

  int modulus_;
  std::uint64_t operators_;
};

}  // namespace lengthwise
