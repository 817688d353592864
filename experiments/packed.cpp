#include "experiments/packed.h"

#include "experiments/forwarding_task.h"

namespace lengthwise {
namespace {

template <class V>
void drop(std::vector<V>& values, std::size_t count) {
  values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
}

void append(Example& whole, const Example& next) {
  const std::size_t before = whole.tokens.size();
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(whole.tokens, next.tokens);
  for (auto& [channel, ids] : whole.ids) add(ids, next.ids.at(channel));
  for (const std::size_t row : next.first_seen) whole.first_seen.push_back(row > 0 ? before + row : 0);
  for (const std::size_t row : next.scored) whole.scored.push_back(before + row);
  add(whole.targets, next.targets);
  add(whole.target_sets, next.target_sets);
}

void cut(Example& whole, std::size_t tokens) {
  const auto scored = static_cast<std::size_t>(std::ranges::lower_bound(whole.scored, tokens) - whole.scored.begin());
  if (scored == whole.scored.size()) return;
  drop(whole.tokens, tokens);
  for (auto& [channel, ids] : whole.ids) drop(ids, tokens);
  drop(whole.first_seen, tokens);
  for (std::size_t& row : whole.first_seen) row -= std::min(row, tokens);
  drop(whole.scored, scored);
  drop(whole.targets, scored);
  drop(whole.target_sets, scored);
  for (std::size_t& row : whole.scored) row -= tokens;
}

class Packed final : public ForwardingTask {
 public:
  Packed(std::shared_ptr<const Task> task, std::vector<std::size_t> lengths, std::size_t tokens, LengthLaw law,
         std::size_t batch)
      : ForwardingTask(std::move(task)),
        lengths_(std::move(lengths)),
        tokens_(tokens),
        law_(std::move(law)),
        batch_(batch) {}

  std::size_t max_tokens(std::size_t) const override { return tokens_; }

  Example example(std::size_t n, const Draw& draw) const override {
    Example whole = ForwardingTask::example(n, draw);
    if (draw.stream != Stream::train) return whole;
    const std::size_t first = whole.tokens.size();
    const Rng rng = draw.rng.at("pack");
    for (std::uint64_t i = 0;; ++i) {
      Draw another = draw;
      another.rng = rng.at(i);
      const std::size_t length = law_.per_batch ? n : law_.pick(lengths_, draw.index / batch_, rng.at("lengths").at(i));
      const Example next = ForwardingTask::example(length, another);
      if (whole.tokens.size() + next.tokens.size() > tokens_) break;
      append(whole, next);
    }
    cut(whole, rng.at("offset").below(first));
    whole.pad = 0, whole.answer = whole.scored.size();
    return whole;
  }

 private:
  std::vector<std::size_t> lengths_;
  std::size_t tokens_;
  LengthLaw law_;
  std::size_t batch_;
};

}  // namespace

std::shared_ptr<const Task> packed(std::shared_ptr<const Task> task, std::vector<std::size_t> lengths,
                                   std::size_t tokens, LengthLaw law, std::size_t batch) {
  return std::make_shared<Packed>(std::move(task), std::move(lengths), tokens, std::move(law), batch);
}

}  // namespace lengthwise
