#include "tests/golden_check/families.h"

namespace lengthwise {

void check_abacus(Check& c) {
  const GoldenArray tokens = c.input("token_ids", 2);
  const std::vector<double> digits = c.input("digit_ids", 1).values;
  std::map<std::string, std::vector<double>> hints;  // which tokens are digits, as a task would say it
  for (const double token : tokens.values) hints["digit"].push_back(std::ranges::find(digits, token) != digits.end());
  std::vector<std::size_t> offsets{0};
  for (std::size_t b = 0; b < tokens.shape[0]; ++b) offsets.push_back(offsets.back() + tokens.shape[1]);
  const std::int64_t offset = c.integer("offset");
  const auto scheme =
      make_scheme("abacus_ids", Options(schemes().at("abacus_ids").section, {{"max_offset", join(offset)}}));
  const std::vector<double> theirs = c.output("position_ids").values;
  // Public code draws with another generator: look for a batch that drew the same offset, which moves the largest id.
  std::vector<double> mine;
  for (std::int64_t seed = 0; seed <= 100 * offset; ++seed) {
    const Rng rng(static_cast<std::uint64_t>(seed));
    std::vector<Rng> streams(tokens.shape[0], rng);
    Positions positions;
    scheme->assign({.phase = offset ? Phase::train : Phase::evaluate,
                    .offsets = offsets,
                    .hints = &hints,
                    .sequence_rng = streams,
                    .batch_rng = rng},
                   positions);
    const auto ids = positions.channel("digit");
    mine.assign(ids.begin(), ids.end());
    if (theirs.empty() || std::ranges::max(mine) == std::ranges::max(theirs)) break;
  }
  c.compare("position_ids", mine);
}

namespace {

std::vector<double> sorted(std::vector<double> draw) {
  std::ranges::sort(draw);
  return draw;
}

// The public form replaces distance d by the d-th smallest of a draw, on each side. No ids do that for all queries at
// once, so every query gets its own: itself at 0, and the keys where its draw puts them. The mirrored form takes half a
// position off on both sides: a symmetric bias of such distances.
void check_sampled_alibi(Check& c) {
  const std::size_t heads = c.count("n_heads"), n = c.count("q_len");
  if (n != c.count("k_len")) throw NotOffered("queries that are not the last tokens are not offered");
  const bool mirrored = !c.integer("randomize_both_sides");
  std::vector<double> right = sorted(c.input("draw", 1).values),
                      left = mirrored ? right : sorted(c.input("draw_left", 1).values);
  if (left.size() + 1 < n || right.size() + 1 < n) throw std::runtime_error("fewer distances are drawn than there are");
  for (auto* draw : {&left, &right})
    for (double& distance : *draw) distance -= mirrored ? 0.5 : 0;
  std::vector<double> bias(heads * n * n);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> ids(n, 0.0);
    for (std::size_t j = 0; j < i; ++j) ids[j] = -left[i - j - 1];
    for (std::size_t j = i + 1; j < n; ++j) ids[j] = right[j - i - 1];
    const auto harness = made("alibi", {{"mode", mirrored ? "symmetric" : "offset"}},
                              {.width = heads, .heads = heads, .causal = false}, {ids});
    const Variable<double> own = harness->bias();
    for (std::size_t h = 0; h < heads; ++h) std::copy_n(own.value().row(h * n + i), n, &bias[(h * n + i) * n]);
  }
  c.compare("bias", bias);
}

// This public code takes the sinusoid of key minus query, and projects by x @ w: ids that fall instead of rise.
void check_relative(Check& c) {
  if (c.integer("causal"))
    throw NotOffered("a distance whose sinusoid depends on the length, as released, is not offered");
  const GoldenArray q = c.input("q", 4), k = c.input("k", 4);  // (B, n, H, d)
  const std::size_t n = q.shape[1], width = q.shape[2] * q.shape[3];
  if (k.shape != q.shape) throw std::runtime_error("inputs/q and inputs/k are of different sizes");
  std::vector<double> falling = counting(n);
  for (double& p : falling) p = -p;
  const auto harness = made("transformer_xl", {}, {.width = width, .heads = q.shape[2], .causal = false},
                            std::vector(q.shape[0], falling));
  load(*harness, "transformer_xl.content_bias", c.input("u", 2).values);
  load(*harness, "transformer_xl.position_bias", c.input("v", 2).values);
  load(*harness, "blocks.0.transformer_xl.projection", transposed(view(in_rows_of(width, c.input("w_r", 2)))));
  std::vector<double> scores;
  for (const Array<double>& square : scores_of(*harness, in_rows_of(width, q), in_rows_of(width, k)))
    each_value(view(square), [&](double v) { scores.push_back(v / harness->encoding().scale(q.shape[3])); });
  c.compare("scores", scores);
}

}  // namespace

void check_randomized(Check& c) {
  if (c.has_input("w_r")) return check_relative(c);
  if (c.has("randomize_both_sides")) return check_sampled_alibi(c);
  const std::vector<double> ids = sorted(c.input("draw", 1).values);
  if (c.has_input("x")) {
    const GoldenArray x = c.input("x", 4);  // (B, n, H, d)
    const std::size_t width = x.shape[2] * x.shape[3];
    if (ids.size() != x.shape[1]) throw std::runtime_error("inputs/draw has no id for each token of inputs/x");
    const auto harness = made(
        "rope", {{"layout", c.text("layout") == "interleaved" ? "interleaved" : "half"}, {"base", c.number("base")}},
        {.width = width, .heads = x.shape[2]}, std::vector(x.shape[0], ids));
    c.compare("x_rot", harness->rotate(in_rows_of(width, x)));
  } else {
    const std::size_t width = c.count("dim");
    const auto harness = made("sinusoidal", {{"layout", "concat"}}, {.width = width}, {ids});
    c.compare("encodings", harness->embed(zeros<double>(ids.size(), width)));
  }
  c.leave("positions", "the draw in order, which is fed in");
}

}  // namespace lengthwise
