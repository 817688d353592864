// What every encoding must satisfy, checked on one attention layer in double: the tests run it on all registered names.
#pragma once

#include <string>
#include <vector>

#include "encodings/registry.h"

namespace lengthwise {

struct ContractCheck {
  std::string what;  // "gradients", "causality", ...
  bool passed = false;
  std::string detail;  // the worst figure and where, or why the combination was refused
};

struct ContractCase {
  std::string encoding, scheme = "sequential";
  bool causal = true;
  Options options;  // of the encoding
};

/// Every scheme, causal and bidirectional, with the default options; under sequential positions also with each choice
/// and flag at another value. Combinations that are refused when a config is read are left out.
std::vector<ContractCase> contract_cases(const std::string& encoding);

/// "rope (layout = interleaved), interpolated, causal"
std::string describe(const ContractCase& contract);

/// Runs, on ragged sequences of lengths that no tile divides, with parameters moved off their initial values:
///   gradients        of x and every parameter against central differences in double
///   reached          every parameter of the encoding gets a gradient (sequential positions)
///   tiles            any tile size gives the same result, to rounding, and so does a last token that asks alone
///   threads          any thread count gives the same bits
///   float            within 1e-4 of double
///   causality        a changed token leaves earlier outputs alone, bit for bit (causal only)
///   alone            a sequence alone gives the same bits as among others
///   shift            attention unchanged when all ids move by the same amount, where declared; changed where not
///   lengths          finite outputs and gradients at 1, 2, L, L + 1 and 4 L tokens, or the declared refusal past L
std::vector<ContractCheck> check_contract(const ContractCase& contract);

}  // namespace lengthwise
