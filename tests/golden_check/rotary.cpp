#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

std::string layout_of(const Check& c) {
  const std::string layout = c.has("layout") ? c.text("layout") : "half_split";
  if (layout == "half_split") return "half";
  if (layout == "interleaved") return "interleaved";
  throw std::runtime_error(join("no layout is called ", layout));
}

// inputs/positions, one sequence for each of B rows.
std::vector<std::vector<double>> ids_of(const Check& c, std::size_t B, std::size_t n) {
  const GoldenArray positions = c.input("positions", 2);
  if (positions.shape != std::vector{B, n})
    throw std::runtime_error("inputs/positions has no id for each token of inputs/q");
  std::vector<std::vector<double>> ids;
  for (std::size_t b = 0; b < B; ++b)
    ids.emplace_back(positions.values.data() + b * n, positions.values.data() + (b + 1) * n);
  return ids;
}

// The angle of every pair, seen in what becomes of unit vectors.
struct Turned {
  Array<double> cos, sin;                    // [tokens, H pairs], times the attention factor
  std::vector<double> frequencies() const {  // of token 0, at position 1
    std::vector<double> w;
    for (std::size_t m = 0; m < cos.cols(); ++m) w.push_back(std::atan2(sin(0, m), cos(0, m)));
    return w;
  }
  double factor() const { return std::hypot(cos(0, 0), sin(0, 0)); }
};
Turned turned(Harness<double>& harness, const std::string& layout, std::size_t heads, std::size_t d,
              std::size_t rotary) {
  const std::size_t tokens = harness.offsets().back(), pairs = rotary / 2;
  const bool half = layout == "half";
  const auto real = [&](std::size_t m) { return half ? m : 2 * m; };
  const auto imaginary = [&](std::size_t m) { return half ? m + pairs : 2 * m + 1; };
  Array<double> x = zeros<double>(tokens, heads * d);
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t p = 0; p < heads * pairs; ++p) x(t, p / pairs * d + real(p % pairs)) = 1;
  const Array<double> y = harness.rotate(x);
  Turned seen{uninitialized<double>(tokens, heads * pairs), uninitialized<double>(tokens, heads * pairs)};
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t p = 0; p < heads * pairs; ++p) {
      seen.cos(t, p) = y(t, p / pairs * d + real(p % pairs));
      seen.sin(t, p) = y(t, p / pairs * d + imaginary(p % pairs));
    }
  return seen;
}

// Files hold an angle once a pair, or once a channel in the order of the layout.
std::vector<double> as_in_file(const Array<double>& of_pairs, const GoldenArray& file, const std::string& layout) {
  const std::size_t pairs = of_pairs.cols(), cols = file.shape.empty() ? 0 : file.shape.back();
  std::vector<double> values;
  for (std::size_t t = 0; t < of_pairs.rows(); ++t)
    for (std::size_t c = 0; c < cols; ++c)
      values.push_back(of_pairs(t, cols != 2 * pairs ? c % pairs : layout == "half" ? c % pairs : c / 2));
  return values;
}
void compare_angles(Check& c, const Turned& seen, const std::string& layout) {
  for (const auto& [name, values] : {std::pair{"cos", &seen.cos}, {"sin", &seen.sin}})
    if (c.has_output(name)) c.compare(name, as_in_file(*values, c.output(name), layout));
}

// q and k turned, their products, and the gradients of these. The queries (B, H, rows, d) are the last of the n tokens.
void compare_turned(Check& c, Harness<double>& harness, const std::string& suffix = "") {
  const GoldenArray q = c.input("q", 4), k = c.input("k", 4), upstream = c.input("grad_scores", 4);
  const std::size_t B = k.shape[0], H = k.shape[1], n = k.shape[2], d = k.shape[3], rows = q.shape[2];
  if (upstream.shape != std::vector<std::size_t>{B, H, rows, n} || q.shape != std::vector<std::size_t>{B, H, rows, d} ||
      rows > n)
    throw std::runtime_error("q, k and grad_scores are of different sizes");
  const std::size_t first = n - rows;
  // The hook takes all tokens; those that do not ask stay zero.
  const Array<double> asking = tokens_by_channels(q);
  Array<double> q_in = zeros<double>(B * n, H * d);
  for (std::size_t b = 0; b < B; ++b)
    copy(view(asking).block_rows(b * rows, rows), view(q_in).block_rows(b * n + first, rows));
  const auto asked = [&](Matrix<const double> all) {
    Array<double> own = uninitialized<double>(B * rows, H * d);
    for (std::size_t b = 0; b < B; ++b) copy(all.block_rows(b * n + first, rows), view(own).block_rows(b * rows, rows));
    return heads_apart(view(own), B, H);
  };
  for (const bool of_q : {true, false}) {
    Recording recording(harness.store());
    const QueryKey<double> in{leaf(q_in), leaf(tokens_by_channels(k))},
        out = harness.encoding().transform(in, harness.context());
    std::vector<double> scores;
    Array<double> d_q = zeros<double>(B * n, H * d), d_k = zeros<double>(B * n, H * d);
    for (std::size_t b = 0, e = 0; b < B; ++b)
      for (std::size_t h = 0; h < H; ++h)
        for (std::size_t i = b * n + first; i < (b + 1) * n; ++i)
          for (std::size_t j = b * n; j < (b + 1) * n; ++j, ++e) {
            double sum = 0;
            for (std::size_t ch = h * d; ch < (h + 1) * d; ++ch) {
              sum += out.q.value()(i, ch) * out.k.value()(j, ch);
              d_q(i, ch) += upstream.values[e] * out.k.value()(j, ch);
              d_k(j, ch) += upstream.values[e] * out.q.value()(i, ch);
            }
            scores.push_back(sum);
          }
    if (of_q) {
      c.compare("scores", scores);
      if (c.has_output("q_rot" + suffix)) {
        c.compare("q_rot" + suffix, asked(out.q.value()));
        c.compare("k_rot" + suffix, heads_apart(out.k.value(), B, H));
      }
      recording.backward(out.q, d_q);
      c.compare("grad_q", asked(view(in.q.gradient())));
    } else {
      recording.backward(out.k, d_k);
      const Array<double> gradient = in.k.gradient();
      c.compare("grad_k", heads_apart(view(gradient), B, H));
    }
  }
}

ModelShape heads_of(std::size_t heads, std::size_t d, bool causal = true) {
  return {.width = heads * d, .heads = heads, .causal = causal};
}

}  // namespace

void check_rope(Check& c) {
  const GoldenArray q = c.input("q", 4);
  const std::size_t H = q.shape[1], d = q.shape[3], rotary = c.has("rotary_dim") ? c.count("rotary_dim") : d;
  const std::string layout = layout_of(c);
  const OptionValues options{{"base", c.number("base")},
                             {"layout", layout},
                             {"fraction", number_text(static_cast<double>(rotary) / static_cast<double>(d))}};
  const auto ids = ids_of(c, q.shape[0], q.shape[2]);
  const auto harness = made("rope", options, heads_of(H, d), ids);
  compare_turned(c, *harness);
  const auto one_head = made("rope", options, heads_of(1, d), ids);
  compare_angles(c, turned(*one_head, layout, 1, d, rotary), layout);
  if (!c.has_output("inv_freq")) return;
  const auto at_1 = made("rope", options, heads_of(1, d), {{1}});
  c.compare("inv_freq", turned(*at_1, layout, 1, d, rotary).frequencies());
}

// Frequencies are read off what a token at position 1 of a sequence of n tokens turns by.
void check_rope_scaling(Check& c) {
  const std::string method = c.text("method");
  const std::map<std::string, std::string> names{{"ntk_aware", "ntk"}, {"dynamic_linear", "linear"}};
  const std::size_t d = c.count("head_dim");
  OptionValues options{{"base", c.number("base")}, {"scaling", names.count(method) ? names.at(method) : method}};
  for (const char* same : {"factor", "beta_fast", "beta_slow", "low_freq_factor", "high_freq_factor", "mscale",
                           "mscale_all_dim", "attention_factor"})
    if (c.has(same)) options[same] = c.number(same);
  if (c.has("alpha")) options["factor"] = c.number("alpha");
  if (c.has("truncate")) options["truncate"] = c.flag("truncate");
  options["original_length"] = c.has("original_max_position") ? join(c.integer("original_max_position")) : "1";
  for (const auto& [constant, value] : std::map<std::string, double>{{"beta_0", 1.25},
                                                                     {"beta_1", 0.75},
                                                                     {"gamma_0", 16},
                                                                     {"gamma_1", 2},
                                                                     {"extrapolation_factor", 1},
                                                                     {"ntk_factor", 1}})
    if (c.has(constant) && c.real(constant) != value)
      throw NotOffered(join("another ", constant, " than the published ", value, " is not offered"));
  const auto seen = [&](std::size_t n, double position, const OptionValues& more = {}) {
    OptionValues all = options;
    for (const auto& [name, value] : more) all[name] = value;
    return turned(*made("rope", all, heads_of(1, d), {std::vector<double>(n, position)}), "half", 1, d, d);
  };

  if (c.has_input("q")) {
    const GoldenArray q = c.input("q", 4);
    const auto ids = ids_of(c, q.shape[0], q.shape[2]);
    options["layout"] = layout_of(c);
    compare_turned(c, *made("rope", options, heads_of(q.shape[1], d), ids));
    compare_angles(c, turned(*made("rope", options, heads_of(1, d), ids), layout_of(c), 1, d, d), layout_of(c));
    return;
  }
  if (method == "longrope") {
    const auto text_of = [&](const char* name) {
      std::string text;
      for (const double factor : c.input(name, 1).values) text += (text.empty() ? "" : ",") + number_text(factor);
      return text;
    };
    const std::size_t L = c.count("original_max_position");
    options.insert({{"short_factors", text_of("short_factor")}, {"long_factors", text_of("long_factor")}});
    options["factor"] = number_text(c.real("max_position") / static_cast<double>(L));
    c.compare("inv_freq_short", seen(L, 1).frequencies());
    c.compare("inv_freq_long", seen(L + 1, 1).frequencies());
    c.compare("attention_factor", {seen(L + 1, 1).factor()});
    return;
  }
  if (c.has_input("seq_len")) {
    std::vector<double> w, factors, last;
    for (const double n : c.input("seq_len", 1).values) {
      const Turned at_1 = seen(static_cast<std::size_t>(n), 1), at_end = seen(static_cast<std::size_t>(n), n - 1);
      for (const double x : at_1.frequencies()) w.push_back(x);
      factors.push_back(at_1.factor());
      for (const Array<double>* part : {&at_end.cos, &at_end.sin})
        for (std::size_t ch = 0; ch < d; ++ch) last.push_back((*part)(0, ch % (d / 2)));
    }
    if (c.has_output("inv_freq")) c.compare("inv_freq", w);
    if (c.has_output("attention_factor")) c.compare("attention_factor", factors);
    if (c.has_output("last_row_cos_sin")) c.compare("last_row_cos_sin", last);
    return;
  }
  c.compare("inv_freq", seen(1, 1).frequencies());
  if (c.has_output("attention_factor")) c.compare("attention_factor", {seen(1, 1).factor()});
  if (c.has_output("inv_freq_paper_formula"))
    c.compare("inv_freq_paper_formula", seen(1, 1, {{"ramp", "turns"}}).frequencies());
  if (c.has_output("cos")) {
    const std::size_t n = c.output("cos").shape.at(0);
    compare_angles(c, turned(*made("rope", options, heads_of(1, d), {counting(n)}), "half", 1, d, d), "half");
  }
}

void check_rope2d(Check& c) {
  if (c.has_output("table")) return check_sincos2d(c);
  const std::string layout = c.has("layout") ? layout_of(c) : "interleaved";
  if (c.has_input("x")) {  // timm: rows first unless its grid is indexed the other way
    if (c.integer("in_pixels"))
      throw NotOffered("frequencies spaced evenly over the pixels of an image are not offered");
    const std::vector<double> size = c.reals("feat_shape");
    const std::size_t rows = static_cast<std::size_t>(size.at(0)), columns = static_cast<std::size_t>(size.at(1)),
                      d = c.count("dim");
    const bool by_column = c.has("grid_indexing") && c.text("grid_indexing") == "xy";
    const auto harness =
        made("rope2d_axial",
             {{"base", c.number("temperature")}, {"order", by_column ? "column" : "row"}, {"layout", layout}},
             heads_of(1, d, false), {counting(rows * columns)});
    place_grid(*harness, rows, columns);
    if (c.has("ref_feat_shape")) {
      const std::vector<double> trained = c.reals("ref_feat_shape");
      std::map<std::string, std::vector<double>> hints;
      for (const char* axis : {"row", "column"}) {
        const auto ids = harness->positions().channel(axis);
        hints[axis] = {ids.begin(), ids.end()};
      }
      const auto scheme = make_scheme(
          "grid", Options(schemes().at("grid").section, {{"reference_rows", number_text(trained.at(0))},
                                                         {"reference_columns", number_text(trained.at(1))}}));
      const Rng rng(1);
      scheme->assign(
          {.phase = Phase::evaluate, .offsets = harness->offsets(), .hints = &hints, .sequence_rng = {&rng, 1}},
          harness->positions());
    }
    c.compare("x_rot", harness->rotate(in_rows_of(d, c.input("x", 3))));
    compare_angles(c, turned(*harness, layout, 1, d, d), layout);
    return;
  }
  const GoldenArray q = c.input("q", 4);
  const std::size_t B = q.shape[0], H = q.shape[1], d = q.shape[3], rows = c.count("height"),
                    columns = c.count("width");
  const bool learned = c.has_input("freqs");
  OptionValues options{{"layout", layout}};
  if (!learned) options["base"] = c.number("base");
  const auto on_grid = [&](std::size_t sequences, std::size_t heads) {
    auto harness = made(learned ? "rope2d_mixed" : "rope2d_axial", options, heads_of(heads, d, false),
                        std::vector<std::vector<double>>(sequences, counting(rows * columns)));
    std::vector<double> row, column;
    for (std::size_t t = 0; t < sequences * rows * columns; ++t) {
      row.push_back(static_cast<double>(t % (rows * columns) / columns));
      column.push_back(static_cast<double>(t % columns));
    }
    harness->positions().set("row", std::move(row));
    harness->positions().set("column", std::move(column));
    if (learned)  // [x or y, 1, heads * pairs]
      load(*harness, "blocks.0.rope2d_mixed.frequencies",
           transposed(view(in_rows_of(heads * d / 2, c.input("freqs")))));
    return harness;
  };
  compare_turned(c, *on_grid(B, H));
  const std::size_t heads = learned ? H : 1;
  const Turned seen = turned(*on_grid(1, heads), layout, heads, d, d);
  for (const auto& [name, values] : {std::pair{"cos", &seen.cos}, {"sin", &seen.sin}})  // head by head
    c.compare(name, heads_apart(view(*values), 1, heads));
}

void check_xpos(Check& c) {
  const GoldenArray k = c.input("k", 4);
  const std::size_t B = k.shape[0], H = k.shape[1], n = k.shape[2], d = k.shape[3];
  const auto harness = made("xpos",
                            {{"base", c.number("base")},
                             {"scale_base", c.number("scale_base")},
                             {"gamma", c.number("gamma")},
                             {"layout", layout_of(c)}},
                            heads_of(H, d), c.has_input("positions") ? ids_of(c, B, n) : std::vector(B, counting(n)));
  // The middle that powers are counted from is free. torchscale's is ours for an even number of tokens.
  compare_turned(c, *harness, "_centre_floor_half");
  if (n % 2 == 0) return compare_turned(c, *harness);
  for (const char* name : {"q_rot", "k_rot"})
    c.leave(name, "scaled from another middle token, which drops out of the scores");
}

}  // namespace lengthwise
