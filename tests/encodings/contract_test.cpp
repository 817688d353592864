// Every registered encoding keeps the contract, under every scheme, causal and bidirectional, with every choice of
// option.
#include "experiments/contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/embedding.h"
#include "core/parallel.h"

namespace lengthwise {
namespace {

class Contract : public testing::TestWithParam<std::string> {};

TEST_P(Contract, IsKept) {
  const auto cases = contract_cases(GetParam());
  ASSERT_FALSE(cases.empty());
  for (const ContractCase& contract : cases)
    for (const ContractCheck& check : check_contract(contract))
      EXPECT_TRUE(check.passed) << describe(contract) << ": " << check.what << ": " << check.detail;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, info] : encodings()) all.push_back(name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(Encodings, Contract, testing::ValuesIn(names()), [](const auto& one) { return one.param; });

// Scores that depend on how many rows a tile happens to have.
template <class T>
class TileTerm final : public ScoreTerm<T> {
  void forward(const Tile<T>& tile, Matrix<T> scores, Scratch<T>&) const override {
    for (std::size_t i = 0; i < scores.rows; ++i)
      for (std::size_t j = 0; j < scores.cols; ++j) scores(i, j) += T(0.01) * static_cast<T>(tile.rows() * j);
  }
  void backward(const Tile<T>&, Matrix<T>, Scratch<T>&, TileGradient<T>&) const override {}
};

// An encoding with one fault at a time, named after the check that must find it.
template <class T>
class Faulty final : public Encoding<T> {
 public:
  explicit Faulty(const EncodingSetup<T>& setup) : fault_(setup.options.text("fault")) {
    if (fault_ == "reached") setup.store.shared("faulty.unused", 2, 2, initial_value(1));
  }

  Variable<T> embed(const Variable<T>& x, const Context& context) const override {
    const auto by = [&x](double factor) { return lengthwise::scale(x, static_cast<T>(factor)); };
    if (fault_ == "threads") return by(1 + 0.1 * static_cast<double>(threads()));
    if (fault_ == "float") return by(std::is_same_v<T, float> ? 1.001 : 1);
    if (fault_ == "alone") return by(1 + 0.01 * static_cast<double>(context.tokens()));
    if (fault_ == "shift") return by(1 + 0.01 * context.ids("sequence")[0]);
    if (fault_ == "lengths") return by(context.offsets[1] > context.train_positions ? NAN : 1);
    if (fault_ == "causality") {
      std::vector<std::size_t> next(x.rows());
      for (std::size_t b = 0; b + 1 < context.offsets.size(); ++b)
        for (std::size_t i = context.offsets[b]; i < context.offsets[b + 1]; ++i)
          next[i] = std::min(i + 1, context.offsets[b + 1] - 1);
      return add(x, select_rows(x, next));
    }
    if (fault_ == "gradients")
      return record<T>("twice", x.held(), {x}, [](Array<T>& gradient, Sink<T>& into) {
        into.add(0, view(std::as_const(gradient)));
        into.add(0, std::move(gradient));
      });
    return x;
  }

  Terms<T> terms(const Variable<T>&, const Context&) const override {
    if (fault_ != "tiles") return {};
    return {.scores = {std::make_shared<TileTerm<T>>()}};
  }

 private:
  std::string fault_;
};

// Registered once the names above are taken, so that it is not among them.
const EncodingInfo& faulty() {
  static const bool registered = register_encoding<Faulty>({
      .section = {"faulty",
                  "Breaks the contract",
                  {choice("fault", "none",
                          {"none", "gradients", "reached", "tiles", "threads", "float", "causality", "alone", "shift",
                           "lengths"})}},
      .relative = true,
  });
  EXPECT_TRUE(registered);
  return encoding_info("faulty");
}

TEST(contract, finds_every_fault_and_no_other) {
  const OptionSpec& fault = faulty().section.options[0];
  for (const std::string& name : fault.choices) {
    const ContractCase contract{.encoding = "faulty", .options = Options(faulty().section, {{"fault", name}})};
    std::vector<std::string> failed;
    for (const ContractCheck& check : check_contract(contract))
      if (!check.passed) failed.push_back(check.what);
    if (name == "none")
      EXPECT_THAT(failed, testing::IsEmpty());
    else
      EXPECT_THAT(failed, testing::ElementsAre(name));
  }
}

TEST(contract, cases_cover_schemes_masks_and_options) {
  std::vector<std::string> described;
  for (const ContractCase& contract : contract_cases("t5")) described.push_back(describe(contract));
  for (const char* expected : {"t5, interpolated, causal", "t5, interpolated, bidirectional", "t5, sequential, causal",
                               "t5 (scaled = false), sequential, causal", "t5, sequential, bidirectional"})
    EXPECT_THAT(described, testing::Contains(expected));
  EXPECT_THAT(described, testing::Not(testing::Contains("t5 (scaled = false), interpolated, causal")));
  for (const ContractCase& contract : contract_cases("learned"))
    EXPECT_NE(contract.scheme, "interpolated");  // whole ids
}

}  // namespace
}  // namespace lengthwise
