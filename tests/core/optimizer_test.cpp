#include "core/optimizer.h"

#include "core/error.h"
#include "core/parallel.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

// A store's gradient.
template <class T>
struct Gradient {
  std::vector<T> flat;
  explicit Gradient(ParameterStore<T>& store) : flat(store.flat().cols, T(0)) {}
  void set(const ParameterInfo& info, const std::vector<double>& values) {
    ASSERT_EQ(values.size(), info.rows * info.cols);
    for (std::size_t e = 0; e < values.size(); ++e)
      info.in(flat.data())(e / info.cols, e % info.cols) = static_cast<T>(values[e]);
  }
  Matrix<const T> matrix() const { return {flat.data(), 1, flat.size(), flat.size()}; }
};

std::vector<double> slice(Matrix<const double> flat, const ParameterInfo& info) {
  std::vector<double> values;
  each_value(info.in(flat.data), [&](double v) { values.push_back(v); });
  return values;
}

// The sum of squares is beyond float for 128 entries of 1e19, and every single square for 1e30.
TEST(AdamW, HugeGradientsAreClipped) {
  for (const float entry : {1e19f, 1e30f}) {
    ParameterStore<float> store(1);
    store.create("w", 8, 16, initial_value(0));
    AdamW<float> adamw(store, {.beta1 = 0, .clip = 1});
    const std::vector<float> g(128, entry);
    const double norm = adamw.update({g.data(), 1, 128, 128}, 1, 0.1);
    EXPECT_NEAR(norm / (static_cast<double>(entry) * std::sqrt(128.0)), 1, 1e-6);
    double square = 0;
    for (std::size_t e = 0; e < 128; ++e) {
      const double clipped = adamw.first_moment()(0, e);
      EXPECT_NEAR(clipped, 0.0883883, 1e-6);
      square += clipped * clipped;
    }
    EXPECT_NEAR(std::sqrt(square), 1, 1e-6);
  }
}

TEST(AdamW, DecayReachesWeightsAlone) {
  const auto after_a_step = [](bool decay_all) {
    ParameterStore<double> store(1);
    store.create("weight", 2, 3, initial_value(2), Decay::weights);
    store.create("gain", 1, 3, initial_value(2));
    store.create("weight2", 1, 1, initial_value(2), Decay::weights);
    AdamW<double> adamw(store, {.weight_decay = 0.1, .decay_all = decay_all});
    const Gradient<double> zero(store);
    EXPECT_EQ(adamw.update(zero.matrix(), 1, 0.1), 0);
    std::vector<double> values;
    for (const auto& info : store.list()) values.push_back(store.values(info)(0, info.cols - 1));
    return values;
  };
  EXPECT_EQ(after_a_step(false), (std::vector{2 * 0.99, 2.0, 2 * 0.99}));
  EXPECT_EQ(after_a_step(true), (std::vector{2 * 0.99, 2 * 0.99, 2 * 0.99}));
}

TEST(AdamW, NonFiniteGradientsChangeNothing) {
  for (const float bad : {INFINITY, -INFINITY, NAN}) {
    ParameterStore<float> store(1);
    const auto a = store.create("a", 2, 2, initial_value(1), Decay::weights),
               b = store.create("b", 1, 3, initial_value(1));
    AdamW<float> adamw(store, {});
    Gradient<float> g(store);
    g.set(a.info(), {1, 2, 3, 4});
    adamw.update(g.matrix(), 1, 0.1);
    const auto all = [&] {
      std::vector<float> values;
      for (const Matrix<float> m : {store.flat(), adamw.first_moment(), adamw.second_moment()})
        values.insert(values.end(), m.data, m.data + m.cols);
      return values;
    };
    const auto before = all();
    g.set(b.info(), {0, bad, 0});
    try {
      adamw.update(g.matrix(), 1, 0.1);
      ADD_FAILURE() << "no error";
    } catch (const RunError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("gradient of b "), std::string::npos) << text;
      EXPECT_NE(text.find("entry 1"), std::string::npos) << text;
      EXPECT_NE(text.find("update 2"), std::string::npos) << text;
    }
    EXPECT_EQ(all(), before);
    EXPECT_EQ(adamw.steps(), 1u);
  }
}

TEST(AdamW, TheFactorScalesTheGradient) {
  const auto run = [](double factor, double gradient) {
    ParameterStore<double> store(1);
    const auto p = store.create("p", 1, 1, initial_value(1));
    AdamW<double> adamw(store, {});
    Gradient<double> g(store);
    g.set(p.info(), {gradient});
    const double norm = adamw.update(g.matrix(), factor, 0.1);
    return std::vector{norm, adamw.first_moment()(0, 0), p.values()(0, 0)};
  };
  EXPECT_EQ(run(0.25, 2), run(1, 0.5));
  EXPECT_EQ(run(1, 0.5)[0], 0.5);
}

// 50,000 values are several blocks of parallel work.
TEST(AdamW, SameBitsForAnyNumberOfThreads) {
  const auto run = [](std::size_t count) {
    ParameterStore<float> store(1);
    store.create("w", 100, 400, initial_normal(1), Decay::weights), store.create("b", 1, 10001, initial_normal(1));
    AdamW<float> adamw(store, {});
    Rng rng(3);
    Gradient<float> g(store);
    set_threads(count);
    std::vector<double> norms;
    for (int step = 0; step < 3; ++step) {
      for (const auto& info : store.list())
        each_value(info.in(g.flat.data()), [&](float& v) { v = static_cast<float>(rng.normal()); });
      norms.push_back(adamw.update(g.matrix(), 1, 0.1));
    }
    set_threads(1);
    norms.insert(norms.end(), store.flat().data, store.flat().data + store.flat().cols);
    return norms;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(3));
}

// A run that goes on from stored moments is the run that never stopped.
TEST(AdamW, Resumes) {
  const auto run = [](bool interrupted) {
    ParameterStore<double> store(1);
    const auto p = store.create("p", 1, 2, initial_value(1), Decay::weights);
    auto adamw = std::make_unique<AdamW<double>>(store, AdamWSettings{});
    Gradient<double> g(store);
    for (int step = 0; step < 4; ++step) {
      if (interrupted && step == 2) {
        auto fresh = std::make_unique<AdamW<double>>(store, AdamWSettings{});
        copy<double>(adamw->first_moment(), fresh->first_moment());
        copy<double>(adamw->second_moment(), fresh->second_moment());
        fresh->restore_steps(adamw->steps());
        adamw = std::move(fresh);
      }
      g.set(p.info(), {0.1 * step, -0.3});
      adamw->update(g.matrix(), 1, 0.1);
    }
    return slice(store.flat(), p.info());
  };
  EXPECT_EQ(run(true), run(false));
}

TEST(Schedule, ByHand) {
  const Schedule constant{Schedule::Kind::constant, 2, 4, 10, 0};
  EXPECT_EQ(learning_rate(constant, 0), 0.5);
  EXPECT_EQ(learning_rate(constant, 3), 2);
  EXPECT_EQ(learning_rate(constant, 100), 2);
  const Schedule linear{Schedule::Kind::linear, 2, 0, 10, 0.5};
  EXPECT_EQ(learning_rate(linear, 0), 2);
  EXPECT_EQ(learning_rate(linear, 5), 1.5);
  EXPECT_EQ(learning_rate(linear, 10), 1);
  EXPECT_EQ(learning_rate(linear, 11), 1);
  EXPECT_EQ(learning_rate({Schedule::Kind::cosine, 2, 5, 5, 0}, 5), 2);  // nothing after the warmup
}

}  // namespace
}  // namespace lengthwise
