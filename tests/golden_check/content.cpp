#include "core/ops/embedding.h"
#include "core/ops/linear.h"
#include "core/ops/log_sigmoid.h"
#include "core/ops/norm.h"
#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

// The sizes (B, H, n, d) of inputs/q.
struct Sizes {
  std::size_t sequences, heads, n, d;
  explicit Sizes(const GoldenArray& q) : sequences(q.shape[0]), heads(q.shape[1]), n(q.shape[2]), d(q.shape[3]) {}
  ModelShape shape(bool causal = true) const { return {.width = heads * d, .heads = heads, .causal = causal}; }
  std::vector<std::vector<double>> ids() const { return counting(sequences, n); }
  std::vector<double> apart(const Array<double>& x) const { return heads_apart(view(x), sequences, heads); }
};

// (B, H, n, d) of the sizes of q -> [B n, H d].
Array<double> in(const Check& c, const std::string& name) {
  const GoldenArray golden = c.input(name, 4), q = c.input("q", 4);
  if (golden.shape != q.shape) throw std::runtime_error(join("inputs/", name, " and inputs/q are of different sizes"));
  return tokens_by_channels(golden);
}
// (B, n, H, d) -> [B n, H d].
Array<double> side_by_side(const Check& c, const std::string& name) {
  const GoldenArray golden = c.input(name, 4), q = c.input("q", 4);
  if (golden.shape != q.shape) throw std::runtime_error(join("inputs/", name, " and inputs/q are of different sizes"));
  return in_rows_of(golden.shape[2] * golden.shape[3], golden);
}

std::vector<double> one_after_another(const std::vector<Array<double>>& arrays) {
  std::vector<double> values;
  for (const auto& a : arrays) each_value(view(a), [&](double v) { values.push_back(v); });
  return values;
}

Array<double> times(Array<double> x, double factor) {
  rescale(view(x), factor);
  return x;
}

void compare_attended(Check& c, const Attended& got, const Sizes& sizes) {
  c.compare("out", sizes.apart(got.out));
  c.compare("grad_q", sizes.apart(got.q));
  c.compare("grad_k", sizes.apart(got.k));
  c.compare("grad_v", sizes.apart(got.v));
}

}  // namespace

void check_shaw(Check& c) {
  const std::string mask = c.text("mask");
  if (mask != "causal" && mask != "none") throw std::runtime_error(join("no mask is called ", mask));
  const std::string keys = "blocks.0.shaw.keys", values = "blocks.0.shaw.values";
  const auto layer = [&](const ModelShape& shape, const std::vector<std::vector<double>>& ids, bool use_values) {
    auto harness =
        made("shaw", {{"clip", join(c.integer("max_relative_position"))}, {"terms", use_values ? "both" : "keys"}},
             shape, ids);
    load(*harness, keys, c.input("table_k").values);
    if (use_values) load(*harness, values, c.input("table_v").values);
    return harness;
  };
  if (c.has_input("q")) {
    const Sizes sizes(c.input("q", 4));
    const ModelShape shape = sizes.shape(mask == "causal");
    const auto harness = layer(shape, sizes.ids(), true), weighing = layer(shape, sizes.ids(), false);
    const Attended got = attended(*harness, in(c, "q"), in(c, "k"), in(c, "v"), in(c, "grad_out"));
    compare_attended(c, got, sizes);
    c.compare("grad_table_k", got.parameter(*harness, keys));
    c.compare("grad_table_v", got.parameter(*harness, values));
    c.compare("scores", one_after_another(scores_of(*harness, in(c, "q"), in(c, "k"))));
    c.compare("probs", sizes.apart(weights_of(*weighing, in(c, "q"), in(c, "k"))));
    return;
  }
  const GoldenArray x = c.input("x", 3);
  const std::size_t sequences = x.shape[0], n = x.shape[1], heads = c.count("n_heads");
  const ModelShape shape{.width = x.shape[2], .heads = heads, .causal = mask == "causal"};
  const auto harness = layer(shape, counting(sequences, n), true),
             weighing = layer(shape, counting(sequences, n), false);
  std::map<std::string, Variable<double>> leaves{{"x", leaf(x.array())}};
  for (const char* name : {"wq", "bq", "wk", "bk", "wv", "bv", "wo", "bo"}) leaves[name] = leaf(c.input(name).array());
  const auto dense = [&](const char* which, const Variable<double>& from) {
    return linear(from, leaves[join("w", which)], leaves[join("b", which)]);
  };
  Recording recording(harness->store());
  const Variable<double> q = dense("q", leaves["x"]), k = dense("k", leaves["x"]);
  const Array<double> q_values = Harness<double>::copied(q.value()), k_values = Harness<double>::copied(k.value());
  const Variable<double> y = dense("o", attend(*harness, {q, k}, dense("v", leaves["x"])));
  c.compare("out", y.value());
  recording.backward(y, in_rows_of(x.shape[2], c.input("grad_out", 3)));
  for (const auto& [name, variable] : leaves) c.compare("grad_" + name, variable.gradient());
  c.compare("grad_table_k", recording.of(keys));
  c.compare("grad_table_v", recording.of(values));
  c.compare("scores", one_after_another(scores_of(*harness, q_values, k_values)));
  const Array<double> weights = weights_of(*weighing, q_values, k_values);
  c.compare("probs", heads_apart(view(weights), sequences, heads));
}

// The layer around the published attention: keys and values of the memory and of x, queries of x.
void check_transformer_xl(Check& c) {
  const GoldenArray x = c.input("x", 3);
  const std::size_t sequences = x.shape[0], n = x.shape[1], width = x.shape[2], memory = c.count("mem_len"),
                    heads = c.count("n_heads"), all = memory + n;
  const std::map<std::string, std::string> parameters{{"u", "transformer_xl.content_bias"},
                                                      {"v", "transformer_xl.position_bias"},
                                                      {"w_r", "blocks.0.transformer_xl.projection"}};
  const auto harness =
      made("transformer_xl", {{"base", c.number("base")}}, {.width = width, .heads = heads}, counting(sequences, all));
  for (const auto& [theirs, mine] : parameters) load(*harness, mine, c.input(theirs).values);

  Array<double> whole = zeros<double>(sequences * all, width);
  const Array<double> own = x.array(), before = memory ? in_rows_of(width, c.input("mems", 3)) : Array<double>{};
  std::vector<std::size_t> query_offsets{0}, query_rows, rows_of_x;
  for (std::size_t b = 0; b < sequences; ++b) {
    copy(view(own).block_rows(b * n, n), view(whole).block_rows(b * all + memory, n));
    if (memory) copy(view(before).block_rows(b * memory, memory), view(whole).block_rows(b * all, memory));
    for (std::size_t i = 0; i < n; ++i) query_rows.push_back(memory + i), rows_of_x.push_back(b * all + memory + i);
    query_offsets.push_back(query_rows.size());
  }
  const auto of_x = [&](const Array<double>& rows) {
    Array<double> picked = uninitialized<double>(rows_of_x.size(), rows.cols());
    for (std::size_t r = 0; r < rows_of_x.size(); ++r)
      copy(view(rows).block_rows(rows_of_x[r], 1), view(picked).block_rows(r, 1));
    return picked;
  };

  std::map<std::string, Variable<double>> leaves{{"x", leaf(whole)}};
  for (const char* w : {"w_qkv", "w_o", "ln_weight", "ln_bias"}) leaves[w] = leaf(c.input(w).array());
  Recording recording(harness->store());
  const Variable<double> qkv = linear(leaves["x"], leaves["w_qkv"]), asking = select_rows(leaves["x"], rows_of_x);
  const Array<double> q = Harness<double>::copied(columns(qkv, 0, width).value()),
                      k = Harness<double>::copied(columns(qkv, width, width).value());
  const Context context = harness->context();
  const AttentionShape shape{.heads = heads,
                             .offsets = harness->offsets(),
                             .query_offsets = query_offsets,
                             .query_rows = query_rows,
                             .tile_rows = 4};
  const HeadGroup<double> group{
      {0, heads}, harness->encoding().scale(width / heads), harness->encoding().terms({}, context)};
  const Variable<double> mixed = attention(select_rows(columns(qkv, 0, width), rows_of_x), columns(qkv, width, width),
                                           columns(qkv, 2 * width, width), shape, {group});
  const Variable<double> y = layer_norm(add(asking, linear(mixed, leaves["w_o"])), leaves["ln_weight"],
                                        leaves["ln_bias"], c.real("layer_norm_eps"));
  c.compare("out", y.value());
  recording.backward(y, in_rows_of(width, c.input("grad_out", 3)));
  for (const char* w : {"w_qkv", "w_o", "ln_weight", "ln_bias"}) c.compare(join("grad_", w), leaves[w].gradient());
  c.compare("grad_x", of_x(leaves["x"].gradient()));
  for (const auto& [theirs, mine] : parameters) c.compare("grad_" + theirs, recording.of(mine));

  std::vector<double> scores;
  for (const Array<double>& square : scores_of(*harness, q, k))
    for (const double s : row_by_row(view(square).block_rows(memory, n))) scores.push_back(s);
  c.compare("scores", scores);
  c.compare("probs", heads_apart(view(of_x(weights_of(*harness, q, k))), sequences, heads));
  c.leave("sinusoid", "inside the encoding; scores show it");
}

namespace {

// Sequences of a golden batch without the tokens that its mask leaves out.
struct Kept {
  std::vector<std::size_t> rows;  // of the batch
  std::vector<std::vector<double>> ids;
  explicit Kept(const GoldenArray& mask) {
    for (std::size_t b = 0; b < mask.shape[0]; ++b) {
      std::vector<double>& own = ids.emplace_back();
      for (std::size_t i = 0; i < mask.shape[1]; ++i)
        if (mask.values[b * mask.shape[1] + i] == 1) {
          rows.push_back(b * mask.shape[1] + i);
          own.push_back(static_cast<double>(i));
        }
    }
  }
};

// [B, H, n, n] from squares of the kept tokens; `elsewhere` at rows of tokens that are not kept.
std::vector<double> spread(const std::vector<Array<double>>& squares, const Kept& keep, std::size_t heads,
                           std::size_t n, double elsewhere = 0) {
  std::vector<double> all(squares.size() * n * n, 0.0);
  for (std::size_t s = 0; s < squares.size(); ++s) {
    const std::vector<double>& ids = keep.ids[s / heads];
    for (std::size_t i = 0; i < n; ++i)
      if (std::ranges::find(ids, static_cast<double>(i)) == ids.end()) std::fill_n(&all[(s * n + i) * n], n, elsewhere);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::size_t j = 0; j < ids.size(); ++j)
        all[(s * n + static_cast<std::size_t>(ids[i])) * n + static_cast<std::size_t>(ids[j])] = squares[s](i, j);
  }
  return all;
}

void softmax_rows(Array<double>& square) {
  for (std::size_t i = 0; i < square.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < square.cols(); ++j) sum += square(i, j) = std::exp(square(i, j));
    for (std::size_t j = 0; j < square.cols(); ++j) square(i, j) /= sum;
  }
}

// The original code stops at the clip; the other one goes on counting and clips when it looks rows up.
void check_deberta_buckets(Check& c) {
  const std::int64_t buckets = c.integer("bucket_size");
  const OptionValues options{{"buckets", join(buckets)}, {"clip", join(c.integer("max_position"))}};
  const std::vector<double> displacements = c.input("relative_position", 1).values;
  std::vector<double> mine;
  std::vector<bool> inside;
  for (const double x : displacements) {
    mine.push_back(deberta_row(options, x) - static_cast<double>(buckets));
    inside.push_back(std::abs(x) < c.real("max_position"));
  }
  c.compare("buckets_original_code", mine);
  for (const char* unclamped : {"buckets", "buckets_float64"})
    c.compare(unclamped, mine, inside, "beyond max_position");
}

}  // namespace

void check_deberta(Check& c) {
  if (c.has("bucket_size")) return check_deberta_buckets(c);
  const GoldenArray x = c.input("x", 3), mask = c.input("mask", 2);
  if (mask.shape[0] != x.shape[0] || mask.shape[1] != x.shape[1])
    throw std::runtime_error("inputs/mask has no entry for each token of inputs/x");
  const std::size_t n = x.shape[1], tokens = x.shape[0] * n, width = x.shape[2], heads = c.count("n_heads");
  const Kept keep(mask);
  const bool shared = c.integer("share_att_key");  // then the content's projections are those of the positions, too
  const std::map<std::string, std::string> parameters{{"key", shared ? "w_k" : "w_pk"},
                                                      {"key_bias", shared ? "b_k" : "b_pk"},
                                                      {"query", shared ? "w_q" : "w_pq"},
                                                      {"query_bias", shared ? "b_q" : "b_pq"}};
  const auto layer = [&](const char* index) {
    auto harness = made("deberta",
                        {{"clip", join(c.integer("max_relative_positions"))},
                         {"buckets", join(std::max<std::int64_t>(c.integer("position_buckets"), 0))},
                         {"p2c_index", index}},
                        {.width = width, .heads = heads, .causal = false}, keep.ids);
    load(*harness, "deberta.table", c.input("rel_embeddings").values);
    for (const auto& [mine, theirs] : parameters) load(*harness, "blocks.0.deberta." + mine, c.input(theirs).values);
    return harness;
  };
  const auto harness = layer("delta");
  std::map<std::string, Variable<double>> leaves;
  for (const char* name : {"x", "w_q", "b_q", "w_k", "b_k", "w_v", "b_v"}) leaves[name] = leaf(c.input(name).array());
  const Array<double> upstream = in_rows_of(width, c.input("grad_out", 3));
  Array<double> out = zeros<double>(tokens, width), q, k;
  const auto project = [&](const Variable<double>& from, const std::string& which) {
    return linear(from, leaves["w_" + which], leaves["b_" + which]);
  };
  // Puts y where it belongs in the golden output, and differentiates it.
  const auto finish = [&](auto& tape, const Variable<double>& y, const std::vector<std::size_t>& rows) {
    Array<double> own = zeros<double>(rows.size(), width);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      copy(y.value().block_rows(r, 1), view(out).block_rows(rows[r], 1));
      copy(view(upstream).block_rows(rows[r], 1), view(own).block_rows(r, 1));
    }
    tape.backward(y, own);
  };
  {
    Recording recording(harness->store());
    const Variable<double> kept = select_rows(leaves["x"], keep.rows), queries = project(kept, "q"),
                           keys = project(kept, "k");
    q = Harness<double>::copied(queries.value()), k = Harness<double>::copied(keys.value());
    finish(recording, attend(*harness, {queries, keys}, project(kept, "v")), keep.rows);
    c.compare("grad_rel_embeddings", recording.of("deberta.table"));
    for (const std::string which : {"k", "q"})
      for (const std::string kind : {"w", "b"}) {
        const Matrix<const double> of_positions =
            recording.of(join("blocks.0.deberta.", which == "k" ? "key" : "query", kind == "b" ? "_bias" : ""));
        Array<double> of_content = leaves[kind + "_" + which].gradient();
        if (shared)
          accumulate(of_positions, view(of_content));
        else
          c.compare("grad_" + kind + "_p" + which, of_positions);
        c.compare("grad_" + kind + "_" + which, of_content);
      }
  }
  if (keep.rows.size() < tokens) {  // there, rows that see nothing weigh all tokens alike, the masked ones, too
    Tape<double> tape;
    const Variable<double> zero = constant(zeros<double>(tokens, width));
    std::vector<std::size_t> offsets{0}, masked;
    for (std::size_t b = 0; b < x.shape[0]; ++b) offsets.push_back(offsets.back() + n);
    for (std::size_t r = 0; r < tokens; ++r)
      if (!std::ranges::binary_search(keep.rows, r)) masked.push_back(r);
    const Variable<double> mean = attention(zero, zero, project(leaves["x"], "v"),
                                            {.causal = false, .offsets = offsets}, {HeadGroup<double>{{0, 1}, 1, {}}});
    finish(tape, select_rows(mean, masked), masked);
  }
  c.compare("out", out);
  for (const char* name : {"x", "w_v", "b_v"}) c.compare(join("grad_", name), leaves[name].gradient());

  std::vector<Array<double>> squares = scores_of(*harness, q, k);
  c.compare("scores", spread(squares, keep, heads, n));
  c.compare("scores_paper_p2c", spread(scores_of(*layer("neg_delta"), q, k), keep, heads, n));
  for (Array<double>& square : squares) softmax_rows(square);
  c.compare("probs", spread(squares, keep, heads, n, 1 / static_cast<double>(n)));
}

void check_cope(Check& c) {
  const Sizes sizes(c.input("q", 4));
  const bool own = c.integer("separate_gate_key");
  const char *const table = "blocks.0.cope.table", *const gate_key = "blocks.0.cope.gate_key";
  const auto harness = made("cope",
                            {{"positions", join(c.integer("n_positions"))},
                             {"scale", c.integer("divide_position_logits") ? "inside" : "outside"},
                             {"own_gate_key", c.flag("separate_gate_key")}},
                            sizes.shape(), sizes.ids());
  load(*harness, table, transposed(view(in_rows_of(c.count("n_positions"), c.input("pos_emb", 2)))));  // [d, P] there
  Array<double> x = zeros<double>(sizes.sequences * sizes.n, sizes.heads * sizes.d);
  if (own) {  // the projection is the identity, so that x are the keys of the gates
    const Matrix<double> projection = harness->parameter(gate_key);
    fill(projection, 0.0);
    for (std::size_t e = 0; e < projection.rows; ++e) projection(e, e) = 1;
    x = in(c, "key_cope");
  }
  const Attended got = attended(*harness, in(c, "q"), in(c, "k"), in(c, "v"), in(c, "grad_out"), x);
  compare_attended(c, got, sizes);
  if (own) c.compare("grad_key_cope", sizes.apart(got.x));
  c.compare("grad_pos_emb", transposed(got.parameter(*harness, table)));
  c.compare("logits", one_after_another(scores_of(*harness, in(c, "q"), in(c, "k"), x)));
  c.compare("probs", sizes.apart(weights_of(*harness, in(c, "q"), in(c, "k"), x)));
  c.leave("positions", "inside the encoding; logits show them");
}

namespace {

// The bias of all pairs of every sequence, above the diagonal too: [B H n, n].
Variable<double> fox_bias(Harness<double>& harness, const Variable<double>& x, std::size_t heads, std::size_t n) {
  const auto term = harness.encoding().terms(x, harness.context()).scores.at(0);
  const std::size_t sequences = x.rows() / n;
  const auto each = [term, heads, n, sequences](auto work) {
    std::vector<std::size_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const std::vector<KeyRange> visible(n, {0, n});
    for (std::size_t b = 0; b < sequences; ++b)
      for (std::size_t h = 0; h < heads; ++h) {
        Tile<double> tile{
            .sequence = b, .head = h, .begin = b * n, .length = n, .query_rows = rows, .visible = visible};
        tile.k.rows = n;
        Scratch<double> scratch;
        work(tile, (b * heads + h) * n, scratch);
      }
  };
  Array<double> values = zeros<double>(sequences * heads * n, n);
  each([&](const Tile<double>& tile, std::size_t first, Scratch<double>& scratch) {
    term->forward(tile, view(values).block_rows(first, n), scratch);
  });
  return record<double>("bias", std::move(values), term->inputs(),
                        [term, each, n](Array<double>& gradient, Sink<double>& into) {
                          const std::vector<Matrix<double>> inputs{into.accumulator(0)};
                          each([&](const Tile<double>& tile, std::size_t first, Scratch<double>& scratch) {
                            TileGradient<double> to{{}, {}, {}, inputs};
                            term->backward(tile, view(gradient).block_rows(first, n), scratch, to);
                          });
                        });
}

}  // namespace

void check_forget_gate(Check& c) {
  const std::string weight = "blocks.0.fox.weight", offset = "blocks.0.fox.bias";
  if (!c.has_input("q")) {
    if (!c.integer("causal"))
      throw NotOffered("two gates a head, one for each direction, are not offered: fox is causal");
    const GoldenArray x = c.input("x", 3);
    const std::size_t heads = c.count("n_heads");
    const auto harness = made("fox", {}, {.width = x.shape[2], .heads = heads}, counting(x.shape[0], x.shape[1]));
    load(*harness, weight, c.input("w_f").values);
    load(*harness, offset, c.input("b_f").values);
    Recording recording(harness->store());
    const Variable<double> read = leaf(x.array()), bias = fox_bias(*harness, read, heads, x.shape[1]);
    c.compare("bias", bias.value());
    recording.backward(bias, in_rows_of(x.shape[1], c.input("grad_bias", 4)));
    c.compare("grad_w_f", recording.of(weight));
    c.compare("grad_b_f", recording.of(offset));
    c.compare("grad_x", read.gradient());
    return;
  }
  const GoldenArray q = c.input("q", 4);
  const std::size_t sequences = q.shape[0], n = q.shape[1], heads = q.shape[2], width = heads * q.shape[3];
  const auto harness = made("fox", {}, {.width = width, .heads = heads}, counting(sequences, n));
  const Matrix<double> gate = harness->parameter(weight);  // logits are the first H channels of x
  fill(gate, 0.0);
  for (std::size_t h = 0; h < heads; ++h) gate(h, h) = 1;
  fill(harness->parameter(offset), 0.0);
  const Array<double> logits = in_rows_of(heads, c.input("gate_logits", 3));
  if (logits.rows() != sequences * n)
    throw std::runtime_error("inputs/gate_logits has no row for each token of inputs/q");
  Array<double> x = zeros<double>(sequences * n, width);
  copy(view(logits), view(x).block_cols(0, heads));
  const double scale = c.real("scale") / harness->encoding().scale(q.shape[3]);
  const Attended got = attended(*harness, times(side_by_side(c, "q"), scale), side_by_side(c, "k"),
                                side_by_side(c, "v"), side_by_side(c, "grad_out"), x);
  c.compare("out", got.out);
  c.compare("grad_q", times(got.q, scale));
  c.compare("grad_k", got.k);
  c.compare("grad_v", got.v);
  c.compare("grad_gate_logits", view(got.x).block_cols(0, heads));
  c.compare("log_gates", log_sigmoid(constant(logits)).value());
  const Array<double> nothing = zeros<double>(sequences * n, width);
  c.compare("bias", one_after_another(scores_of(*harness, nothing, nothing, x)));
}

void check_ssmax(Check& c) {
  const std::string scale = "blocks.0.ssmax.scale", offset = "blocks.0.ssmax.offset";
  if (c.has_input(
          "q")) {  // queries are scaled by one number of keys: here their channels stand for scores of such rows
    const GoldenArray q = c.input("q", 4);
    const std::size_t heads = q.shape[1], rows = q.shape[2], d = q.shape[3], n = c.count("n");
    if (q.shape[0] != 1 || d > n) throw NotOffered("a row of scores cannot hold the channels");
    const auto harness = made("ssmax", {}, {.width = heads, .heads = heads, .causal = false}, {counting(n)});
    load(*harness, scale, c.input("s").values);
    const auto term = harness->encoding().terms({}, harness->context()).scores.at(0);
    const std::vector<KeyRange> visible(rows, {0, n});
    const std::vector<std::size_t> query_rows(rows, 0);
    std::vector<double> scaled;
    for (std::size_t h = 0; h < heads; ++h) {
      Array<double> scores = zeros<double>(rows, n);
      for (std::size_t e = 0; e < rows * d; ++e) scores(e / d, e % d) = q.values[h * rows * d + e];
      Scratch<double> scratch;
      term->forward({.head = h, .length = n, .query_rows = query_rows, .visible = visible}, view(scores), scratch);
      for (std::size_t e = 0; e < rows * d; ++e) scaled.push_back(scores(e / d, e % d));
    }
    return c.compare("q_scaled", scaled);
  }
  const GoldenArray scores = c.input("scores", 4), upstream = c.input("grad_probs", 4);
  const std::size_t sequences = scores.shape[0], heads = scores.shape[1], n = scores.shape[2];
  if (upstream.shape != scores.shape || scores.shape[3] != n)
    throw std::runtime_error("inputs/scores and inputs/grad_probs are not squares of one size");
  const bool with_offset = c.integer("with_offset");
  Array<double> unit =
      zeros<double>(sequences * n, heads * n);  // as keys and values: queries are scores, outputs weights
  for (std::size_t i = 0; i < sequences * n; ++i)
    for (std::size_t h = 0; h < heads; ++h) unit(i, h * n + i % n) = 1;
  const double root = std::sqrt(static_cast<double>(n));
  for (const char* scope : {"all", "content"}) {  // there is no bias
    const auto harness =
        made("ssmax", {{"offset", c.flag("with_offset")}, {"scope", scope}},
             {.width = heads * n, .heads = heads, .causal = c.integer("causal") == 1}, counting(sequences, n));
    load(*harness, scale, c.input("s").values);
    if (with_offset) load(*harness, offset, c.input("b").values);
    const Attended got =
        attended(*harness, times(tokens_by_channels(scores), root), unit, unit, tokens_by_channels(upstream));
    c.compare("probs", heads_apart(view(got.out), sequences, heads));
    c.compare("grad_scores", heads_apart(view(times(got.q, root)), sequences, heads));
    c.compare("grad_s", got.parameter(*harness, scale));
    if (with_offset) c.compare("grad_b", got.parameter(*harness, offset));
  }
}

void check_stick_breaking(Check& c) {
  const Sizes sizes(c.input("q", 4));
  const auto layer = [&](std::size_t d, const char* remainder) {
    return made("stick_breaking", {{"attend_current", c.flag("attend_current")}, {"remainder", remainder}},
                {.width = sizes.heads * d, .heads = sizes.heads}, sizes.ids());
  };
  const auto self = layer(sizes.d, "self"), drop = layer(sizes.d, "drop");
  const Attended to_itself = attended(*self, in(c, "q"), in(c, "k"), in(c, "v"), in(c, "grad_out"));
  const std::string suffix = "_remainder_to_own_value";
  c.compare("out" + suffix, sizes.apart(to_itself.out));
  c.compare("grad_q" + suffix, sizes.apart(to_itself.q));
  c.compare("grad_k" + suffix, sizes.apart(to_itself.k));
  c.compare("grad_v" + suffix, sizes.apart(to_itself.v));

  const Attended dropped = attended(*drop, in(c, "q"), in(c, "k"), in(c, "v"), in(c, "grad_out"));
  c.compare("out", sizes.apart(dropped.out));
  c.compare("grad_v", sizes.apart(dropped.v));
  const std::vector<double> weights = sizes.apart(weights_of(*drop, in(c, "q"), in(c, "k")));
  c.compare("weights", weights);
  std::vector<double> remainder;
  for (std::size_t r = 0; r < weights.size() / sizes.n; ++r)
    remainder.push_back(1 - std::accumulate(weights.data() + r * sizes.n, weights.data() + (r + 1) * sizes.n, 0.0));
  c.compare("remainder", remainder);

  // grad_q and grad_k are those of sum(out grad_out) + sum(remainder grad_rem). A constant value channel -1 has the
  // output remainder - 1, so one more channel of values brings the second sum in. Heads of 4 d channels halve the usual
  // scale; q is doubled for it.
  const std::size_t d = sizes.d, wide = 4 * d, heads = sizes.heads, n = sizes.n;
  const GoldenArray of_remainder = c.input("grad_rem", 3);
  if (of_remainder.values.size() != sizes.sequences * heads * n)
    throw std::runtime_error("inputs/grad_rem has no entry for each row");
  const auto harness = layer(wide, "drop");
  const auto widened = [&](const char* which, double factor) {
    const Array<double> narrow = in(c, which);
    Array<double> x = zeros<double>(narrow.rows(), heads * wide);
    for (std::size_t h = 0; h < heads; ++h)
      accumulate(view(narrow).block_cols(h * d, d), view(x).block_cols(h * wide, d), factor);
    return x;
  };
  Array<double> v = widened("v", 1), upstream = widened("grad_out", 1);
  for (std::size_t i = 0; i < v.rows(); ++i)
    for (std::size_t h = 0; h < heads; ++h) {
      v(i, h * wide + d) = -1;
      upstream(i, h * wide + d) = of_remainder.values[(i / n * heads + h) * n + i % n];
    }
  const Attended got = attended(*harness, widened("q", 2), widened("k", 1), v, upstream);
  const auto narrowed = [&](const Array<double>& x, double factor) {
    Array<double> narrow = zeros<double>(x.rows(), heads * d);
    for (std::size_t h = 0; h < heads; ++h)
      accumulate(view(x).block_cols(h * wide, d), view(narrow).block_cols(h * d, d), factor);
    return sizes.apart(narrow);
  };
  c.compare("grad_q", narrowed(got.q, 2));
  c.compare("grad_k", narrowed(got.k, 1));
}

}  // namespace lengthwise
