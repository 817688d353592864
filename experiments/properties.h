// What an encoding does, measured instead of declared: on one attention layer, and for the cost on a small model.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "encodings/registry.h"

namespace lengthwise {

/// The model that counts and costs refer to: the defaults of [model], trained on sequences of up to 64 tokens.
ModelShape default_model();

/// Numbers the encoding learns in the default model. Throws InputError when it refuses that model.
std::size_t parameter_count(const std::string& encoding);

/// "embeddings", "queries and keys", "bias", ...: which hooks of the encoding do something. Throws as above.
std::string where_it_acts(const std::string& encoding);

/// "extrapolate", "clamp", ...
std::string past_length_word(PastLength policy);

/// Measured with default options, initial values moved at random except for `bias`. What cannot be measured has no
/// value: a permutation under a causal mask, or whatever the encoding refuses.
struct Properties {
  bool causal = true;           // of the attention where nothing else is said; false where the encoding refuses it
  std::optional<double> shift;  // largest change of the output when every id moves by the same amount
  std::optional<double> permutation;  // without a mask: largest difference of f(P x) and P f(x)
  std::optional<double> reflection;   // the same, P the reversal
  std::optional<bool> causality;      // a changed token leaves earlier outputs alone, bit for bit
  /// Before training, what each head adds to the score of a key at distances 0, 1, 2, ...; empty where that is nothing
  /// or depends on more than the distance.
  std::vector<std::vector<double>> bias;
  std::optional<double> far;                   // largest |output| of the last of 100,000 tokens, in single precision
  std::optional<double> cost;                  // time of a training step over that of `none`
  std::map<std::string, std::string> refused;  // "far": what the encoding said
};

/// Takes a second or two.
Properties measure_properties(const std::string& encoding);

/// The measurements as text, a line each.
std::string property_report(const std::string& encoding);

}  // namespace lengthwise
