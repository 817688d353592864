// Functional interpolation:  S_hij += f_h(psi(p_i - p_j) / (psi(max(P, p_i)) + eps)),  psi(x) = ln(1 + |c| x)
//
// Source      Li et al. 2023, FIRE (arXiv:2310.04418), section 3.
// Parameters  fire.w1, b1 (1, W), w2 (H, W), b2 (1, H): f, a network 1 -> W -> H of rectifiers; fire.c (1, 1), 0.1 at
//             first; fire.threshold (1, 1): m of P = |m| P0, 1 at first.
// Options     hidden: W (32). sharing: per_layer (default), or per_model, the paper's FIRE-S. threshold: P0 as a share
//             of L (1; some public code has 0.5). limit: max (default), or min: psi(min(P, p_i)), as other code has it.
// Deviates    in bidirectional models, which the paper has none of, f sees sign(d) psi(|d|) / psi(max(P, last id)).
// Past L      interpolate: f's argument stays within [0, 1].
//
// f has one argument, so it is piecewise linear: where no unit turns on or off, f_h(t) = slope t + intercept. t falls
// from key to key, so a row's keys lie in runs of one piece each, and a pair costs one multiplication, not W of them.
#include "core/ops/activation.h"
#include "core/ops/functions.h"
#include "core/ops/linear.h"
#include "encodings/distances.h"

namespace lengthwise {
namespace {

template <class T>
struct Pieces {
  std::vector<T> knots;          // where pieces meet, ascending
  Variable<T> slope, intercept;  // [knots + 1, heads]
};

// f(t) = w2 relu(w1 t + b1) + b2
template <class T>
Pieces<T> pieces(const Variable<T>& w1, const Variable<T>& b1, const Variable<T>& w2, const Variable<T>& b2) {
  Pieces<T> found;
  const T *w = w1.value().row(0), *b = b1.value().row(0);
  for (std::size_t u = 0; u < w1.cols(); ++u)
    if (w[u] != 0) found.knots.push_back(-b[u] / w[u]);
  std::ranges::sort(found.knots);

  const std::vector<T>& knots = found.knots;
  Array<T> active = uninitialized<T>(knots.size() + 1, w1.cols());
  for (std::size_t s = 0; s <= knots.size(); ++s) {
    const T inside = knots.empty()       ? T(0)
                     : s == 0            ? knots.front() - 1
                     : s == knots.size() ? knots.back() + 1
                                         : (knots[s - 1] + knots[s]) / 2;
    for (std::size_t u = 0; u < w1.cols(); ++u) active(s, u) = w[u] * inside + b[u] > 0 ? T(1) : T(0);
  }
  const Variable<T> on = constant(std::move(active));
  found.slope = linear(on, multiply(w2, w1));
  found.intercept = linear(on, multiply(w2, b1), b2);
  return found;
}

// What one forward pass needs of a set of parameters.
template <class T>
struct Parts {
  Variable<T> psi;         // [1, distances]
  Variable<T> normaliser;  // [1, tokens]: of each query
  Pieces<T> f;
};

template <class T>
class FireTerm final : public ScoreTerm<T> {
 public:
  FireTerm(Parts<T> parts, std::shared_ptr<const DistanceColumns> columns)
      : parts_(std::move(parts)), columns_(std::move(columns)) {}

  bool pairwise() const override { return true; }
  std::vector<Variable<T>> inputs() const override {
    return {parts_.psi, parts_.normaliser, parts_.f.slope, parts_.f.intercept};
  }

  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    const T* psi = parts_.psi.value().data;
    for_each_run(tile,
                 [&](std::size_t i, std::size_t piece, T inverse, std::size_t begin, std::size_t end, auto column) {
                   const T slope = parts_.f.slope.value()(piece, tile.head) * inverse;
                   const T intercept = parts_.f.intercept.value()(piece, tile.head);
                   T* s = scores.row(i);
#pragma omp simd
                   for (std::size_t j = begin; j < end; ++j) s[j] += slope * psi[column(j)] + intercept;
                 });
  }

  void backward(const Tile<T>& tile, Matrix<T> gradient, Scratch<T>&, TileGradient<T>& into) const override {
    const Matrix<T> d_psi = into.inputs[0], d_normaliser = into.inputs[1], d_slope = into.inputs[2],
                    d_intercept = into.inputs[3];
    if (!d_psi.data) return;
    const T* psi = parts_.psi.value().data;
    for_each_run(tile,
                 [&](std::size_t i, std::size_t piece, T inverse, std::size_t begin, std::size_t end, auto column) {
                   const T slope = parts_.f.slope.value()(piece, tile.head) * inverse;
                   const T* g = gradient.row(i);
                   T sum = 0, along = 0;
#pragma omp simd reduction(+ : sum, along)
                   for (std::size_t j = begin; j < end; ++j) sum += g[j], along += g[j] * psi[column(j)];
                   for (std::size_t j = begin; j < end; ++j) d_psi.data[column(j)] += slope * g[j];
                   d_normaliser.data[tile.begin + tile.query_rows[i]] -= slope * along * inverse;
                   d_slope(piece, tile.head) += along * inverse;
                   d_intercept(piece, tile.head) += sum;
                 });
  }

 private:
  // Calls work(row, piece, 1 / the row's normaliser, first key, last key + 1, key -> distance).
  template <class Work>
  void for_each_run(const Tile<T>& tile, Work work) const {
    const T* psi = parts_.psi.value().data;
    const std::vector<T>& knots = parts_.f.knots;
    for_each_row(*columns_, tile, [&](std::size_t i, std::size_t begin, std::size_t end, auto column) {
      if (begin >= end) return;
      const T inverse = 1 / parts_.normaliser.value().data[tile.begin + tile.query_rows[i]];
      const auto t = [&](std::size_t j) { return psi[column(j)] * inverse; };
      auto piece = static_cast<std::size_t>(std::ranges::upper_bound(knots, t(end - 1)) - knots.begin());
      for (std::size_t right = end; right > begin; ++piece) {
        std::size_t left = begin;  // of the run: the first key before the next knot
        if (piece < knots.size())
          for (std::size_t beyond = right; left < beyond;) {
            const std::size_t middle = left + (beyond - left) / 2;
            if (t(middle) >= knots[piece])
              left = middle + 1;
            else
              beyond = middle;
          }
        if (left < right) work(i, piece, inverse, left, right, column);
        right = left;
      }
    });
  }

  Parts<T> parts_;
  std::shared_ptr<const DistanceColumns> columns_;
};

template <class T>
class Fire final : public Encoding<T> {
 public:
  explicit Fire(const EncodingSetup<T>& setup)
      : prefix_((setup.options.text("sharing") == "per_layer" ? setup.layer_prefix() : "") + "fire."),
        start_(setup.options.real("threshold") * static_cast<double>(setup.shape.original_length())),
        side_(setup.options.text("limit") == "max" ? 1 : -1) {
    const std::size_t hidden = setup.options.count("hidden"), heads = setup.shape.heads;
    const auto parameter = [&](const char* name, std::size_t rows, std::size_t cols, const Initializer& initial) {
      return setup.store.shared(prefix_ + name, rows, cols, initial);
    };
    // What public code leaves to its library: uniform within 1 / sqrt(inputs), biases included.
    const double bound = 1 / std::sqrt(static_cast<double>(hidden));
    w1_ = parameter("w1", 1, hidden, initial_uniform(-1, 1));
    b1_ = parameter("b1", 1, hidden, initial_uniform(-1, 1));
    w2_ = parameter("w2", heads, hidden, initial_uniform(-bound, bound));
    b2_ = parameter("b2", 1, heads, initial_uniform(-bound, bound));
    c_ = parameter("c", 1, 1, initial_value(0.1));
    threshold_ = parameter("threshold", 1, 1, initial_value(1));
  }

  Terms<T> terms(const Variable<T>&, const Context& context) const override {
    const Distances& found = distances(context);
    const auto& parts = context.memo->get<Parts<T>>(prefix_, [&] {
      const Variable<T> c = abs(c_.variable());
      return Parts<T>{psi(c, found.values), normaliser(c, context),
                      pieces(w1_.variable(), b1_.variable(), w2_.variable(), b2_.variable())};
    });
    return {.scores = {std::make_shared<FireTerm<T>>(parts, found.columns)}};
  }

 private:
  // sign(d) ln(1 + c |d|)
  static Variable<T> psi(const Variable<T>& c, const std::vector<double>& values) {
    Array<T> away = uninitialized<T>(1, values.size()), sign = away;
    for (std::size_t d = 0; d < values.size(); ++d) {
      away(0, d) = static_cast<T>(std::abs(values[d]));
      sign(0, d) = values[d] < 0 ? T(-1) : T(1);
    }
    return multiply(log1p(lengthwise::scale(constant(std::move(away)), c)), constant(std::move(sign)));
  }

  // psi(max(P, p_i)) + eps; with side s = 1 for max and -1 for min, it is psi of p + s relu(s (P - p)).
  Variable<T> normaliser(const Variable<T>& c, const Context& context) const {
    const auto ids = context.ids("sequence");
    const std::size_t tokens = ids.size();
    Array<T> reach = uninitialized<T>(1, tokens), minus = reach, ones = uninitialized<T>(tokens, 1), eps = reach;
    for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b)
      for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i) {
        reach(0, i) = static_cast<T>(ids[context.causal ? i : context.offsets[b + 1] - 1]);
        minus(0, i) = -side_ * reach(0, i);
        ones(i, 0) = 1;
        eps(0, i) = T(1e-6);
      }
    const Variable<T> threshold = lengthwise::scale(abs(threshold_.variable()), static_cast<T>(start_) * side_);
    const Variable<T> beyond = relu(linear(threshold, constant(std::move(ones)), constant(std::move(minus))));
    const Variable<T> limited = add(constant(std::move(reach)), lengthwise::scale(beyond, side_));
    return add(log1p(lengthwise::scale(limited, c)), constant(std::move(eps)));
  }

  std::string prefix_;
  double start_;
  T side_;
  Parameter<T> w1_, b1_, w2_, b2_, c_, threshold_;
};

const bool registered = register_encoding<Fire>({
    .section =
        {"fire",
         "A bias that a small network reads off the distance, relative to the query's position (Li et al. 2023)",
         {integer("hidden", 32).at_least(1).at_most(1024).says("units of the network's hidden layer"),
          choice("sharing", "per_layer", {"per_layer", "per_model"})
              .says("one network for each layer, or one for all (FIRE-S)"),
          real("threshold", 1).above(0).says("where the learned threshold P starts, as a share of the training length"),
          choice("limit", "max", {"max", "min"})
              .says("distances are relative to max(P, p_i), as published, or to min(P, p_i)")}},
    .source = "Li et al. 2023, arXiv:2310.04418, section 3",
    .formula = "S_hij += f_h(psi(p_i - p_j) / psi(max(P, p_i))), psi(x) = ln(1 + |c| x)",
    .verified = "mcleish7/arithmetic, DAPE (golden)",
    .past_length = PastLength::interpolate,
    .needs_increasing_ids = true,
});

}  // namespace
}  // namespace lengthwise
