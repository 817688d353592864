// A learned table that one channel of ids is looked up in:  x_i += E[id_i]
#pragma once

#include "core/ops/embedding.h"
#include "encodings/encoding.h"

namespace lengthwise {

template <class T>
class ChannelEmbedding : public Encoding<T> {
 public:
  /// The table is the parameter NAME.table (rows, D), normal with the section's init_std at first.
  ChannelEmbedding(const EncodingSetup<T>& setup, std::string name, std::string channel, std::size_t rows)
      : name_(std::move(name)),
        channel_(std::move(channel)),
        rows_(rows),
        table_(setup.store.table(name_ + ".table", rows, setup.shape.width,
                                 initial_normal(setup.options.real("init_std")))) {}

  Variable<T> embed(const Variable<T>& x, const Context& context) const final {
    const auto ids = context.ids(channel_);
    std::vector<std::size_t> rows(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      require(ids[i] >= 0 && ids[i] < static_cast<double>(rows_) && ids[i] == std::floor(ids[i]), name_, ": id ",
              ids[i], " of channel '", channel_, "' is not a row of the table, which has the whole-numbered rows 0 to ",
              rows_ - 1, beyond());
      rows[i] = static_cast<std::size_t>(ids[i]);
    }
    return add(x, embedding(table_.variable(), std::move(rows)));
  }

 protected:
  /// How an error about an id beyond the table ends: what to do.
  virtual std::string beyond() const = 0;

 private:
  std::string name_, channel_;
  std::size_t rows_;
  Parameter<T> table_;
};

}  // namespace lengthwise
