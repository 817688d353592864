#include "tests/encodings/attend.h"

#include "tests/core/arrays.h"

namespace lengthwise {

Attended attended(Harness<double>& harness, const Array<double>& q, const Array<double>& k, const Array<double>& v,
                  const Array<double>& upstream, const Array<double>& x) {
  Attended result;
  result.parameters.assign(harness.store().flat().cols, 0.0);
  Tape<double> tape({result.parameters.data(), 1, result.parameters.size(), result.parameters.size()});
  const Variable<double> ql = leaf(q), kl = leaf(k), vl = leaf(v), xl = leaf(x);
  const Variable<double> y = attend(harness, {ql, kl}, vl, xl);
  result.out = Harness<double>::copied(y.value());
  tape.backward(y, upstream);
  result.q = ql.gradient(), result.k = kl.gradient(), result.v = vl.gradient(), result.x = xl.gradient();
  return result;
}

Array<double> weights_of(Harness<double>& harness, const Array<double>& q, const Array<double>& k,
                         const Array<double>& x) {
  const std::size_t heads = harness.context().heads.count, d = q.cols() / heads, n = harness.offsets()[1];
  Array<double> weights = zeros<double>(q.rows(), heads * n);
  for (std::size_t first = 0; first < n; first += d) {
    Array<double> unit = zeros<double>(q.rows(), q.cols());
    for (std::size_t i = 0; i < unit.rows(); ++i)
      for (std::size_t h = 0; h < heads; ++h)
        if (i % n >= first && i % n < first + d) unit(i, h * d + i % n - first) = 1;
    const Variable<double> y = attend(harness, {constant(q), constant(k)}, constant(std::move(unit)), constant(x));
    for (std::size_t i = 0; i < q.rows(); ++i)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t c = 0; c < std::min(d, n - first); ++c)
          weights(i, h * n + first + c) = y.value()(i, h * d + c);
  }
  return weights;
}

std::vector<Array<double>> scores_of(Harness<double>& harness, const Array<double>& q, const Array<double>& k,
                                     const Array<double>& x) {
  const Context context = harness.context();
  const auto terms = harness.encoding().terms(constant(x), context).scores;
  const std::vector<std::size_t>& offsets = harness.offsets();
  const std::size_t heads = context.heads.count, d = q.cols() / heads;
  std::vector<Array<double>> all;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::size_t n = offsets[b + 1] - offsets[b];
    std::vector<std::size_t> rows(n);
    std::vector<KeyRange> visible(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = i, visible[i] = {0, context.causal ? i + 1 : n};
    for (std::size_t h = 0; h < heads; ++h) {
      const auto own = [&](const Array<double>& a) { return view(a).block_rows(offsets[b], n).block_cols(h * d, d); };
      Tile<double> tile{
          .sequence = b, .head = h, .begin = offsets[b], .length = n, .query_rows = rows, .visible = visible};
      tile.q = own(q), tile.k = own(k);
      Array<double> s = zeros<double>(n, n);
      const auto apply = [&](Stage stage) {
        Scratch<double> scratch;
        for (const auto& term : terms)
          if (term->stage() == stage) term->forward(tile, view(s), scratch);
      };
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          s(i, j) = std::inner_product(tile.q.row(i), tile.q.row(i) + d, tile.k.row(j), 0.0);
      apply(Stage::content);
      rescale(view(s), harness.encoding().scale(d));
      for (const Stage stage : {Stage::content_scale, Stage::bias, Stage::row_scale}) apply(stage);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = visible[i].end; j < n; ++j) s(i, j) = 0;
      all.push_back(std::move(s));
    }
  }
  return all;
}

double deberta_row(OptionValues options, double displacement) {
  options["position_to_content"] = "false";
  Harness<double> harness("deberta", options, {.width = 1, .causal = false}, {{0, displacement}});
  const Matrix<double> table = harness.parameter("deberta.table");
  count_up(table);
  harness.parameter("blocks.0.deberta.key")(0, 0) = 1;
  Array<double> q = zeros<double>(2, 1), k = q;
  fill(view(q), 1.0);
  return std::round(scores_of(harness, q, k)[0](1, 0) / harness.encoding().scale(1));
}

void set_parameter(Harness<double>& harness, const std::string& name, const std::vector<double>& values) {
  const Matrix<double> own = harness.parameter(name);
  ASSERT_EQ(own.size(), values.size()) << name;
  copy<double>({values.data(), own.rows, own.cols, own.cols}, own);
}

}  // namespace lengthwise
