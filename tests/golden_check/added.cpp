#include "core/ops/embedding.h"
#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

// What an encoding adds to embeddings of zeros.
void compare_table(Check& c, const std::string& output, Harness<double>& harness, std::size_t width) {
  c.compare(output, harness.embed(zeros<double>(harness.offsets().back(), width)));
}

}  // namespace

// Three different tables; the function that made one tells which.
void check_sinusoidal(Check& c) {
  const std::string made_by = c.reference_files();
  const auto by = [&](const char* name) { return made_by.find(name) != std::string::npos; };
  OptionValues options{{"base", c.number("base")}};
  if (by("marian"))
    options.insert({"layout", "concat"});
  else if (by("get_timing_signal_1d") || by("fairseq"))
    options.insert({{"layout", "concat"}, {"bank", "tensor2tensor"}});
  else if (!by("_create_sinusoidal_embeddings"))
    throw std::runtime_error(join("of the three tables, which is that of ", made_by, "?"));
  const std::size_t width = c.count("dim");
  const auto harness = made("sinusoidal", options, {.width = width}, {counting(c.count("n_positions"))});
  compare_table(c, "table", *harness, width);
}

void check_bert_embeddings(Check& c) {
  const GoldenArray tokens = c.input("token_ids", 2),
                    given = c.has_input("position_ids") ? c.input("position_ids", 2) : GoldenArray{};
  const GoldenArray word = c.input("word", 2);
  const std::size_t B = tokens.shape[0], n = tokens.shape[1], width = word.shape[1];
  std::vector<std::vector<double>> ids(B, counting(n));
  for (std::size_t t = 0; t < given.values.size() && t < B * n; ++t) ids[t / n][t % n] = given.values[t];
  const auto harness =
      made("bert",
           {{"positions", join(c.input("position", 2).shape[0])}, {"segments", join(c.input("segment", 2).shape[0])}},
           {.width = width, .causal = false}, ids);
  if (c.real("layer_norm_eps") != 1e-12) throw NotOffered("other values of epsilon than 1e-12 are not offered");
  harness->positions().set("segment", c.input("segment_ids", 2).values);
  const std::map<std::string, std::string> parameters{{"position", "bert.positions"},
                                                      {"segment", "bert.segments"},
                                                      {"ln_weight", "bert.norm.gain"},
                                                      {"ln_bias", "bert.norm.bias"}};
  for (const auto& [theirs, mine] : parameters) load(*harness, mine, c.input(theirs).values);

  const auto words = tokens.integers<std::size_t>();
  for (const std::size_t w : words)
    if (w >= word.shape[0]) throw std::runtime_error(join("inputs/token_ids has token ", w, " of ", word.shape[0]));
  Recording recording(harness->store());
  const Variable<double> table = leaf(word.array());
  const Variable<double> x = embedding(table, words), out = harness->encoding().embed(x, harness->context());
  c.compare("out", out.value());
  recording.backward(out, in_rows_of(width, c.input("grad_out", 3)));
  for (const auto& [theirs, mine] : parameters) c.compare("grad_" + theirs, recording.of(mine));
  // Words are the model's, where the padding token learns like any other.
  std::vector<bool> compared(word.values.size(), true);
  const std::size_t padding = c.count("padding_token");
  if (padding < word.shape[0])
    std::fill_n(compared.begin() + static_cast<std::ptrdiff_t>(padding * width), width, false);
  c.compare("grad_word", row_by_row(view(table.gradient())), compared, "the padding token's row");
}

void check_vit_pos_grid(Check& c) {
  const bool bare = c.has_input("grid");
  const GoldenArray table = bare ? c.input("grid", 3) : c.input("table", 3);
  const std::size_t width = table.shape[2];
  std::size_t prefix = 0, old_rows = 0, old_columns = 0, rows = 0, columns = 0;
  OptionValues options{{"antialias", c.flag("antialias")}};
  const auto pair = [&](const char* name, std::size_t& first, std::size_t& second) {
    const std::vector<double> both = c.reals(name);
    first = static_cast<std::size_t>(both.at(0)), second = static_cast<std::size_t>(both.back());
  };
  if (bare) {
    const std::map<std::string, std::string> kernels{
        {"bicubic", "cubic"}, {"bilinear", "linear"}, {"nearest", "nearest"}};
    const auto kernel = kernels.find(c.text("mode"));
    if (kernel == kernels.end()) throw NotOffered(join("resampling by ", c.text("mode"), " is not offered"));
    options.insert({{"kernel", kernel->second}, {"align_corners", c.flag("align_corners")}});
    const GoldenArray out = c.input("grad_out", 3);
    old_rows = table.shape[0], old_columns = table.shape[1], rows = out.shape[0], columns = out.shape[1];
  } else if (c.has("new_size")) {
    pair("old_size", old_rows, old_columns), pair("new_size", rows, columns);
    prefix = c.count("num_prefix_tokens");
  } else {
    pair("grid", old_rows, old_columns);
    rows = c.count("height") / c.count("patch_size"), columns = c.count("width") / c.count("patch_size");
    prefix = 1;
  }
  options.insert({{"rows", join(old_rows)}, {"columns", join(old_columns)}, {"prefix", join(prefix)}});
  const auto harness =
      made("vit_learned", options, {.width = width, .causal = false}, {counting(prefix + rows * columns)});
  place_grid(*harness, rows, columns, prefix);
  load(*harness, "vit_learned.table", table.values);
  Recording recording(harness->store());
  const Variable<double> out =
      harness->encoding().embed(constant(zeros<double>(prefix + rows * columns, width)), harness->context());
  c.compare("out", out.value());
  if (!c.has_input("grad_out")) return;
  recording.backward(out, in_rows_of(width, c.input("grad_out", 3)));
  c.compare("grad_grid", recording.of("vit_learned.table"));
}

// timm interleaves sine and cosine by axis, or puts all sines first.
void check_sincos2d(Check& c) {
  const std::vector<double> size = c.reals("feat_shape");
  const std::size_t rows = static_cast<std::size_t>(size.at(0)), columns = static_cast<std::size_t>(size.at(1)),
                    width = c.count("dim");
  const bool by_axis = c.has("interleave_sin_cos") && c.integer("interleave_sin_cos");
  const auto harness =
      made("sincos2d", {{"layout", by_axis ? "by_axis" : "by_function"}, {"base", c.number("temperature")}},
           {.width = width, .causal = false}, {counting(rows * columns)});
  place_grid(*harness, rows, columns);
  compare_table(c, "table", *harness, width);
}

}  // namespace lengthwise
