// What training reached of the learned tables, and whether a result rests on the rest.
//
// A table's entry that no training sequence led to still has its initial value: what a model says with its help tells
// nothing about the encoding. Reached is whatever has had a gradient, whichever ids, channels or contents led there.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/model/transformer.h"

namespace lengthwise {

/// Of every table by name: 1 for each entry that training has reached.
using Coverage = std::map<std::string, std::vector<std::uint8_t>>;

/// Of a model that has not been trained.
template <class T>
Coverage nothing_reached(const ParameterStore<T>& store);

/// Adds the entries with a gradient. `gradient`: one row in the store's layout.
template <class T>
void mark_reached(const ParameterStore<T>& store, Matrix<const T> gradient, Coverage& reached);

/// A model that differs from the trained one in the entries that training never reached, which are moved at random:
/// where its outputs differ, they depend on such entries.
template <class T>
struct Disturbed {
  ParameterStore<T> store;
  Transformer<T> model;
  Disturbed(const ModelConfig& config, ParameterStore<T>& trained, const Coverage& reached);
};

/// Null when everything was reached: nothing would differ.
template <class T>
std::unique_ptr<Disturbed<T>> disturbed(const ModelConfig& config, ParameterStore<T>& trained, const Coverage& reached);

}  // namespace lengthwise
