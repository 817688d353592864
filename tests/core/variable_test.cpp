#include "core/variable.h"

#include "core/gradcheck.h"
#include "core/ops/arithmetic.h"
#include "core/ops/linear.h"
#include "tests/core/arrays.h"

namespace lengthwise {
namespace {

Array<double> one() { return array<double>({{1}}); }

TEST(Tape, TapesDoNotNest) {
  EXPECT_EQ(Tape<double>::current(), nullptr);
  {
    Tape<double> tape;
    EXPECT_EQ(Tape<double>::current(), &tape);
    EXPECT_THROW(Tape<double>(), std::logic_error);
    EXPECT_EQ(Tape<double>::current(), &tape);
    Tape<float> other_type;
  }
  EXPECT_EQ(Tape<double>::current(), nullptr);
}

TEST(Tape, NothingIsRecordedWithoutATapeOrForConstants) {
  const auto x = leaf(one());
  EXPECT_EQ(add(x, x).node(), nullptr);
  Tape<double> tape;
  const auto c = constant(one());
  EXPECT_EQ(add(c, c).node(), nullptr);
  EXPECT_EQ(tape.size(), 0u);
  EXPECT_THROW(tape.backward(add(c, c)), std::logic_error);
  EXPECT_THROW(c.gradient(), std::logic_error);
  EXPECT_NE(add(c, x).node(), nullptr);
  EXPECT_EQ(tape.size(), 1u);
}

// y = (x + x) + 3 x, and a branch that leads nowhere.
TEST(Tape, SharedParentsAddUp) {
  Tape<double> tape;
  const auto x = leaf(array<double>({{1, 2}}));
  const auto twice = add(x, x);
  scale(twice, 100.0);
  const auto y = add(twice, scale(x, 3.0));
  tape.backward(y, array<double>({{1, 10}}));
  expect_close(x.gradient(), array<double>({{5, 50}}), 0);
  EXPECT_EQ(tape.size(), 0u);
}

TEST(Tape, UnreachedLeavesHaveGradientZero) {
  Tape<double> tape;
  const auto x = leaf(one()), y = leaf(array<double>({{1, 2}}));
  tape.backward(scale(x, 2.0));
  expect_close(y.gradient(), array<double>({{0, 0}}), 0);
}

TEST(Tape, SeedMultiplies) {
  Tape<double> tape;
  const auto x = leaf(one());
  tape.backward(scale(x, 2.0), 0.5);
  EXPECT_EQ(x.gradient()(0, 0), 1);
}

TEST(Tape, MicroBatchesAddToTheSameLeaf) {
  Tape<double> tape;
  const auto x = leaf(one());
  tape.backward(scale(x, 2.0));
  tape.backward(scale(x, 3.0));
  EXPECT_EQ(x.gradient()(0, 0), 5);
}

TEST(Tape, AnExceptionWhileRecordingLeavesNoTape) {
  EXPECT_THROW(
      {
        Tape<double> tape;
        add(leaf(one()), leaf(one()));
        throw std::runtime_error("");
      },
      std::runtime_error);
  EXPECT_EQ(Tape<double>::current(), nullptr);
}

TEST(Columns, ShareMemoryAndPassGradientsOn) {
  Tape<double> tape;
  const auto x = leaf(array<double>({{1, 2, 3}, {4, 5, 6}}));
  const auto y = scale(x, 1.0);
  const auto left = columns(y, 0, 1), right = columns(y, 1, 2);
  EXPECT_EQ(right.value().data, y.value().data + 1);
  expect_close(right, array<double>({{2, 3}, {5, 6}}), 0);
  // right is used twice, left and the whole once.
  const auto w = constant(array<double>({{10, 100}}));
  tape.backward(
      add(add(linear(right, w), linear(right, w)), add(left, linear(y, constant(array<double>({{1, 1, 1}}))))),
      array<double>({{1}, {-1}}));
  expect_close(x.gradient(), array<double>({{2, 21, 201}, {-2, -21, -201}}), 0);
}

TEST(Columns, GradientThatStartsAtAView) {
  Tape<double> tape;
  const auto x = leaf(array<double>({{1, 2, 3}}));
  tape.backward(columns(scale(x, 2.0), 1, 2), array<double>({{5, 7}}));
  expect_close(x.gradient(), array<double>({{0, 10, 14}}), 0);
}

TEST(Columns, OfALeafAndOfAConstant) {
  Tape<double> tape;
  const auto x = leaf(array<double>({{1, 2, 3}}));
  tape.backward(scale(columns(x, 2, 1), 2.0));
  expect_close(x.gradient(), array<double>({{0, 0, 2}}), 0);
  EXPECT_EQ(columns(constant(one()), 0, 1).node(), nullptr);
  EXPECT_THROW(columns(columns(x, 0, 2), 0, 1), std::logic_error);
}

TEST(Columns, KeepTheirOwnerAlive) {
  const auto view = [] { return columns(constant(random_array<double>(3, 3, 1)), 1, 2); }();
  expect_close(view.value(), matrix(random_array<double>(3, 3, 1)).block_cols(1, 2), 0);
}

TEST(Values, AreFreedAsTheComputationLeavesThem) {
  std::weak_ptr<const Value<double>> middle;
  const auto chain = [&](const Variable<double>& x) {
    auto y = scale(x, 2.0);
    middle = y.held();
    return linear(y, constant(one()));  // linear keeps its input for the backward pass
  };
  chain(leaf(one()));
  EXPECT_TRUE(middle.expired());

  Tape<double> tape;
  const auto x = leaf(one());
  const auto y = chain(x);
  EXPECT_FALSE(middle.expired());
  tape.backward(y);
  EXPECT_TRUE(middle.expired());
}

TEST(Values, ATapeFreesOnTheWay) {
  Tape<double> tape;
  const auto x = leaf(one());
  std::weak_ptr<const Value<double>> late;
  bool freed_before_first = false;
  const auto first = record<double>("first", one(), {x}, [&](Array<double>& gradient, Sink<double>& into) {
    freed_before_first = late.expired();
    into.add(0, std::move(gradient));
  });
  auto last = [&] {
    const auto middle = scale(first, 2.0);
    late = middle.held();
    return linear(middle, constant(one()));
  }();
  tape.backward(last);
  EXPECT_TRUE(freed_before_first);
}

TEST(Sink, AccumulatorStartsAtZeroAndTargetTellsWhetherToAdd) {
  Tape<double> tape;
  const auto x = leaf(one());
  std::vector<double> betas;
  const auto op = [&] {
    return record<double>("op", one(), {x, constant(one())}, [&](Array<double>&, Sink<double>& into) {
      EXPECT_EQ(into.size(), 2u);
      EXPECT_TRUE(into.wants(0));
      EXPECT_FALSE(into.wants(1));
      const auto to = into.target(0);
      betas.push_back(to.beta);
      to.matrix(0, 0) = 7 + to.beta * to.matrix(0, 0);
      into.accumulator(0)(0, 0) += 1;
      into.add(1, one());  // dropped
    });
  };
  tape.backward(add(op(), op()));
  EXPECT_EQ(betas, (std::vector<double>{0, 1}));
  EXPECT_EQ(x.gradient()(0, 0), 16);
}

// The checker itself: a backward pass that forgets a factor at one entry must be found.
Variable<double> square(const Variable<double>& x, std::size_t wrong_entry) {
  Array<double> y = uninitialized<double>(x.rows(), x.cols());
  for (std::size_t i = 0; i < y.rows(); ++i)
    for (std::size_t j = 0; j < y.cols(); ++j) y(i, j) = x.value()(i, j) * x.value()(i, j);
  return record<double>("square", std::move(y), {x}, [x, wrong_entry](Array<double>& gradient, Sink<double>& into) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = 0; j < x.cols(); ++j)
        gradient(i, j) *= (i * x.cols() + j == wrong_entry ? 1.9999 : 2) * x.value()(i, j);
    into.add(0, std::move(gradient));
  });
}

TEST(GradientCheck, FindsAPlantedError) {
  const Array<double> x = array<double>({{0.5, -0.7, 0.9}, {1.1, 0.3, -0.2}});
  const std::size_t none = x.size();
  const auto check = [&](std::size_t wrong) {
    return check_gradients([&](const auto& v) { return square(v[0], wrong); }, {x});
  };
  EXPECT_TRUE(check(none).passed) << check(none).worst;
  EXPECT_EQ(check(none).compared, 7u);
  EXPECT_FALSE(check(3).passed);
  EXPECT_NE(check(3).worst.find("input 0 [1, 0]"), std::string::npos) << check(3).worst;
}

TEST(GradientCheck, TheRandomDirectionReachesEntriesThatWereNotSampled) {
  const auto large = random_array<double>(40, 40, 3);
  for (const std::size_t wrong : {std::size_t{0}, std::size_t{777}, std::size_t{1599}}) {
    const auto f = [&](const auto& v) {
      auto y = square(v[0], large.size());
      return record<double>("wrong", y.held(), {y}, [wrong](Array<double>& gradient, Sink<double>& into) {
        gradient(wrong / 40, wrong % 40) += 1;
        into.add(0, std::move(gradient));
      });
    };
    EXPECT_FALSE(check_gradients(f, {large}, nullptr, 2).passed);
  }
}

TEST(GradientCheck, AMissingGradientOrNanIsFound) {
  const auto forgets = [](const auto& v) {
    return record<double>("forgets", scale(v[0], 2.0).held(), {v[0]}, [](Array<double>&, Sink<double>&) {});
  };
  EXPECT_FALSE(check_gradients(forgets, {one()}).passed);
  const auto nan = [](const auto& v) {
    return record<double>("nan", scale(v[0], 2.0).held(), {v[0]}, [](Array<double>& gradient, Sink<double>& into) {
      gradient(0, 0) = NAN;
      into.add(0, std::move(gradient));
    });
  };
  EXPECT_FALSE(check_gradients(nan, {one()}).passed);
}

TEST(GradientCheck, ChecksParametersAndPutsThemBack) {
  ParameterStore<double> store(1);
  const auto w = store.create("w", 2, 3, initial_normal(1));
  store.create("unused", 1, 5, initial_normal(1));
  const std::vector<double> before(store.flat().data, store.flat().data + store.flat().cols);
  const auto f = [&](double factor) {
    return [&w, factor](const auto& v) {
      const auto y = linear(v[0], w.variable());
      return record<double>("f", y.held(), {y}, [factor](Array<double>& gradient, Sink<double>& into) {
        rescale(view(gradient), factor);
        into.add(0, std::move(gradient));
      });
    };
  };
  const auto x = random_array<double>(4, 3, 1);
  const auto good = check_gradients(f(1), {x}, &store);
  EXPECT_TRUE(good.passed) << good.worst;
  EXPECT_EQ(good.compared, 13u + 7u + 6u);
  EXPECT_FALSE(check_gradients(f(1.001), {x}, &store).passed);
  expect_close(store.flat(), Matrix<const double>{before.data(), 1, before.size(), before.size()}, 1e-14);
}

}  // namespace
}  // namespace lengthwise
