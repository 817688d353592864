#include "experiments/coverage.h"

#include <algorithm>

namespace lengthwise {

template <class T>
Coverage nothing_reached(const ParameterStore<T>& store) {
  Coverage reached;
  for (const ParameterInfo& info : store.list())
    if (info.table) reached[info.name].assign(info.rows * info.cols, 0);
  return reached;
}

template <class T>
void mark_reached(const ParameterStore<T>& store, Matrix<const T> gradient, Coverage& reached) {
  for (auto& [name, entries] : reached) {
    const T* g = gradient.data + store.find(name)->offset;
    std::uint8_t* to = entries.data();
#pragma omp simd
    for (std::size_t e = 0; e < entries.size(); ++e) to[e] |= g[e] != 0;
  }
}

template <class T>
Disturbed<T>::Disturbed(const ModelConfig& config, ParameterStore<T>& trained, const Coverage& reached)
    : store(0), model(config, store) {
  copy<T>(trained.flat(), store.flat());
  for (const auto& [name, entries] : reached) {
    Rng rng = Rng(0).at("disturbed").at(name);
    T* values = store.values(*store.find(name)).data;
    // Each by a number of its own: norms take no notice of what all features of a row have in common.
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (!entries[e]) values[e] += static_cast<T>(rng.normal());
  }
}

template <class T>
std::unique_ptr<Disturbed<T>> disturbed(const ModelConfig& config, ParameterStore<T>& trained,
                                        const Coverage& reached) {
  const bool complete = std::ranges::all_of(
      reached, [](const auto& table) { return std::ranges::find(table.second, 0) == table.second.end(); });
  return complete ? nullptr : std::make_unique<Disturbed<T>>(config, trained, reached);
}

#define LENGTHWISE_INSTANTIATE(T)                                                   \
  template Coverage nothing_reached(const ParameterStore<T>&);                      \
  template void mark_reached(const ParameterStore<T>&, Matrix<const T>, Coverage&); \
  template struct Disturbed<T>;                                                     \
  template std::unique_ptr<Disturbed<T>> disturbed(const ModelConfig&, ParameterStore<T>&, const Coverage&);
LENGTHWISE_INSTANTIATE(float)
LENGTHWISE_INSTANTIATE(double)

}  // namespace lengthwise
