#include "experiments/coverage.h"

#include <algorithm>

namespace lengthwise {

template <class T>
Coverage nothing_reached(const ParameterStore<T>& store) {
  Coverage reached;
  for (const ParameterInfo& info : store.list())
    if (info.table) reached[info.name].assign(info.size(), 0);
  return reached;
}

template <class T>
void mark_reached(const ParameterStore<T>& store, Matrix<const T> gradient, Coverage& reached) {
  for (auto& [name, entries] : reached) {
    const Matrix<const T> table = store.find(name)->in(gradient.data);
    for (std::size_t i = 0; i < table.rows; ++i) {
      const T* g = table.row(i);
      std::uint8_t* to = entries.data() + i * table.cols;
#pragma omp simd
      for (std::size_t j = 0; j < table.cols; ++j) to[j] |= g[j] != 0;
    }
  }
}

template <class T>
Disturbed<T>::Disturbed(const ModelConfig& config, ParameterStore<T>& trained, const Coverage& reached)
    : store(0), model(config, store) {
  copy<T>(trained.flat(), store.flat());
  for (const auto& [name, entries] : reached) {
    Rng rng = Rng(0).at("disturbed").at(name);
    const Matrix<T> values = store.values(*store.find(name));
    // Each by a number of its own: norms take no notice of what all features of a row have in common.
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (!entries[e]) values(e / values.cols, e % values.cols) += static_cast<T>(rng.normal());
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
