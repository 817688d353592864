#include "core/ops/activation.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cross_entropy.h"
#include "core/ops/linear.h"
#include "core/ops/log_sigmoid.h"
#include "core/ops/norm.h"
#include "core/optimizer.h"
#include "experiments/model/transformer.h"
#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

Array<double> filled(std::size_t cols, double value) {
  Array<double> row = uninitialized<double>(1, cols);
  fill(view(row), value);
  return row;
}

// What y = f(leaves) and its gradients are; leaves by the names of their datasets.
using Leaves = std::map<std::string, Variable<double>>;
void compare_function(Check& c, const std::vector<std::string>& names,
                      const std::function<Variable<double>(Leaves&)>& f) {
  Leaves leaves;
  for (const std::string& name : names) leaves[name] = leaf(c.input(name).array());
  Tape<double> tape;
  const Variable<double> y = f(leaves);
  c.compare("out", y.value());
  tape.backward(y, in_rows_of(y.cols(), c.input("grad_out")));
  for (const std::string& name : names) c.compare("grad_" + name, leaves[name].gradient());
}

void check_activation(Check& c) {
  const std::map<std::string, std::function<Variable<double>(const Variable<double>&)>> known{
      {"gelu", [](const auto& x) { return gelu(x); }},
      {"gelu(approximate=tanh)", [](const auto& x) { return gelu_tanh(x); }},
      {"relu", [](const auto& x) { return relu(x); }},
      {"silu", [](const auto& x) { return swiglu(x, constant(filled(x.cols(), 1))); }},
      {"logsigmoid", [](const auto& x) { return log_sigmoid(x); }},
      {"softplus", [](const auto& x) { return scale(log_sigmoid(scale(x, -1.0)), -1.0); }}};
  const std::string made_by = c.reference_files(), module = "torch.nn.functional.";
  const auto found = known.find(made_by.starts_with(module) ? made_by.substr(module.size()) : made_by);
  if (found == known.end()) throw NotOffered(join(made_by, " is not offered as an activation"));
  compare_function(c, {"x"}, [&](Leaves& leaves) { return found->second(leaves["x"]); });
}

// A batch scores the rows it means to score: those whose targets are ignored are left out.
void check_cross_entropy(Check& c) {
  if (c.real("label_smoothing") != 0) throw NotOffered("label smoothing is not offered");
  const Array<double> all = c.input("logits", 2).array();
  const auto all_targets = c.input("targets", 1).integers<int>();
  if (all_targets.size() != all.rows())
    throw std::runtime_error("inputs/targets has no entry for each row of inputs/logits");
  std::vector<std::size_t> kept;
  std::vector<int> targets;
  for (std::size_t i = 0; i < all_targets.size(); ++i)
    if (all_targets[i] != c.integer("ignore_index")) kept.push_back(i), targets.push_back(all_targets[i]);
  for (const int target : targets)
    if (target < 0 || static_cast<std::size_t>(target) >= all.cols())
      throw std::runtime_error("inputs/targets names a class that is none");
  Array<double> logits = uninitialized<double>(kept.size(), all.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) copy(view(all).block_rows(kept[i], 1), view(logits).block_rows(i, 1));

  Tape<double> tape;
  const Variable<double> x = leaf(logits);
  ScoredRows rows;
  const Variable<double> loss =
      cross_entropy(x, targets, c.text("reduction") == "mean" ? 1 / static_cast<double>(kept.size()) : 1.0, &rows);
  c.compare("loss", loss.value());
  tape.backward(loss);
  Array<double> gradient = zeros<double>(all.rows(), all.cols());
  const Array<double> of_kept = x.gradient();
  std::vector<double> per_token(all_targets.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    copy(view(of_kept).block_rows(i, 1), view(gradient).block_rows(kept[i], 1));
    per_token[kept[i]] = rows[i].loss;
  }
  c.compare("grad_logits", gradient);
  c.compare("per_token", per_token);
}

void check_self_attention(Check& c) {
  const GoldenArray x = c.input("x", 3);
  const std::size_t width = x.shape[2], heads = c.count("n_heads");
  std::vector<std::size_t> offsets{0};
  for (std::size_t b = 0; b < x.shape[0]; ++b) offsets.push_back(offsets.back() + x.shape[1]);
  compare_function(c, {"x", "w_qkv", "b_qkv", "w_o", "b_o"}, [&](Leaves& leaves) {
    const Variable<double> qkv = linear(leaves["x"], leaves["w_qkv"], leaves["b_qkv"]);
    const HeadGroup<double> group{{0, heads}, 1 / std::sqrt(static_cast<double>(width / heads)), {}};
    const Variable<double> mixed =
        attention(columns(qkv, 0, width), columns(qkv, width, width), columns(qkv, 2 * width, width),
                  {.heads = heads, .offsets = offsets}, {group});
    return linear(mixed, leaves["w_o"], leaves["b_o"]);
  });
}

}  // namespace

void check_layers(Check& c) {
  if (c.has_input("logits")) return check_cross_entropy(c);
  if (c.has_input("w_qkv")) return check_self_attention(c);
  if (c.has_input("w_gate"))
    return compare_function(c, {"x", "w_gate", "w_up", "w_down"}, [](Leaves& leaves) {
      return linear(swiglu(linear(leaves["x"], leaves["w_gate"]), linear(leaves["x"], leaves["w_up"])),
                    leaves["w_down"]);
    });
  if (!c.has("eps")) return check_activation(c);
  const double epsilon = c.real("eps");
  if (!c.has("affine"))
    return compare_function(c, {"x", "weight"},
                            [&](Leaves& leaves) { return rms_norm(leaves["x"], leaves["weight"], epsilon); });
  const bool affine = c.integer("affine");
  compare_function(c, affine ? std::vector<std::string>{"x", "weight", "bias"} : std::vector<std::string>{"x"},
                   [&](Leaves& leaves) {
                     const std::size_t cols = leaves["x"].cols();
                     return layer_norm(leaves["x"], affine ? leaves["weight"] : constant(filled(cols, 1)),
                                       affine ? leaves["bias"] : constant(filled(cols, 0)), epsilon);
                   });
}

namespace {

// A store's gradient.
struct Gradient {
  std::vector<double> flat;
  explicit Gradient(ParameterStore<double>& store) : flat(store.flat().cols) {}
  void set(const ParameterInfo& info, const double* values) {
    copy<double>({values, info.rows, info.cols, info.cols}, info.in(flat.data()));
  }
  Matrix<double> matrix() { return {flat.data(), 1, flat.size(), flat.size()}; }
};

std::vector<double> slice(Matrix<const double> flat, const ParameterInfo& info) {
  std::vector<double> values;
  each_value(info.in(flat.data), [&](double v) { values.push_back(v); });
  return values;
}

void check_adamw(Check& c) {
  if (c.integer("amsgrad")) throw NotOffered("amsgrad is not offered");
  const Array<double> initial = c.input("param").array();
  const GoldenArray gradients = c.input("grads");
  if (gradients.shape.empty() || gradients.values.size() != gradients.shape[0] * initial.size())
    throw std::runtime_error("inputs/grads is not a sequence of gradients of inputs/param");
  ParameterStore<double> store(1);
  const auto p = store.create("p", initial.rows(), initial.cols(), initial_value(0), Decay::weights);
  copy(view(initial), p.values());
  AdamW<double> adamw(store, {.beta1 = c.real("beta1"),
                              .beta2 = c.real("beta2"),
                              .epsilon = c.real("eps"),
                              .weight_decay = c.real("weight_decay"),
                              .clip = 0});
  std::vector<double> params;
  Gradient g(store);
  for (std::size_t step = 0; step < gradients.shape[0]; ++step) {
    g.set(p.info(), gradients.values.data() + step * initial.size());
    adamw.update(g.matrix(), 1, c.real("lr"));
    for (const double v : slice(store.flat(), p.info())) params.push_back(v);
  }
  c.compare("params", params);
  c.compare("exp_avg", slice(adamw.first_moment(), p.info()));
  c.compare("exp_avg_sq", slice(adamw.second_moment(), p.info()));
}

// With beta1 = 0 the first moment is the clipped gradient. The library divides by norm + 1e-6, we by the norm.
void check_clipping(Check& c) {
  ParameterStore<double> store(1);
  std::vector<std::vector<double>> values;
  for (const std::string& name : c.names("inputs")) {
    values.push_back(c.input(name).values);
    store.create(name, 1, values.back().size(), initial_value(0));
  }
  const double most = c.real("max_norm");
  AdamW<double> adamw(store, {.beta1 = 0, .clip = most});
  Gradient g(store);
  for (std::size_t p = 0; p < values.size(); ++p) g.set(store.list()[p], values[p].data());
  const double norm = adamw.update(g.matrix(), 1, 0.1);
  c.compare("total_norm", {norm});
  const double library = std::min(1.0, most / (norm + 1e-6)), ours = std::min(1.0, most / norm);
  for (const ParameterInfo& info : store.list()) {
    std::vector<double> clipped = slice(adamw.first_moment(), info);
    for (double& v : clipped) v *= library / ours;
    c.compare("clipped" + info.name.substr(info.name.find('_')), clipped);
  }
}

// The library's warmup starts at 0, ours one step later in it. Past the end its cosine rises again, where ours stays.
void check_schedule(Check& c) {
  const bool cosine = c.has("num_cycles");
  if (cosine && c.real("num_cycles") != 0.5) throw NotOffered("a cosine of more than half a turn is not offered");
  const Schedule schedule{cosine ? Schedule::Kind::cosine : Schedule::Kind::linear, 1, c.count("warmup_steps"),
                          c.count("total_steps"), c.has("min_lr_rate") ? c.real("min_lr_rate") : 0};
  std::vector<double> mine;
  std::vector<bool> inside;
  for (const std::size_t step : c.input("step", 1).integers<std::size_t>()) {
    const bool warming = step < schedule.warmup;
    mine.push_back(warming && step == 0 ? 0 : learning_rate(schedule, warming ? step - 1 : step));
    inside.push_back(step <= schedule.total || !cosine);
  }
  c.compare("multiplier", mine, inside, cosine ? "past total_steps" : "");
}

// nanoGPT's warmup of w steps begins as one of w + 1.
void check_nanogpt_schedule(Check& c) {
  const double peak = c.real("learning_rate");
  const Schedule schedule{Schedule::Kind::cosine, peak, c.count("warmup_steps"), c.count("decay_steps"),
                          c.real("min_lr") / peak};
  Schedule warming = schedule;
  ++warming.warmup;
  std::vector<double> mine;
  for (const std::size_t step : c.input("step", 1).integers<std::size_t>())
    mine.push_back(learning_rate(step < schedule.warmup ? warming : schedule, step));
  c.compare("lr", mine);
}

}  // namespace

void check_optim(Check& c) {
  if (c.has_input("grads")) return check_adamw(c);
  if (c.has("max_norm")) return check_clipping(c);
  return c.has("learning_rate") ? check_nanogpt_schedule(c) : check_schedule(c);
}

namespace {

// Where the entries of a golden parameter lie in our flat buffer.
std::vector<std::size_t> places(ParameterStore<double>& store, const std::string& golden_name) {
  static const std::map<std::string, std::string> names = {{"tok_emb", "token.table"},
                                                           {"pos_emb", "learned.table"},
                                                           {"t5_table", "t5.table"},
                                                           {"ln1.weight", "attention.norm.gain"},
                                                           {"ln1.bias", "attention.norm.bias"},
                                                           {"ln2.weight", "mlp.norm.gain"},
                                                           {"ln2.bias", "mlp.norm.bias"},
                                                           {"attn.wq", "attention.qkv.weight"},
                                                           {"attn.wk", "attention.qkv.weight"},
                                                           {"attn.wv", "attention.qkv.weight"},
                                                           {"attn.bq", "attention.qkv.bias"},
                                                           {"attn.bk", "attention.qkv.bias"},
                                                           {"attn.bv", "attention.qkv.bias"},
                                                           {"attn.wo", "attention.projection.weight"},
                                                           {"attn.bo", "attention.projection.bias"},
                                                           {"attn.rel_k", "shaw.keys"},
                                                           {"attn.rel_v", "shaw.values"},
                                                           {"mlp.w1", "mlp.up.weight"},
                                                           {"mlp.b1", "mlp.up.bias"},
                                                           {"mlp.w2", "mlp.down.weight"},
                                                           {"mlp.b2", "mlp.down.bias"},
                                                           {"lnf.weight", "final.norm.gain"},
                                                           {"lnf.bias", "final.norm.bias"},
                                                           {"head.w", "head.weight"},
                                                           {"head.b", "head.bias"}};
  const std::size_t prefix = golden_name.starts_with("blocks.") ? golden_name.find('.', 7) + 1 : 0;
  const std::string rest = golden_name.substr(prefix);
  const auto found = names.find(rest);
  const ParameterInfo* info =
      found == names.end() ? nullptr : store.find(golden_name.substr(0, prefix) + found->second);
  if (!info) throw std::runtime_error(join("the model has no parameter for inputs/params/", golden_name));
  const bool stacked = found->second.starts_with("attention.qkv");  // queries, keys and values one below the other
  const std::size_t count = info->size() / (stacked ? 3 : 1),
                    first = stacked ? std::string("qkv").find(rest[6]) * count : 0;
  std::vector<std::size_t> at(count);
  for (std::size_t e = 0; e < count; ++e) {  // T5's table is stored the other way round
    const std::size_t value = rest == "t5_table" ? e % info->rows * info->cols + e / info->rows : first + e;
    at[e] = info->offset + value / info->cols * info->stride + value % info->cols;
  }
  return at;
}

OptionValues options_of(const Check& c, const std::string& encoding) {
  if (encoding == "learned") return {{"positions", join(c.integer("max_positions"))}};
  if (encoding == "t5")
    return {{"buckets", join(c.integer("num_buckets"))}, {"max_distance", join(c.integer("max_distance"))}};
  if (encoding == "shaw") return {{"clip", join(c.integer("max_relative_position"))}};
  if (encoding == "rope")
    return {{"base", c.number("rope_base")},
            {"layout", c.text("rope_layout") == "interleaved" ? "interleaved" : "half"}};
  if (encoding != "alibi") return {};
  std::string slopes;
  for (const double slope : c.reals("slopes")) slopes += (slopes.empty() ? "" : ",") + number_text(slope);
  return {{"slopes", slopes}};
}

Batch batch_of(const std::vector<Example>& examples, std::size_t length) {
  const std::vector<Rng> streams(examples.size(), Rng(1));
  return make_batch(examples, streams, *make_scheme("sequential", Options(schemes().at("sequential").section)),
                    Phase::train, length);
}

}  // namespace

void check_tiny_gpt(Check& c) {
  const std::string encoding = c.text("encoding");
  const std::size_t n = c.count("length"), steps = c.count("steps");
  if (c.real("layer_norm_eps") != 1e-5) throw NotOffered("other values of epsilon than 1e-5 are not offered");
  ModelConfig config{.shape = {.layers = c.count("n_layers"),
                               .width = c.count("d_model"),
                               .heads = c.count("n_heads"),
                               .train_positions = n},
                     .vocabulary = c.count("vocab"),
                     .mlp_ratio = c.real("d_ff") / c.real("d_model"),
                     .head_bias = true,
                     .encodings = {encoding}};
  config.options[encoding] = encoding_options(encoding, options_of(c, encoding));
  check_model(config);
  ParameterStore<double> store(1);
  const Transformer<double> model(config, store);
  const std::vector<std::string> names = c.names("inputs/params");
  std::size_t loaded = 0;
  for (const std::string& name : names) {
    const auto at = places(store, name);
    const auto values = c.input("params/" + name).values;
    if (values.size() != at.size())
      throw std::runtime_error(join("inputs/params/", name, " has ", values.size(), " entries, expected ", at.size()));
    for (std::size_t e = 0; e < at.size(); ++e) store.flat().data[at[e]] = values[e];
    loaded += at.size();
  }
  if (loaded != store.count())
    throw std::runtime_error(join("inputs/params has ", loaded, " of ", store.count(), " numbers"));

  const auto tokens = c.input("token_ids", 2).integers<int>(), targets = c.input("targets", 2).integers<int>();
  const std::size_t sequences = c.count("batch");
  if (tokens.size() != sequences * n || targets.size() != tokens.size())
    throw std::runtime_error("inputs/token_ids and inputs/targets must be (batch, length)");
  for (const int token : tokens)
    if (token < 0 || static_cast<std::size_t>(token) >= config.vocabulary)
      throw std::runtime_error("inputs/token_ids has a token that is none");
  std::vector<Example> whole(sequences), kept(sequences);
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    const std::size_t b = t / n;
    whole[b].tokens.push_back(tokens[t]), kept[b].tokens.push_back(tokens[t]);
    whole[b].scored.push_back(t % n), whole[b].targets.push_back(0);
    if (targets[t] != c.integer("ignore_index")) kept[b].scored.push_back(t % n), kept[b].targets.push_back(targets[t]);
  }
  c.compare("logits", model.logits(batch_of(whole, n), Phase::evaluate).value());

  const Batch batch = batch_of(kept, n);
  AdamW<double> optimizer(store, {.beta1 = c.real("beta1"),
                                  .beta2 = c.real("beta2"),
                                  .epsilon = c.real("adam_eps"),
                                  .weight_decay = c.real("weight_decay"),
                                  .decay_all = true,
                                  .clip = 0});
  std::vector<double> losses;
  for (std::size_t step = 0; step <= steps; ++step) {
    Gradient gradient(store);
    Tape<double> tape(gradient.matrix());
    const Variable<double> loss =
        cross_entropy(model.logits(batch, Phase::train), batch.targets, 1 / static_cast<double>(batch.targets.size()));
    losses.push_back(loss.value()(0, 0));
    if (step == steps) break;
    tape.backward(loss);
    if (step == 0) {
      c.compare("loss", losses);
      for (const std::string& name : names) {
        std::vector<double> mine;
        for (const std::size_t at : places(store, name)) mine.push_back(gradient.flat[at]);
        c.compare("grads/" + name, mine);
      }
    }
    optimizer.update(gradient.matrix(), 1, c.real("lr"));
  }
  c.compare("losses", losses);
  for (const std::string& name : names) {
    std::vector<double> mine;
    for (const std::size_t at : places(store, name)) mine.push_back(store.flat().data[at]);
    c.compare(join("params_after_", steps, "/", name), mine);
  }
}

}  // namespace lengthwise
