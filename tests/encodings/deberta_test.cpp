#include <gmock/gmock.h>

#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "tests/encodings/attend.h"

namespace lengthwise {
namespace {

using testing::HasSubstr;

// Sequences of a golden batch without the tokens that its mask leaves out.
struct Kept {
  std::vector<std::size_t> rows;  // of the batch
  std::vector<std::vector<double>> ids;
};
Kept kept(const GoldenArray& mask) {
  Kept all;
  for (std::size_t b = 0; b < mask.shape[0]; ++b) {
    std::vector<double>& ids = all.ids.emplace_back();
    for (std::size_t i = 0; i < mask.shape[1]; ++i)
      if (mask.values[b * mask.shape[1] + i] == 1) {
        all.rows.push_back(b * mask.shape[1] + i);
        ids.push_back(static_cast<double>(i));
      }
  }
  return all;
}

OptionValues options_of(const GoldenCase& c, const char* index = "delta") {
  const std::int64_t buckets = c.integer("position_buckets");
  return {{"clip", join(c.integer("max_relative_positions"))},
          {"buckets", join(std::max<std::int64_t>(buckets, 0))},
          {"p2c_index", index}};
}

void load(Harness<double>& harness, const GoldenCase& c) {
  const bool shared = c.integer("share_att_key");  // then the content's projections are those of the positions, too
  set_parameter(harness, "deberta.table", c.input("rel_embeddings").values);
  set_parameter(harness, "blocks.0.deberta.key", c.input(shared ? "w_k" : "w_pk").values);
  set_parameter(harness, "blocks.0.deberta.key_bias", c.input(shared ? "b_k" : "b_pk").values);
  set_parameter(harness, "blocks.0.deberta.query", c.input(shared ? "w_q" : "w_pq").values);
  set_parameter(harness, "blocks.0.deberta.query_bias", c.input(shared ? "b_q" : "b_pq").values);
}

class Cases : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(deberta, Cases,
                         testing::Values("attention_buckets_own_projections", "attention_buckets_shared_projections",
                                         "attention_no_buckets_span3"));

TEST_P(Cases, attention_and_gradients_of_public_code) {
  const GoldenCase c = golden("deberta.h5", GetParam());
  const GoldenArray x = c.input("x");
  const Kept keep = kept(c.input("mask"));
  const ModelShape shape{.width = x.shape[2], .heads = static_cast<std::size_t>(c.integer("n_heads")), .causal = false};
  Harness<double> harness("deberta", options_of(c), shape, keep.ids);
  load(harness, c);

  std::map<std::string, Variable<double>> leaves;
  for (const char* name : {"x", "w_q", "b_q", "w_k", "b_k", "w_v", "b_v"}) leaves[name] = leaf(c.input(name).array());
  std::vector<double> gradient(harness.store().flat().cols);
  const std::size_t tokens = x.shape[0] * x.shape[1];
  const Array<double> upstream = c.input("grad_out").array();
  Array<double> out = zeros<double>(tokens, shape.width);
  // Puts y where it belongs in the golden output, and differentiates it.
  const auto finish = [&](Tape<double>& tape, const Variable<double>& y, const std::vector<std::size_t>& rows) {
    Array<double> own = zeros<double>(rows.size(), shape.width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      copy(y.value().block_rows(r, 1), view(out).block_rows(rows[r], 1));
      copy(view(upstream).block_rows(rows[r], 1), view(own).block_rows(r, 1));
    }
    tape.backward(y, own);
  };
  const auto project = [&](const Variable<double>& in, const std::string& which) {
    return linear(in, leaves["w_" + which], leaves["b_" + which]);
  };
  {
    Tape<double> tape({gradient.data(), 1, gradient.size(), gradient.size()});
    const Variable<double> in = select_rows(leaves["x"], keep.rows);
    finish(tape, attend(harness, {project(in, "q"), project(in, "k")}, project(in, "v")), keep.rows);
  }
  if (keep.rows.size() < tokens) {  // there, rows that see nothing weigh all tokens alike, the masked ones, too
    Tape<double> tape;
    const Variable<double> zero = constant(zeros<double>(tokens, shape.width));
    std::vector<std::size_t> offsets{0}, masked;
    for (std::size_t b = 0; b < x.shape[0]; ++b) offsets.push_back(offsets.back() + x.shape[1]);
    for (std::size_t r = 0; r < tokens; ++r)
      if (!std::ranges::binary_search(keep.rows, r)) masked.push_back(r);
    const Variable<double> mean = attention(zero, zero, project(leaves["x"], "v"),
                                            {.causal = false, .offsets = offsets}, {HeadGroup<double>{{0, 1}, 1, {}}});
    finish(tape, select_rows(mean, masked), masked);
  }
  expect_golden(out, c, "out");
  const Attended got{.parameters = gradient};
  for (const char* name : {"x", "w_v", "b_v"}) expect_golden(leaves[name].gradient(), c, join("grad_", name));
  expect_golden(got.parameter(harness, "deberta.table"), c, "grad_rel_embeddings");
  const bool shared = c.integer("share_att_key");
  for (const std::string which : {"k", "q"})
    for (const std::string kind : {"w", "b"}) {
      const Matrix<const double> own =
          got.parameter(harness, join("blocks.0.deberta.", which == "k" ? "key" : "query", kind == "b" ? "_bias" : ""));
      Array<double> content = leaves[kind + "_" + which].gradient();
      if (shared)
        accumulate(own, view(content));
      else
        expect_golden(own, c, "grad_" + kind + "_p" + which);
      expect_golden(content, c, "grad_" + kind + "_" + which);
    }
}

// Scores of the first sequence, which no mask shortens, in the code's reading and in the paper's.
TEST_P(Cases, scores_of_public_code_and_paper) {
  const GoldenCase c = golden("deberta.h5", GetParam());
  const GoldenArray x = c.input("x"), mask = c.input("mask");
  const std::size_t n = x.shape[1], width = x.shape[2], heads = static_cast<std::size_t>(c.integer("n_heads"));
  for (const char* index : {"delta", "neg_delta"}) {
    const Kept keep = kept(mask);
    Harness<double> harness("deberta", options_of(c, index), {.width = width, .heads = heads, .causal = false},
                            keep.ids);
    load(harness, c);
    const Variable<double> in = select_rows(constant(x.array()), keep.rows);
    const auto project = [&](const char* w, const char* b) {
      return linear(in, constant(c.input(w).array()), constant(c.input(b).array()));
    };
    const Variable<double> q = project("w_q", "b_q"), k = project("w_k", "b_k");
    const auto terms = harness.encoding().terms({}, harness.context()).scores;
    std::vector<double> all(x.shape[0] * heads * n * n);
    for (std::size_t b = 0; b < x.shape[0]; ++b) {
      const std::size_t length = keep.ids[b].size(), begin = harness.offsets()[b];
      std::vector<std::size_t> rows(length);
      std::iota(rows.begin(), rows.end(), std::size_t{0});
      const std::vector<KeyRange> visible(length, {0, length});
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t d = width / heads;
        const auto block = [&](const Variable<double>& a) {
          return a.value().block_rows(begin, length).block_cols(h * d, d);
        };
        const Tile<double> tile{.sequence = b,
                                .head = h,
                                .begin = begin,
                                .length = length,
                                .query_rows = rows,
                                .visible = visible,
                                .q = block(q),
                                .k = block(k)};
        Array<double> s = zeros<double>(length, length);
        for (const auto& term : terms) {
          Scratch<double> scratch;
          term->forward(tile, view(s), scratch);
        }
        for (std::size_t i = 0; i < length; ++i)
          for (std::size_t j = 0; j < length; ++j) {
            for (std::size_t ch = 0; ch < d; ++ch) s(i, j) += tile.q(i, ch) * tile.k(j, ch);
            const auto at = [&](std::size_t row) { return static_cast<std::size_t>(keep.ids[b][row]); };
            all[((b * heads + h) * n + at(i)) * n + at(j)] = s(i, j) * harness.encoding().scale(d);
          }
      }
    }
    expect_golden(all, c, std::string(index) == "delta" ? "scores" : "scores_paper_p2c");
  }
}

// The original code stops at clip; the other one goes on counting and clips when it looks rows up.
TEST(deberta, buckets_of_public_code) {
  for (const char* name : {"log_buckets_256_512", "log_buckets_32_128"}) {
    const GoldenCase c = golden("deberta.h5", name);
    const auto buckets = c.integer("bucket_size");
    Harness<double> harness("deberta", {{"buckets", join(buckets)}, {"clip", join(c.integer("max_position"))}},
                            {.width = 2}, {counting(2)});
    std::vector<double> mine;
    for (const double x : c.input("relative_position").values)
      mine.push_back(static_cast<double>(harness.encoding().table_row(x, 0)) - static_cast<double>(buckets));
    expect_golden(mine, c, "buckets_original_code");
  }
}

TEST(deberta, rows_by_hand) {
  Harness<double> harness("deberta", {{"clip", "3"}}, {.width = 2}, {counting(2)});
  const Encoding<double>& deberta = harness.encoding();
  EXPECT_EQ(deberta.table_rows(), 6u);
  EXPECT_EQ(deberta.table_row(5, 5), 3u);
  EXPECT_EQ(deberta.table_row(6, 5), 4u);
  EXPECT_EQ(deberta.table_row(9, 5), 5u);
  EXPECT_EQ(deberta.table_row(5, 7), 1u);
  EXPECT_EQ(deberta.table_row(5, 100), 0u);
}

TEST(deberta, without_vectors_it_is_content_at_a_third_of_the_variance) {
  const std::size_t n = 5;
  Harness<double> deberta("deberta", {}, {.width = 4, .heads = 2}, {counting(n)});
  Harness<double> none("none", {}, {.width = 4, .heads = 2}, {counting(n)});
  fill(deberta.parameter("deberta.table"), 0.0);
  const Array<double> q = random_array<double>(n, 4, 1), k = random_array<double>(n, 4, 2),
                      v = random_array<double>(n, 4, 3);
  Array<double> smaller = q;
  for (double& value : smaller.storage()) value /= std::sqrt(3.0);
  EXPECT_LT(largest_difference(attended(deberta, q, k, v, v).out, attended(none, smaller, k, v, v).out), 1e-14);
}

TEST(deberta, scale_counts_terms) {
  for (const auto& [options, terms] : std::vector<std::pair<OptionValues, double>>{
           {{}, 3}, {{{"content_to_position", "false"}}, 2}, {{{"position_to_content", "false"}}, 2}})
    EXPECT_NEAR(Harness<double>("deberta", options, {.width = 4}, {counting(2)}).encoding().scale(4),
                1 / std::sqrt(4 * terms), 1e-15);
}

TEST(deberta, settings_that_make_no_sense_are_refused) {
  const auto refused = [](const OptionValues& options) {
    return refusal([&] { encoding_info("deberta").check(encoding_options("deberta", options), {.width = 4}); });
  };
  EXPECT_THAT(refused({{"content_to_position", "false"}, {"position_to_content", "false"}}), HasSubstr("both false"));
  EXPECT_THAT(refused({{"buckets", "32"}, {"clip", "17"}}), HasSubstr("deberta.buckets is 32 and deberta.clip 17"));
  EXPECT_THAT(refused({{"buckets", "3"}}), HasSubstr("at least 4"));
}

}  // namespace
}  // namespace lengthwise
