#include <gmock/gmock.h>

#include "tests/core/arrays.h"
#include "tests/encodings/harness.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

ModelShape shape(std::size_t width) { return {.layers = 1, .width = width, .heads = 1, .causal = false, .train_positions = 5}; }

TEST(bert, public_code) {
  for (const std::string& name : golden_cases("bert_embeddings.h5")) {
    SCOPED_TRACE(name);
    const GoldenCase c = golden("bert_embeddings.h5", name);
    const GoldenArray tokens = c.input("token_ids");
    const Array<double> word = c.input("word").array();
    const std::size_t B = tokens.shape[0], n = tokens.shape[1], width = word.shape(1);
    std::vector<std::vector<double>> ids(B, counting(n));
    if (name == "given_positions")
      for (std::size_t b = 0; b < B; ++b) {
        const auto given = c.input("position_ids").values;
        ids[b].assign(given.begin() + static_cast<std::ptrdiff_t>(b * n), given.begin() + static_cast<std::ptrdiff_t>((b + 1) * n));
      }
    Harness<double> harness("bert", {{"positions", join(c.input("position").shape[0])}, {"segments", join(c.input("segment").shape[0])}}, shape(width), ids);
    harness.positions().set("segment", c.input("segment_ids").values);
    const std::map<std::string, std::string> parameters{
        {"position", "bert.positions"}, {"segment", "bert.segments"}, {"ln_weight", "bert.norm.gain"}, {"ln_bias", "bert.norm.bias"}};
    for (const auto& [theirs, mine] : parameters) {
      const Array<double> values = c.input(theirs).array();
      copy(view(values), harness.parameter(mine));
    }

    Array<double> x = uninitialized<double>(B * n, width);
    for (std::size_t i = 0; i < B * n; ++i) copy(view(word).block_rows(static_cast<std::size_t>(tokens.values[i]), 1), view(x).block_rows(i, 1));
    std::vector<double> gradient(harness.store().flat().cols);
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    const Variable<double> in = leaf(x), out = harness.encoding().embed(in, harness.context());
    expect_golden(out.value(), c, "out");
    const GoldenArray upstream = c.input("grad_out");
    Array<double> d_out = uninitialized<double>(B * n, width);
    std::copy(upstream.values.begin(), upstream.values.end(), d_out.data());
    tape.backward(out, d_out);
    for (const auto& [theirs, mine] : parameters) {
      const ParameterInfo& info = *harness.store().find(mine);
      expect_golden(Matrix<const double>{gradient.data() + info.offset, info.rows, info.cols, info.cols}, c, "grad_" + theirs);
    }
    // Words are the model's: the gradient of x belongs to them, but for the padding token, which takes none in public code.
    const Array<double> dx = in.gradient();
    Array<double> d_word = zeros<double>(word.shape(0), width);
    for (std::size_t i = 0; i < B * n; ++i)
      if (tokens.values[i] != c.real("padding_token"))
        accumulate(view(dx).block_rows(i, 1), view(d_word).block_rows(static_cast<std::size_t>(tokens.values[i]), 1));
    expect_golden(d_word, c, "grad_word");
  }
}

TEST(bert, without_segments_all_tokens_are_of_the_first) {
  const Array<double> x = random_array<double>(5, 4, 1);
  Harness<double> without("bert", {}, shape(4), {counting(5)}), first("bert", {}, shape(4), {counting(5)}), second("bert", {}, shape(4), {counting(5)});
  first.positions().set("segment", std::vector<double>(5, 0.0));
  second.positions().set("segment", {0, 0, 0, 1, 1});
  const Array<double> y = without.embed(x), changed = second.embed(x);
  expect_close(first.embed(x), y, 0);
  expect_close(view(changed).block_rows(0, 3), view(y).block_rows(0, 3), 0);
  EXPECT_GT(std::abs(changed(3, 0) - y(3, 0)), 1e-4);
}

TEST(bert, refuses_what_its_tables_do_not_hold) {
  Harness<double> positions("bert", {{"positions", "5"}}, shape(4), {counting(6)}), segments("bert", {}, shape(4), {counting(2)});
  segments.positions().set("segment", {0, 2});
  EXPECT_THAT(refusal([&] { positions.embed(zeros<double>(6, 4)); }), HasSubstr("bert: position 5 is not a row"));
  EXPECT_THAT(refusal([&] { segments.embed(zeros<double>(2, 4)); }), HasSubstr("bert: segment 2 is not a row"));
  EXPECT_THAT(refusal([] { Harness<double>("bert", {{"positions", "4"}}, shape(4), {counting(2)}); }), HasSubstr("bert.positions is 4"));
}

}  // namespace
}  // namespace lengthwise
