// `check`: the contract of registered encodings, the user's own among them.
#include <iostream>
#include <map>

#include "experiments/commands.h"
#include "experiments/contract.h"
#include "experiments/table.h"

namespace lengthwise {
namespace {

/// One check over all combinations of an encoding.
struct Outcome {
  std::size_t passed = 0;
  std::vector<std::string> failures;  // the combination, and what was found
};

using Outcomes = std::vector<std::pair<std::string, Outcome>>;  // in the order of the contract

Outcome& outcome_of(Outcomes& outcomes, const std::string& what) {
  for (auto& [name, outcome] : outcomes)
    if (name == what) return outcome;
  return outcomes.emplace_back(what, Outcome{}).second;
}

/// Prints a line a check, and below it the combinations that fail; with `verbose` every combination. True when all
/// passed.
bool check_encoding(const std::string& name, bool verbose) {
  Outcomes outcomes;
  std::vector<std::vector<std::string>> every;
  const std::vector<ContractCase> cases = contract_cases(name);
  for (const ContractCase& contract : cases) {
    std::vector<ContractCheck> checks;
    try {
      checks = check_contract(contract);
    } catch (const std::exception& error) {
      checks = {{"runs", false, error.what()}};
    }
    for (const ContractCheck& check : checks) {
      Outcome& outcome = outcome_of(outcomes, check.what);
      check.passed ? void(++outcome.passed) : outcome.failures.push_back(join(describe(contract), ": ", check.detail));
      every.push_back({describe(contract), check.what, check.passed ? "ok" : "FAILED", check.detail});
    }
  }
  if (cases.empty())
    outcome_of(outcomes, "runs").failures.push_back("no position scheme and no attention suits its defaults");
  if (verbose) std::cout << aligned(every);
  std::vector<std::vector<std::string>> rows;
  bool all_passed = true;
  for (const auto& [what, outcome] : outcomes) {
    const std::size_t count = outcome.passed + outcome.failures.size();
    rows.push_back({name, what, outcome.failures.empty() ? "ok" : "FAILED",
                    outcome.failures.empty() ? join(count, " combinations")
                                             : join(outcome.failures.size(), " of ", count, " combinations")});
    if (!verbose)
      for (const std::string& failure : outcome.failures) rows.push_back({"", "", "", failure});
    all_passed = all_passed && outcome.failures.empty();
  }
  std::cout << aligned(rows) << std::flush;
  return all_passed;
}

}  // namespace

int check_command(const Invocation& invocation) {
  const std::string& asked = invocation.arguments.at(0);
  std::vector<std::string> names;
  for (const auto& [name, info] : encodings())
    if (asked == "all") names.push_back(name);
  if (asked != "all") names.push_back(encoding_info(asked).section.name);
  bool all_passed = true;
  for (const std::string& name : names)
    all_passed = check_encoding(name, invocation.flags.flag("verbose")) && all_passed;
  return all_passed ? done : failed;
}

}  // namespace lengthwise
