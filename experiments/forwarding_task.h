// A task that is another one but for what a subclass changes.
#pragma once

#include <memory>

#include "experiments/tasks/task.h"

namespace lengthwise {

class ForwardingTask : public Task {
 public:
  explicit ForwardingTask(std::shared_ptr<const Task> task) : task_(std::move(task)) { name_ = task_->name(); }

  int vocabulary() const override { return task_->vocabulary(); }
  std::size_t features() const override { return task_->features(); }
  std::size_t max_tokens(std::size_t n) const override { return task_->max_tokens(n); }
  void check_length(std::size_t n) const override { task_->check_length(n); }
  void check_supply(Stream stream, std::size_t n, std::size_t count) const override {
    task_->check_supply(stream, n, count);
  }
  std::size_t examples(std::size_t n, const Draw& draw) const override { return task_->examples(n, draw); }
  Example example(std::size_t n, const Draw& draw) const override { return task_->example(n, draw); }
  double chance(std::size_t n) const override { return task_->chance(n); }
  std::string word(int token) const override { return task_->word(token); }
  std::string picture(const Example& example) const override { return task_->picture(example); }
  std::optional<double> space(std::size_t n) const override { return task_->space(n); }
  bool windows() const override { return task_->windows(); }
  std::vector<int> read_prompt(const std::string& prompt) const override { return task_->read_prompt(prompt); }
  bool ends_with_answer() const override { return task_->ends_with_answer(); }
  std::string data() const override { return task_->data(); }

 private:
  std::shared_ptr<const Task> task_;
};

}  // namespace lengthwise
