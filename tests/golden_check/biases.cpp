#include "core/ops/arithmetic.h"
#include "tests/core/arrays.h"
#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

std::vector<bool> lower_triangle(const GoldenArray& squares) {
  const std::size_t n = squares.shape.back();
  std::vector<bool> lower(squares.values.size());
  for (std::size_t e = 0; e < lower.size(); ++e) lower[e] = e % n <= e / n % n;
  return lower;
}

// [H n, n], 0 above the diagonal in a causal model.
Array<double> alibi(std::size_t heads, std::size_t n, bool causal, const char* mode = "symmetric") {
  return Harness<double>::copied(
      made("alibi", {{"mode", mode}}, {.width = heads, .heads = heads, .causal = causal}, {counting(n)})
          ->bias()
          .value());
}

// The bias, and the gradients of the parameters: name in the file -> ours.
void compare_bias(Check& c, Harness<double>& harness, const std::map<std::string, std::string>& parameters,
                  const std::vector<bool>& compared = {}, const std::string& but = "") {
  Recording recording(harness.store());
  const Variable<double> bias = harness.bias();
  c.compare("bias", row_by_row(bias.value()), compared, but);
  if (!c.has_input("grad_bias")) return;
  recording.backward(bias, in_rows_of(bias.cols(), c.input("grad_bias")));
  for (const auto& [theirs, mine] : parameters) c.compare("grad_" + theirs, recording.of(mine));
}

}  // namespace

void check_alibi(Check& c) {
  if (c.has_input("attention_mask")) {  // BLOOM: slope * (running count of kept tokens - 1), for every query alike
    const GoldenArray mask = c.input("attention_mask", 2);
    const std::size_t n = mask.shape[1], heads = c.count("n_heads");
    std::vector<double> bias(mask.shape[0] * heads * n, 0.0);
    for (std::size_t b = 0; b < mask.shape[0]; ++b) {
      std::vector<std::size_t> kept;
      for (std::size_t j = 0; j < n; ++j)
        if (mask.values[b * n + j] == 1) kept.push_back(j);
      if (kept.empty()) continue;
      const Array<double> own = alibi(heads, kept.size(), true);
      for (std::size_t h = 0; h < heads; ++h) {
        const double* last =
            &own((h + 1) * kept.size() - 1, 0);  // less the row's first entry, which softmax cannot see
        for (std::size_t k = 0; k < kept.size(); ++k) bias[(b * heads + h) * n + kept[k]] = last[k] - last[0];
      }
    }
    return c.compare("bias", bias);
  }
  if (!c.has("n_heads")) {
    for (const std::string& name : c.names("outputs")) {
      const std::size_t heads = c.output(name).values.size();
      const Array<double> bias = alibi(heads, 2, true);
      std::vector<double> slopes;
      for (std::size_t h = 0; h < heads; ++h) slopes.push_back(-bias(2 * h + 1, 0));
      c.compare(name, slopes);
    }
    return;
  }
  const std::size_t heads = c.count("n_heads");
  if (c.has("q_len")) {  // the last rows of the square
    const std::size_t rows = c.count("q_len"), n = c.count("k_len");
    const Array<double> square = alibi(heads, n, false);
    std::vector<double> last;
    for (std::size_t h = 0; h < heads; ++h)
      each_value(view(square).block_rows((h + 1) * n - rows, rows), [&](double v) { last.push_back(v); });
    return c.compare("bias", last);
  }
  if (!c.has_input("scores")) return c.compare("bias", alibi(heads, c.output("bias").shape.back(), false, "offset"));

  const GoldenArray scores = c.input("scores", 4);
  const std::size_t sequences = scores.shape[0], n = scores.shape[2];
  const Array<double> causal = alibi(heads, n, true);
  c.compare("bias_causal", causal);
  c.compare("bias_symmetric", alibi(heads, n, false));
  std::vector<double> columns;  // the last row, less its first entry
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t j = 0; j < n; ++j) columns.push_back(causal((h + 1) * n - 1, j) - causal((h + 1) * n - 1, 0));
  c.compare("bias_key_linear", columns);
  const auto harness = made("alibi", {}, {.width = heads * n, .heads = heads}, {counting(n)});
  const Array<double> all = tokens_by_channels(scores);
  Array<double> weights = uninitialized<double>(sequences * n, heads * n);
  for (std::size_t b = 0; b < sequences; ++b) {
    const Array<double> own = harness->weights(Harness<double>::copied(view(all).block_rows(b * n, n)));
    copy(view(own), view(weights).block_rows(b * n, n));
  }
  c.compare("probs_causal", heads_apart(view(std::as_const(weights)), sequences, heads));
}

void check_t5(Check& c) {
  const bool causal = !c.integer("bidirectional");
  const OptionValues options{{"buckets", join(c.integer("num_buckets"))},
                             {"max_distance", join(c.integer("max_distance"))}};
  if (c.has_input("relative_position")) {
    const std::vector<double> displacements = c.input("relative_position", 1).values;  // key - query
    std::vector<double> buckets;
    for (const double d : displacements) buckets.push_back(t5_bucket(options, causal, -d));
    c.compare("buckets_exact", buckets);
    std::vector<bool> same(buckets.size(), true);
    for (const double wrong : c.output("distances_where_exact_differs").values)
      for (std::size_t e = 0; e < same.size(); ++e)
        if (std::abs(displacements[e]) == std::abs(wrong)) same[e] = false;
    c.compare("buckets", buckets, same, "where float32 misses a whole logarithm");
    for (const char* list : {"distances_where_exact_differs", "distances_where_float64_differs"})
      c.leave(list, "a list of the reference's own errors");
    return;
  }
  const std::size_t heads = c.count("n_heads"), n = c.count("k_len"), rows = c.count("q_len"),
                    first = c.count("query_offset");
  if (first + rows > n) throw NotOffered("queries beyond the last key are not offered");
  const auto harness = made("t5", options, {.width = heads, .heads = heads, .causal = causal}, {counting(n)});
  load(*harness, "t5.table", transposed(view(in_rows_of(heads, c.input("table", 2)))));
  const GoldenArray upstream = c.input("grad_bias", 4);
  if (upstream.values.size() != heads * rows * n)
    throw std::runtime_error("inputs/grad_bias is of another size than the bias");
  Recording recording(harness->store());
  const Variable<double> mine = harness->bias();
  const Matrix<double> table = harness->parameter("t5.table");
  Array<double> full = zeros<double>(heads * n, n);
  std::vector<double> bias,
      hidden(heads);  // above the diagonal, where a causal model has no scores, theirs reads bucket 0
  for (std::size_t h = 0, e = 0; h < heads; ++h)
    for (std::size_t i = h * n + first; i < h * n + first + rows; ++i)
      for (std::size_t j = 0; j < n; ++j, ++e) {
        const bool visible = !causal || j <= i - h * n;
        bias.push_back(visible ? mine.value()(i, j) : table(h, 0));
        (visible ? full(i, j) : hidden[h]) += upstream.values[e];
      }
  c.compare("bias", bias);
  recording.backward(mine, full);
  Array<double> gradient = Harness<double>::copied(recording.of("t5.table"));
  for (std::size_t h = 0; h < heads; ++h) gradient(h, 0) += hidden[h];
  c.compare("grad_table", transposed(view(std::as_const(gradient))));
}

void check_kerple(Check& c) {
  const std::size_t heads = c.count("n_heads");
  const ModelShape shape{.width = heads, .heads = heads};
  if (!c.has("kernel")) {
    const auto harness = made("kerple", {{"kernel", "log_power"}}, shape, {counting(c.count("q_len"))});
    for (const auto& [mine, theirs] : {std::pair{"kerple.r1", "b"}, {"kerple.r2", "a"}, {"kerple.r3", "p"}})
      load(*harness, mine, c.input(theirs).values);
    return c.compare("bias", harness->bias().value());
  }
  if (c.real("eps") != 0.01) throw NotOffered("other bounds of the parameters than the published 0.01 are not offered");
  const GoldenArray scores = c.input("scores", 4), upstream = c.input("grad_out", 4);
  const std::size_t sequences = scores.shape[0], n = scores.shape[2];
  const bool log =
      c.text("kernel") == "log";  // their p is r1 of the log kernel and r2, the exponent, of the power kernel
  const std::string a = log ? "kerple.r2" : "kerple.r1", p = log ? "kerple.r1" : "kerple.r2";
  const auto harness = made("kerple", {{"kernel", c.text("kernel")}}, shape, {counting(n)});
  load(*harness, a, c.input("bias_a").values);
  load(*harness, p, c.input("bias_p").values);
  harness->clamp();
  const Array<double> all_scores = in_rows_of(n, scores), all_upstream = in_rows_of(n, upstream);
  std::vector<double> bias, out, d_scores, d_a(heads), d_p(heads);
  for (std::size_t b = 0; b < sequences; ++b) {
    Recording recording(harness->store());
    const auto own = [&](const Array<double>& all) {
      return Harness<double>::copied(view(all).block_rows(b * heads * n, heads * n));
    };
    const Variable<double> in = leaf(own(all_scores)), added = harness->bias(), sum = add(in, added);
    for (const double x : row_by_row(added.value())) bias.push_back(x);
    for (const double x : row_by_row(sum.value())) out.push_back(x);
    recording.backward(sum, own(all_upstream));
    for (const double x : row_by_row(view(in.gradient()))) d_scores.push_back(x);
    for (std::size_t h = 0; h < heads; ++h) d_a[h] += recording.of(a)(h, 0), d_p[h] += recording.of(p)(h, 0);
  }
  c.compare("bias_only", bias);
  c.compare("out", out);
  c.compare("grad_scores", d_scores);
  c.compare("grad_bias_a", d_a);
  c.compare("grad_bias_p", d_p);
}

void check_sandwich(Check& c) {
  const std::size_t heads = c.count("n_heads");
  if (c.integer("q_len") != c.integer("k_len"))
    throw NotOffered("queries that are not the last tokens are not offered");
  compare_bias(
      c,
      *made("sandwich", {{"db", join(c.integer("dim"))}, {"first", "1"}},
            {.width = heads, .heads = heads, .causal = !c.integer("bidirectional")}, {counting(c.count("q_len"))}),
      {});
}

void check_fire(Check& c) {
  if (c.real("eps") != 1e-6) throw NotOffered("other values of epsilon than 1e-6 are not offered");
  const std::size_t heads = c.count("n_heads"), n = c.count("seq_len");
  const auto harness = made("fire", {{"sharing", "per_model"}, {"hidden", join(c.integer("mlp_width"))}},
                            {.width = heads, .heads = heads, .train_positions = c.count("init_L")},
                            {c.has_input("positions") ? c.input("positions", 1).values : counting(n)});
  const std::map<std::string, std::string> parameters{{"w1", "fire.w1"}, {"b1", "fire.b1"},
                                                      {"w2", "fire.w2"}, {"b2", "fire.b2"},
                                                      {"c", "fire.c"},   {"L_multiplier", "fire.threshold"}};
  for (const auto& [theirs, mine] : parameters) load(*harness, mine, c.input(theirs).values);
  compare_bias(c, *harness, parameters, lower_triangle(c.output("bias")), "above the diagonal");
}

void check_relative_2d(Check& c) {
  const std::size_t heads = c.count("n_heads");
  const std::vector<double> window = c.reals("window");
  const std::size_t rows = static_cast<std::size_t>(window.at(0)), columns = static_cast<std::size_t>(window.at(1));
  const auto on_grid = [&](std::size_t h) {
    auto harness = made("swin_bias", {{"height", join(rows)}, {"width", join(columns)}},
                        {.width = h, .heads = h, .causal = false}, {counting(rows * columns)});
    place_grid(*harness, rows, columns);
    return harness;
  };
  const char* const name = "blocks.0.swin_bias.table";
  const auto harness = on_grid(heads);
  load(*harness, name, transposed(view(in_rows_of(heads, c.input("table", 2)))));
  Recording recording(harness->store());
  const Variable<double> bias = harness->bias();
  c.compare("bias", bias.value());
  recording.backward(bias, in_rows_of(bias.cols(), c.input("grad_bias", 3)));
  c.compare("grad_table", transposed(recording.of(name)));
  const auto counted = on_grid(1);  // the index of a pair, read off a table that counts
  const Matrix<double> table = counted->parameter(name);
  count_up(table);
  c.compare("index", counted->bias().value());
}

// The public code maps whole squares, with no bias above the diagonal, and so do tiles that see everything.
void check_dape(Check& c) {
  const GoldenArray scores = c.input("scores", 4), upstream = c.input("grad_out", 4);
  const std::size_t sequences = scores.shape[0], heads = scores.shape[1], n = scores.shape[2], size = heads * n * n;
  if (upstream.shape != scores.shape) throw std::runtime_error("inputs/grad_out is of another size than the scores");
  const auto dape =
      made("dape", {{"width", join(c.integer("mlp_width"))}}, {.width = heads, .heads = heads}, {counting(n)});
  const std::map<std::string, std::string> parameters{{"w1", "blocks.0.dape.hidden"},
                                                      {"b1", "blocks.0.dape.hidden_bias"},
                                                      {"w2", "blocks.0.dape.output"},
                                                      {"b2", "blocks.0.dape.output_bias"}};
  for (const auto& [theirs, mine] : parameters) load(*dape, mine, c.input(theirs).values);
  const auto mixer = dape->encoding().terms({}, dape->context()).mixer;

  std::vector<Array<double>> gradients;
  std::vector<Matrix<double>> inputs;
  for (const auto& input : mixer->inputs()) gradients.push_back(zeros<double>(input.rows(), input.cols()));
  for (auto& gradient : gradients) inputs.push_back(view(gradient));
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const std::vector<KeyRange> visible(n, {0, n});
  std::vector<Tile<double>> tiles;
  for (std::size_t h = 0; h < heads; ++h)
    tiles.push_back({.head = h, .length = n, .query_rows = rows, .visible = visible});
  const auto by_head = [&](Array<double>& all) {
    std::vector<Matrix<double>> each;
    for (std::size_t h = 0; h < heads; ++h) each.push_back(view(all).block_rows(h * n, n));
    return each;
  };
  std::vector<double> out, d_scores;
  for (std::size_t b = 0; b < sequences; ++b) {
    Array<double> content = zeros<double>(heads * n, n), d_content = content, d_bias = content,
                  bias = alibi(heads, n, true);
    copy<double>({scores.values.data() + b * size, heads * n, n, n}, view(content));
    copy<double>({upstream.values.data() + b * size, heads * n, n, n}, view(d_content));
    Scratch<double> scratch;
    mixer->forward(tiles, by_head(content), by_head(bias), scratch);
    TileGradient<double> into{{}, {}, {}, inputs};
    mixer->backward(tiles, by_head(d_content), by_head(d_bias), scratch, into);
    each_value(view(content), [&](double v) { out.push_back(v); });
    each_value(view(d_content), [&](double v) { d_scores.push_back(v); });
  }
  c.compare("out", out);
  c.compare("grad_scores", d_scores);
  const char* const order[] = {"w1", "b1", "w2", "b2"};  // that of the mixer's inputs
  for (std::size_t p = 0; p < 4; ++p) c.compare(join("grad_", order[p]), gradients[p]);
}

}  // namespace lengthwise
