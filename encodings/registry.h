// Encodings and schemes by name.
#pragma once

#include "encodings/encoding.h"

namespace lengthwise {

const std::map<std::string, EncodingInfo>& encodings();

/// Throws InputError with the nearest known name.
const EncodingInfo& encoding_info(const std::string& name);

template <class T>
std::unique_ptr<Encoding<T>> make_encoding(const std::string& name, const EncodingSetup<T>& setup);

/// Which encodings serve which heads of which layer: the value of encoding.name, taken apart.
///     rope                 every head of every layer
///     abacus+fire          both; their hooks run in this order
///     alibi/none           head groups of equal size: the first half of the heads ALiBi, the others nothing
///     rope;rope;rope;none  one part a layer, in turn and over again
class EncodingPlan {
 public:
  using Group = std::vector<std::string>;  // names that act together on the same heads

  EncodingPlan() : EncodingPlan("none") {}
  /// Throws InputError for empty, unknown or repeated names.
  EncodingPlan(const std::string& text);

  /// The head groups of a layer, in the order of the heads.
  const std::vector<Group>& layer(std::size_t l) const { return layers_[l % layers_.size()]; }
  /// Every encoding once, in the order of the text.
  const std::vector<std::string>& names() const { return names_; }
  std::size_t parts() const { return layers_.size(); }

 private:
  std::vector<std::vector<Group>> layers_;
  std::vector<std::string> names_;
};

}  // namespace lengthwise
