// From the ids of a batch to the table of angles that core/ops/rotate.h turns by.
#pragma once

#include <map>

#include "core/ops/rotate.h"
#include "encodings/encoding.h"

namespace lengthwise {

/// Tokens with equal keys (an id, or a row and a column) share a row of the table.
template <class Key>
class DistinctRows {
 public:
  void add(const Key& key) {
    const auto [at, fresh] = row_of_key_.try_emplace(key, keys_.size());
    if (fresh) keys_.push_back(key);
    row_of_token_.push_back(at->second);
  }
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<std::size_t>& row_of_token() const { return row_of_token_; }

 private:
  std::vector<Key> keys_;
  std::vector<std::size_t> row_of_token_;
  std::map<Key, std::size_t> row_of_key_;
};

/// How far, and by which factor longer: entry (r, m) of a table.
struct Polar {
  double angle, radius = 1;
};

/// polar(r, m) -> Polar, computed in double and rounded once.
template <class T, class F>
std::shared_ptr<const AngleTable<T>> angle_table(std::size_t rows, std::size_t pairs, F polar) {
  auto table =
      std::make_shared<AngleTable<T>>(AngleTable<T>{uninitialized<T>(rows, pairs), uninitialized<T>(rows, pairs)});
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t m = 0; m < pairs; ++m) {
      const Polar p = polar(r, m);
      table->cosine(r, m) = static_cast<T>(p.radius * std::cos(p.angle));
      table->sine(r, m) = static_cast<T>(p.radius * std::sin(p.angle));
    }
  return table;
}

/// What one forward pass turns by.
template <class T>
struct Turns {
  std::shared_ptr<const AngleTable<T>> table;
  std::vector<std::size_t> row_of_token;
};

}  // namespace lengthwise
