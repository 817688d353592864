#include "experiments/tasks/index_hints.h"

#include <algorithm>
#include <cassert>

namespace lengthwise {
namespace {

class Hinted final : public PromptTask {
 public:
  Hinted(std::unique_ptr<PromptTask> task, int hints, Layout layout)
      : PromptTask(layout), task_(std::move(task)), hints_(hints) {}

  void check_length(std::size_t n) const override {
    task_->check_length(n);
    require(items(n) <= static_cast<std::size_t>(hints_), name(), ": length ", n, " has ", items(n),
            " items to number and ", name(), ".hints is ", hints_,
            ". Set hints to the items of the longest length or more, or to 0 for none.");
  }

  Sample sample(std::size_t n, Rng rng) const override {
    const Sample plain = task_->sample(n, rng);
    const std::size_t longer = std::max(plain.prompt.size(), plain.target.size());
    const auto start = static_cast<int>(rng.at("hints").below(static_cast<std::uint64_t>(hints_) - longer + 1));
    Sample hinted{.prompt = add_hints(plain.prompt, start), .target = add_hints(plain.target, start), .ids = {}};
    for (const auto& [channel, ids] : plain.ids) {
      const bool has_separator = ids.size() > plain.prompt.size() + plain.target.size();
      for (std::size_t i = 0; i < ids.size(); ++i)
        hinted.ids[channel].insert(hinted.ids[channel].end(), has_separator && i == plain.prompt.size() ? 1 : 2,
                                   ids[i]);
    }
    return hinted;
  }
  std::vector<int> solve(const std::vector<int>& prompt) const override {
    std::vector<int> plain;
    for (std::size_t i = 1; i < prompt.size(); i += 2) plain.push_back(prompt[i]);
    return add_hints(task_->solve(plain), prompt[0] - first_hint());
  }

  std::size_t prompt_tokens(std::size_t n) const override { return 2 * task_->prompt_tokens(n); }
  std::size_t target_tokens(std::size_t n) const override { return 2 * task_->target_tokens(n); }
  int symbols() const override { return task_->symbols() + hints_; }
  std::string symbol(int index) const override {
    return index < task_->symbols() ? task_->symbol(index) : join('#', index - task_->symbols());
  }
  double chance(std::size_t n) const override { return (1 + task_->chance(n)) / 2; }  // the prompt tells the hints
  std::optional<double> space(std::size_t n) const override {
    const std::optional<double> plain = task_->space(n);
    if (!plain) return {};
    return *plain * (hints_ - static_cast<double>(items(n)) + 1);
  }

 private:
  std::size_t items(std::size_t n) const { return std::max(task_->prompt_tokens(n), task_->target_tokens(n)); }
  int first_hint() const { return first_symbol + task_->symbols(); }

  std::vector<int> add_hints(const std::vector<int>& items, int start) const {
    std::vector<int> hinted;
    for (const int item : items) {
      hinted.push_back(first_hint() + start++);
      hinted.push_back(item);
    }
    return hinted;
  }

  std::unique_ptr<PromptTask> task_;
  int hints_;
};

}  // namespace

OptionSpec hints_option() {
  return integer("hints", 0)
      .at_most(1 << 20)
      .says("a hint before each item of prompt and answer, a random run of this many hint symbols; 0: no hints");
}

std::unique_ptr<Task> with_index_hints(std::unique_ptr<Task> task, int hints, Layout layout) {
  assert(dynamic_cast<PromptTask*>(task.get()));
  return std::make_unique<Hinted>(std::unique_ptr<PromptTask>(static_cast<PromptTask*>(task.release())), hints, layout);
}

}  // namespace lengthwise
