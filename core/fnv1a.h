// The hash FNV-1a (Fowler, Noll, Vo 1991).
#pragma once

#include <cstdint>
#include <string_view>

namespace lengthwise {

/// Hashes a sequence of units: bytes in the original, here also tokens, one a unit. Low bits mix little.
class Fnv1a {
 public:
  Fnv1a& add(std::uint64_t unit) {
    hash_ = (hash_ ^ unit) * 0x100000001B3;
    return *this;
  }
  Fnv1a& add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    return *this;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325;
};

}  // namespace lengthwise
