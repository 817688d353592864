// Every registered encoding keeps the contract, under every scheme, causal and bidirectional, with every choice of option.
#include "experiments/contract.h"

#include <gtest/gtest.h>

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
INSTANTIATE_TEST_SUITE_P(Encodings, Contract, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace lengthwise
