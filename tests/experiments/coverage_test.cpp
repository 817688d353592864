#include "experiments/coverage.h"

#include <gmock/gmock.h>

#include <set>

#include "core/gradcheck.h"
#include "experiments/evaluate.h"
#include "experiments/train.h"

namespace lengthwise {
namespace {

/// n random tokens, all of them scored, with all that tasks hand over: n digits and a symbol in turn, pairs of coupled
/// tokens, a grid of 3 columns, two segments.
class Everything final : public Task {
 public:
  int vocabulary() const override { return 11; }
  std::size_t max_tokens(std::size_t n) const override { return n; }
  void check_length(std::size_t) const override {}
  Example example(std::size_t n, const Draw& draw) const override {
    Rng rng = draw.rng;
    Example made{.answer = n};
    for (std::size_t i = 0; i < n; ++i) {
      made.tokens.push_back(static_cast<int>(rng.below(11)));
      made.scored.push_back(i), made.targets.push_back(static_cast<int>(rng.below(11)));
      made.ids["digit"].push_back(static_cast<double>(i));
      made.ids["coupled"].push_back(static_cast<double>(1 + i / 2));
      made.ids["row"].push_back(static_cast<double>(i / 3));
      made.ids["column"].push_back(static_cast<double>(i % 3));
      made.ids["segment"].push_back(0);
    }
    return made;
  }
  double chance(std::size_t) const override { return 0; }
  std::string word(int) const override { return ""; }
};

constexpr std::size_t trained = 6, steps = 3, batch = 4;  // n, updates, sequences of an update

struct Case {
  std::string encoding, scheme;
  std::map<std::string, std::string> options = {}, scheme_options = {};
  bool causal = true;
};

struct Training {
  explicit Training(const Case& of)
      : scheme(make_scheme(of.scheme, Options(schemes().at(of.scheme).section, of.scheme_options))),
        store(1),
        model(config(of), store),
        trainer(settings, task, *scheme, store, model) {
    for (std::size_t s = 0; s < steps; ++s) trainer.step();
  }
  static ModelConfig config(const Case& of) {
    ModelConfig made{.shape = {.layers = 2, .width = 16, .heads = 2, .causal = of.causal, .train_positions = trained},
                     .vocabulary = 11,
                     .encodings = {of.encoding}};
    made.options[of.encoding] = Options(encoding_info(of.encoding).section, of.options);
    return made;
  }
  /// All ids of a channel that training sequences had.
  std::set<std::size_t> ids(const std::string& channel) const {
    std::set<std::size_t> all;
    for (std::size_t s = 0; s < steps; ++s) {
      const Rng rng = Rng(settings.seed).at("step").at(s);
      std::vector<Example> examples;
      std::vector<Rng> streams;
      for (std::size_t e = 0; e < batch; ++e) {
        examples.push_back(
            task.example(trained, make_draw(settings.seed, Stream::train, "everything", trained, s * batch + e)));
        streams.push_back(rng.at(e));
      }
      const Batch made = make_batch(examples, streams, *scheme, Phase::train, trained, rng.at("positions"));
      for (const double id : made.positions.channel(channel)) all.insert(static_cast<std::size_t>(id));
    }
    return all;
  }
  /// Rows of a table that are reached as a whole; fails when some are in part.
  std::set<std::size_t> rows(const std::string& table) const {
    const ParameterInfo& info = *store.find(table);
    std::set<std::size_t> found;
    for (std::size_t r = 0; r < info.rows; ++r) {
      const auto* row = trainer.reached().at(table).data() + r * info.cols;
      const auto count = static_cast<std::size_t>(std::count(row, row + info.cols, 1));
      EXPECT_TRUE(count == 0 || count == info.cols) << table << " " << r;
      if (count) found.insert(r);
    }
    return found;
  }
  double untrained(std::size_t n) {
    const auto beside = disturbed(model.config(), store, trainer.reached());
    return evaluate_length(model, task, *scheme, n, {.seed = 2, .task_name = "everything", .examples = 4},
                           beside ? &beside->model : nullptr)
        .untrained_fraction;
  }

  const TrainSettings settings{
      .seed = 4, .task_name = "everything", .shards = 2, .batch = batch, .lengths = {trained}, .optimizer = {}};
  Everything task;
  std::unique_ptr<PositionScheme> scheme;
  ParameterStore<float> store;
  Transformer<float> model;
  Trainer<float> trainer;
};

std::set<std::size_t> up_to(std::size_t last) {
  std::set<std::size_t> all;
  for (std::size_t r = 0; r <= last; ++r) all.insert(r);
  return all;
}

// The rows that have had a gradient are those of the ids that sequences had, whoever drew them.
TEST(coverage, absolute_tables_are_reached_at_the_ids_of_training) {
  const std::vector<std::tuple<Case, std::string, std::string>> cases{
      {{"learned", "sequential", {{"positions", "20"}}}, "learned.table", "sequence"},
      {{"learned", "shifted", {{"positions", "40"}}, {{"max_shift", "30"}}}, "learned.table", "sequence"},
      {{"learned", "randomized", {{"positions", "64"}}, {{"range", "64"}}}, "learned.table", "sequence"},
      {{"tupe", "randomized", {{"positions", "64"}}, {{"range", "64"}}}, "tupe.table", "sequence"},
      {{"bert", "shifted", {{"positions", "40"}}, {{"max_shift", "30"}}}, "bert.positions", "sequence"},
      {{"bert", "sequential"}, "bert.segments", "segment"},
      {{"abacus", "abacus_ids", {}, {{"max_offset", "30"}}}, "abacus.table", "digit"},
      {{"coupled", "coupled_ids"}, "coupled.table", "coupled"},
  };
  for (const auto& [of, table, channel] : cases) {
    SCOPED_TRACE(of.encoding + ", " + of.scheme);
    const Training run(of);
    EXPECT_EQ(run.rows(table), run.ids(channel));
  }
}

TEST(coverage, relative_tables_are_reached_at_the_distances_of_training) {
  // Entries of both heads: distances 0 to 5 on the past side, which is behind the middle.
  const auto columns = [](const Training& run, const std::string& table) {
    const ParameterInfo& info = *run.store.find(table);
    std::set<std::size_t> found;
    for (std::size_t e = 0; e < info.rows * info.cols; ++e)
      if (run.trainer.reached().at(table)[e]) found.insert(e % info.cols);
    return found;
  };
  EXPECT_EQ(columns(Training({"t5", "sequential"}), "t5.table"), up_to(5));
  EXPECT_EQ(columns(Training({"t5", "shifted"}), "t5.table"), up_to(5));
  // Bucket 16, distance 0 ahead, is never used.
  EXPECT_EQ(columns(Training({"t5", "sequential", {}, {}, false}), "t5.table"),
            (std::set<std::size_t>{0, 1, 2, 3, 4, 5, 17, 18, 19, 20, 21}));
  EXPECT_EQ(columns(Training({"scalar_bias", "sequential"}), "scalar_bias.table"),
            (std::set<std::size_t>{16, 17, 18, 19, 20, 21}));
  // 2 rows and 3 columns in a table for 8 x 8: displacements (dy, dx) of the last token and earlier ones, and so on.
  const auto swin = columns(Training({"swin_bias", "sequential", {}, {}, false}), "blocks.0.swin_bias.table");
  EXPECT_EQ(swin.size(), 3u * 5u);
  EXPECT_TRUE(swin.count(7 * 15 + 7) && swin.count(8 * 15 + 9) && !swin.count(9 * 15 + 7));

  const Training shaw({"shaw", "sequential", {{"clip", "20"}}});  // row 20 is distance 0, row 15 distance 5
  EXPECT_EQ(shaw.rows("blocks.0.shaw.values"), (std::set<std::size_t>{15, 16, 17, 18, 19, 20}));
  const Training deberta({"deberta", "sequential", {{"clip", "20"}}});
  EXPECT_EQ(deberta.rows("deberta.table"), (std::set<std::size_t>{20, 21, 22, 23, 24, 25}));
}

TEST(coverage, contextual_positions_are_reached_as_far_as_gates_counted) {
  const auto reached = Training({"cope", "sequential"}).rows("blocks.0.cope.table");
  EXPECT_EQ(reached, up_to(*reached.rbegin()));
  EXPECT_GT(*reached.rbegin(), 0u);
  EXPECT_LE(*reached.rbegin(), trained);  // gates are below 1
}

TEST(coverage, longer_sequences_rest_on_what_was_never_reached) {
  const std::vector<Case> reading_more{
      {"learned", "sequential", {{"positions", "20"}}},
      {"bert", "sequential"},
      {"tupe", "sequential", {{"positions", "20"}}},
      {"t5", "sequential"},
      {"scalar_bias", "sequential"},
      {"shaw", "sequential"},
      {"deberta", "sequential"},
      {"cope", "sequential"},
      {"abacus", "sequential"},
      {"coupled", "sequential"},
      {"swin_bias", "sequential"},
      {"t5", "randomized", {{"max_distance", "4096"}}, {{"eval_ids", "identity"}}},
  };
  for (const Case& of : reading_more) {
    SCOPED_TRACE(of.encoding + ", " + of.scheme);
    Training run(of);
    if (of.scheme == "sequential") {
      EXPECT_EQ(run.untrained(trained), 0);
    }
    const double share = run.untrained(3 * trained);
    EXPECT_GT(share, 0);
    // With every token's own row the first 6 of 18 are as trained; what depends on content may be by chance.
    if (of.encoding == "learned") {
      EXPECT_DOUBLE_EQ(share, 12.0 / 18);
    }
  }
  for (const Case& of : std::vector<Case>{{"learned", "sequential", {{"past", "clamp"}}},
                                          {"learned", "sequential", {{"past", "resample"}}},
                                          {"shaw", "sequential", {{"clip", "4"}}},
                                          {"t5", "interpolated"},
                                          {"vit_learned", "sequential", {{"rows", "2"}, {"columns", "3"}}},
                                          {"rope", "sequential"}}) {
    SCOPED_TRACE(of.encoding + ", " + of.scheme);
    EXPECT_EQ(Training(of).untrained(3 * trained), 0);
  }
}

TEST(coverage, a_model_without_training_rests_on_initial_values) {
  ParameterStore<float> store(1);
  const ModelConfig config = Training::config({"learned", "sequential"});
  const Transformer<float> model(config, store);
  const auto beside = disturbed(config, store, nothing_reached(store));
  ASSERT_TRUE(beside);
  const Everything task;
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  EXPECT_EQ(
      evaluate_length(model, task, *scheme, 4, {.seed = 2, .task_name = "everything", .examples = 2}, &beside->model)
          .untrained_fraction,
      1);
  Coverage all = nothing_reached(store);
  for (auto& [name, entries] : all) std::ranges::fill(entries, 1);
  EXPECT_FALSE(disturbed(config, store, all));
}

}  // namespace
}  // namespace lengthwise
