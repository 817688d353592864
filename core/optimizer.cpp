#include "core/optimizer.h"

#include <cmath>

#include "core/error.h"
#include "core/parallel.h"

namespace lengthwise {
namespace {

constexpr std::size_t block = 16384;  // values; fixed, since it decides the order of the norm's sum

}  // namespace

template <class T>
AdamW<T>::AdamW(ParameterStore<T>& store, const AdamWSettings& settings)
    : store_(store), settings_(settings), first_(store.flat().cols, T(0)), second_(store.flat().cols, T(0)) {}

template <class T>
double AdamW<T>::update(Matrix<const T> gradient, double factor, double rate) {
  const std::size_t size = store_.flat().cols, blocks = (size + block - 1) / block;
  assert(gradient.cols == size);
  std::vector<double> squares(blocks);
  parallel_for(blocks, [&](std::size_t b) {
    double total = 0;
    const T* g = gradient.data;
    const std::size_t end = std::min(size, (b + 1) * block);
#pragma omp simd reduction(+ : total)
    for (std::size_t i = b * block; i < end; ++i) total += static_cast<double>(g[i]) * static_cast<double>(g[i]);
    squares[b] = total;
  });
  double square = 0;
  for (const double s : squares) square += s;
  const double norm = std::sqrt(square) * factor;
  if (!std::isfinite(norm)) {
    for (const auto& info : store_.list())
      for (std::size_t i = 0; i < info.size(); ++i)
        if (const T value = info.in(gradient.data)(i / info.cols, i % info.cols); !std::isfinite(value))
          throw RunError(join("the gradient of ", info.name, " is not finite at entry ", i, " (", value, ") in update ",
                              steps_ + 1, "; no update was made. A smaller train.learning_rate may help."));
    throw RunError(join("the norm of the gradient is not finite in update ", steps_ + 1, "; no update was made."));
  }

  ++steps_;
  const double clipped = settings_.clip > 0 && norm > settings_.clip ? settings_.clip / norm : 1;
  const T g_factor = static_cast<T>(factor * clipped);
  const T b1 = static_cast<T>(settings_.beta1), b2 = static_cast<T>(settings_.beta2);
  const T c1 = static_cast<T>(1 - settings_.beta1), c2 = static_cast<T>(1 - settings_.beta2);
  const double correction1 = 1 - std::pow(settings_.beta1, static_cast<double>(steps_));
  const double correction2 = 1 - std::pow(settings_.beta2, static_cast<double>(steps_));
  const T step_size = static_cast<T>(rate / correction1), root = static_cast<T>(1 / std::sqrt(correction2));
  const T epsilon = static_cast<T>(settings_.epsilon);
  const T kept = static_cast<T>(1 - rate * settings_.weight_decay);

  // Runs of parameters that decay alike, cut into blocks.
  struct Piece {
    std::size_t begin, end;
    T keep;
  };
  std::vector<Piece> pieces;
  const auto& list = store_.list();
  for (std::size_t p = 0; p < list.size(); ++p) {
    const std::size_t end = p + 1 < list.size() ? list[p + 1].offset : size;
    const bool decays = settings_.decay_all || list[p].decay == Decay::weights;
    for (std::size_t at = list[p].offset; at < end; at += block)
      pieces.push_back({at, std::min(end, at + block), decays ? kept : T(1)});
  }
  parallel_for(pieces.size(), [&](std::size_t i) {
    const auto [begin, end, keep] = pieces[i];
    T *p = store_.flat().data, *m = first_.data(), *v = second_.data();
    const T* g = gradient.data;
#pragma omp simd
    for (std::size_t e = begin; e < end; ++e) {
      const T d = g[e] * g_factor;
      m[e] = b1 * m[e] + c1 * d;
      v[e] = b2 * v[e] + c2 * d * d;
      p[e] = p[e] * keep - step_size * m[e] / (std::sqrt(v[e]) * root + epsilon);
    }
  });
  return norm;
}

template class AdamW<float>;
template class AdamW<double>;

double learning_rate(const Schedule& schedule, std::size_t step) {
  if (step < schedule.warmup)
    return schedule.peak * static_cast<double>(step + 1) / static_cast<double>(schedule.warmup);
  if (schedule.kind == Schedule::Kind::constant) return schedule.peak;
  const double span = schedule.total > schedule.warmup ? static_cast<double>(schedule.total - schedule.warmup) : 1;
  const double done = std::min(1.0, static_cast<double>(step - schedule.warmup) / span);
  const double share =
      schedule.kind == Schedule::Kind::linear ? 1 - done : 0.5 * (1 + std::cos(3.14159265358979323846 * done));
  return schedule.peak * (schedule.final_share + (1 - schedule.final_share) * share);
}

}  // namespace lengthwise
