// Whole attention with an encoding's hooks, forward and backward.
#pragma once

#include "tests/encodings/harness.h"

namespace lengthwise {

/// The attention of one layer, [tokens, H d]. x [tokens, D]: what the layer's attention reads.
template <class T>
Variable<T> attend(Harness<T>& harness, const QueryKey<T>& qk, const Variable<T>& v, const Variable<T>& x = {},
                   std::size_t tile_rows = 3) {
  const Context context = harness.context();
  const Encoding<T>& encoding = harness.encoding();
  const QueryKey<T> turned = encoding.transform(qk, context);
  const std::size_t heads = context.heads.count;
  const AttentionShape shape{
      .heads = heads, .causal = context.causal, .offsets = harness.offsets(), .tile_rows = tile_rows};
  return attention(turned.q, turned.k, v, shape,
                   {HeadGroup<T>{context.heads, encoding.scale(v.cols() / heads), encoding.terms(x, context)}});
}

/// The output and the gradients of q, k, v, x and the parameters.
struct Attended {
  Array<double> out, q, k, v, x;
  std::vector<double> parameters;

  /// The gradient of one parameter.
  Matrix<const double> parameter(Harness<double>& harness, const std::string& name) const {
    return harness.store().find(name)->in(parameters.data());
  }
};

Attended attended(Harness<double>& harness, const Array<double>& q, const Array<double>& k, const Array<double>& v,
                  const Array<double>& upstream, const Array<double>& x = {});

/// The attention weights [tokens, H n] of sequences of n tokens each: unit vectors serve as values, d keys at a time.
Array<double> weights_of(Harness<double>& harness, const Array<double>& q, const Array<double>& k,
                         const Array<double>& x = {});

/// What attention normalises: for every sequence, and for every head of it, [n, n], 0 where the mask falls. The hooks'
/// score terms around q.k, stage by stage; q and k [tokens, H d] as transform leaves them, x what the layer reads.
std::vector<Array<double>> scores_of(Harness<double>& harness, const Array<double>& q, const Array<double>& k,
                                     const Array<double>& x = {});

/// Which row of DeBERTa's table a query reads whose id is `displacement` more than its key's.
double deberta_row(OptionValues options, double displacement);

/// Ids 0 .. n-1 for each of B sequences.
inline std::vector<std::vector<double>> counting(std::size_t sequences, std::size_t n) {
  return std::vector<std::vector<double>>(sequences, counting(n));
}

/// Sets a parameter to golden values of the same order.
void set_parameter(Harness<double>& harness, const std::string& name, const std::vector<double>& values);

}  // namespace lengthwise
