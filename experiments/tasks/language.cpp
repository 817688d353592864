#include "experiments/tasks/language.h"

#include <algorithm>
#include <set>

namespace lengthwise {

std::uint64_t MachineTask::set_after(std::size_t state) const {
  std::uint64_t set = accepts(state) ? end : 0;
  for (int s = 0; s < symbols(); ++s)
    if (next(state, s)) set |= only(s);
  return set;
}

const MachineTask::Table& MachineTask::table(std::size_t n) const {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = tables_.try_emplace(n);
  Table& table = place->second;
  if (!is_new) return table;

  const std::size_t count = states(n);
  std::vector<double> ways(count);
  for (std::size_t q = 0; q < count; ++q) ways[q] = accepts(q);
  table.to_go.push_back(ways);
  // The sums of f(symbol) * after[next state] over the symbols, for every state.
  const auto step_back = [&](const std::vector<double>& after, const auto& f) {
    std::vector<double> before(count);
    for (std::size_t q = 0; q < count; ++q)
      for (int s = 0; s < symbols(); ++s)
        if (const auto to = next(q, s); to && *to < count) before[q] += f(s) * after[*to];
    return before;
  };
  for (std::size_t r = 0; r < n; ++r) {
    ways = step_back(ways, [](int) { return 1; });
    std::vector<double> before = step_back(table.to_go.back(), [&](int s) { return weight(s); });
    const double largest = std::ranges::max(before);
    if (largest > 0)
      for (double& v : before) v /= largest;
    table.to_go.push_back(std::move(before));
  }
  table.words = ways[start()];
  return table;
}

DenseTask::Sample MachineTask::sample(std::size_t n, Rng rng) const {
  const Table& table = this->table(n);
  Sample sample;
  std::vector<std::uint64_t> sets;
  std::size_t state = start();
  for (std::size_t r = n; r-- > 0;) {
    std::vector<double> shares(static_cast<std::size_t>(symbols()));
    for (int s = 0; s < symbols(); ++s)
      if (const auto to = next(state, s); to && *to < table.to_go[r].size())
        shares[static_cast<std::size_t>(s)] = weight(s) * table.to_go[r][*to];
    const int drawn = static_cast<int>(weighted(rng, shares));
    state = *next(state, drawn);
    sample.string.push_back(first_symbol + drawn);
    sets.push_back(set_after(state));
  }
  sample.labels = at_every_position(std::move(sets));
  return sample;
}

double MachineTask::chance(std::size_t n) const {
  const Table& table = this->table(n);
  std::set<std::size_t> reached{start()};
  std::set<std::uint64_t> sets;
  for (std::size_t r = n; r-- > 0;) {
    std::set<std::size_t> after;
    for (const std::size_t q : reached)
      for (int s = 0; s < symbols(); ++s)
        if (const auto to = next(q, s); to && *to < table.to_go[r].size() && table.to_go[r][*to] > 0) after.insert(*to);
    for (const std::size_t q : after) sets.insert(set_after(q));
    reached = std::move(after);
  }
  return 1 / static_cast<double>(sets.size());
}

void MachineTask::check_length(std::size_t n) const {
  DenseTask::check_length(n);
  if (table(n).words > 0) return;
  constexpr std::size_t far = 100;
  std::string near;
  for (std::size_t below = n; --below > 0 && n - below < far && near.empty();)
    if (table(below).words > 0) near = join(below);
  for (std::size_t above = n + 1; above < n + far; ++above)
    if (table(above).words > 0) {
      near += join(near.empty() ? "" : " and ", above);
      break;
    }
  throw InputError(join(name(), ": no word has length ", n, "; the nearest lengths with words are ", near,
                        ". Lengths with gaps are listed: train.length_law = list, train.lengths = 2..50:2."));
}

namespace {

std::vector<std::string> letters(const std::string& characters) {
  std::vector<std::string> all;
  for (const char c : characters) all.emplace_back(1, c);
  return all;
}

}  // namespace

AutomatonTask::AutomatonTask(Layout layout, const Automaton& automaton)
    : MachineTask(layout, letters(automaton.alphabet)), automaton_(automaton) {}

std::optional<std::size_t> AutomatonTask::next(std::size_t state, int symbol) const {
  const int to = automaton_.next[state][static_cast<std::size_t>(symbol)];
  return to == Automaton::no ? std::nullopt : std::optional(static_cast<std::size_t>(to));
}

bool AutomatonTask::accepts(std::size_t state) const {
  return std::ranges::find(automaton_.accepting, state) != automaton_.accepting.end();
}

Labels AutomatonTask::solve(const std::vector<int>& string) const {
  std::string prefix;
  std::vector<std::uint64_t> sets;
  for (const int token : string) {
    prefix += automaton_.alphabet[static_cast<std::size_t>(token - first_symbol)];
    std::uint64_t set = 0;
    for (const char c : automaton_.after(prefix))
      set |= c == '$' ? end : only(static_cast<int>(automaton_.alphabet.find(c)));
    sets.push_back(set);
  }
  return at_every_position(std::move(sets));
}

}  // namespace lengthwise
