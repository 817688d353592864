#include "core/gradient_sum.h"

#include <sched.h>

#include <stdexcept>
#include <utility>

#include "core/parallel.h"

namespace lengthwise {
namespace {

constexpr std::size_t values_a_piece = 16384;

}  // namespace

template <class T>
class GradientSum<T>::Shard final : public ParameterGradients<T> {
 public:
  explicit Shard(GradientSum& sum)
      : sum_(sum), gradients_(sum.places_.size()), begun_(gradients_.size()), complete_(gradients_.size()) {}

  void begin(std::size_t number) {
    number_ = number;
    std::ranges::fill(begun_, false);
    std::ranges::fill(complete_, false);
  }

  GradientTarget<T> target(const Node<T>& parameter) override {
    if (complete_[parameter.parameter]) throw std::logic_error("GradientSum: a shard goes backward once");
    const bool first = !std::exchange(begun_[parameter.parameter], true);
    const T beta = first ? T(0) : T(1);
    if (number_ == 0) return {sum_.places_[parameter.parameter].total, beta};  // nothing is there to be added to
    Array<T>& gradient = gradients_[parameter.parameter];
    if (first) gradient = uninitialized<T>(parameter.rows, parameter.cols);
    return {view(gradient), beta};
  }

  void complete(std::size_t parameter) override {
    complete_[parameter] = true;
    waiting_.push_back(parameter);
    merge(false);
  }

  /// What is left, in the order of the parameters. Waits for the shards before.
  void finish() {
    for (std::size_t p = 0; p < complete_.size(); ++p)
      if (!complete_[p]) complete(p);
    merge(true);
    reset();
  }

  void reset() {
    for (Array<T>& gradient : gradients_) gradient = Array<T>();
    waiting_.clear();
    next_ = done_ = 0;
  }

 private:
  // Adds what it is this shard's turn to add; with `wait`, all that waits.
  void merge(bool wait) {
    for (; next_ < waiting_.size(); ++next_, done_ = 0) {
      const Place& place = sum_.places_[waiting_[next_]];
      Array<T>& gradient = gradients_[waiting_[next_]];
      for (; done_ < place.total.rows; done_ += place.rows_a_piece) {
        std::atomic<std::size_t>& merged = sum_.merged_[place.first_piece + done_ / place.rows_a_piece];
        for (std::size_t spins = 0; merged.load(std::memory_order_acquire) != number_; ++spins) {
          if (!wait || sum_.failed_.load(std::memory_order_relaxed)) return;
          if (spins > 64) sched_yield();
        }
        const std::size_t rows = std::min(place.rows_a_piece, place.total.rows - done_);
        add(waiting_[next_], done_, place.total.block_rows(done_, rows));
        merged.store(number_ + 1, std::memory_order_release);
      }
      gradient = Array<T>();
    }
  }

  void add(std::size_t parameter, std::size_t first, Matrix<T> to) const {
    if (!begun_[parameter]) {
      if (number_ == 0) fill(to, T(0));
    } else if (number_ > 0) {
      accumulate(view(gradients_[parameter]).block_rows(first, to.rows), to);
    }
  }

  GradientSum& sum_;
  std::size_t number_ = 0;
  std::vector<Array<T>> gradients_;     // none of shard 0
  std::vector<char> begun_, complete_;  // parameters
  std::vector<std::size_t> waiting_;    // parameters, in the order they were complete
  std::size_t next_ = 0, done_ = 0;     // the first of them that is not in the total yet, and its rows that are
};

template <class T>
GradientSum<T>::GradientSum(ParameterStore<T>& store) : total_(store.flat().cols, T(0)) {
  for (const ParameterInfo& info : store.list()) {
    const std::size_t rows = std::max<std::size_t>(1, values_a_piece / std::max<std::size_t>(1, info.stride));
    places_.push_back({rows, pieces_, info.in(total_.data())});
    pieces_ += (info.rows + rows - 1) / rows;
  }
  merged_ = std::make_unique<std::atomic<std::size_t>[]>(pieces_);
}

template <class T>
GradientSum<T>::~GradientSum() = default;

template <class T>
void GradientSum<T>::compute(std::size_t shards, const std::function<void(std::size_t, ParameterGradients<T>&)>& work) {
  failed_ = false;
  for (std::size_t i = 0; i < pieces_; ++i) merged_[i].store(0, std::memory_order_relaxed);
  while (running_.size() < threads()) running_.push_back(std::make_unique<Shard>(*this));
  parallel_for(shards, [&](std::size_t number) {
    Shard& shard = *running_[static_cast<std::size_t>(omp_get_thread_num())];
    shard.begin(number);
    try {
      work(number, shard);
      shard.finish();
    } catch (...) {
      failed_ = true;  // whoever waits for this shard gives up
      shard.reset();
      throw;
    }
  });
}

template class GradientSum<float>;
template class GradientSum<double>;

}  // namespace lengthwise
