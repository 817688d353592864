#include "experiments/axis.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "experiments/forwarding_task.h"

namespace lengthwise {
namespace {

/// The integer option of the section that is called `name`.
const OptionSpec& integer_option(const Section& section, const std::string& name, const std::string& where) {
  std::vector<std::string> known;
  for (const OptionSpec& spec : section.options) {
    if (spec.type != OptionSpec::Type::integer) continue;
    if (spec.name == name) return spec;
    known.push_back(spec.name);
  }
  throw InputError(join(where, ": ", section.name, " has no integer option '", name, "', which an axis is made of.",
                        did_you_mean(name, known), known.empty() ? "" : " Its integer options: " + listed(known)));
}

/// An error of the task that the axis' option has this value in.
InputError named(const InputError& error, const std::string& option, std::int64_t value) {
  return InputError(join("with ", option, " = ", value, ": ", error.what()));
}

class Mixed final : public ForwardingTask {
 public:
  explicit Mixed(const TaskAxis& axis) : ForwardingTask(axis.tasks.front()), axis_(axis) {}

  std::size_t max_tokens(std::size_t n) const override {
    std::size_t most = 0;
    for (const auto& task : axis_.tasks) most = std::max(most, task->max_tokens(n));
    return most;
  }
  void check_length(std::size_t n) const override {
    for (std::size_t value = 0; value < axis_.tasks.size(); ++value) {
      try {
        axis_.tasks[value]->check_length(n);
      } catch (const InputError& error) {
        throw named(error, axis_.option, axis_.values[value]);
      }
    }
  }
  void check_supply(Stream stream, std::size_t n, std::size_t count) const override {
    for (const auto& task : axis_.tasks) task->check_supply(stream, n, count);
  }
  Example example(std::size_t n, const Draw& draw) const override {
    return axis_.tasks[draw.rng.at("axis").below(axis_.tasks.size())]->example(n, draw);
  }
  double chance(std::size_t n) const override {
    return std::transform_reduce(axis_.tasks.begin(), axis_.tasks.end(), 0.0, std::plus<>(),
                                 [n](const auto& task) { return task->chance(n); }) /
           static_cast<double>(axis_.tasks.size());
  }
  std::optional<double> space(std::size_t) const override { return {}; }

 private:
  TaskAxis axis_;
};

}  // namespace

std::string TaskAxis::draw_name(std::size_t value) const {
  const std::string& task = tasks[value]->name();
  return option.empty() ? task : join(task, " ", option, " ", values[value]);
}

TaskAxis make_axis(const std::string& text, const std::string& where, const std::string& task, const Options& options,
                   Layout layout) {
  TaskAxis axis;
  if (text.empty()) {
    axis.tasks.push_back(make_task(task, options, layout));
    return axis;
  }
  const std::size_t colon = text.find(':');
  require(colon != text.npos && colon + 1 < text.size(), where, " is '", text,
          "'; write an integer option of the task and its values, as in 'operands: 2..5'.");
  axis.option = text.substr(0, colon);
  axis.option.erase(axis.option.find_last_not_of(' ') + 1);
  const Section& section = tasks().at(task).section;
  OptionSpec spec = integer_option(section, axis.option, where);
  spec.type = OptionSpec::Type::list;
  const std::string list = check_value(spec, text.substr(colon + 1), where);
  const auto listed = Options({task, "", {spec}}, {{axis.option, list}}).list(axis.option);
  const std::set<std::int64_t> sorted(listed.begin(), listed.end());
  axis.values.assign(sorted.begin(), sorted.end());

  const auto own = make_task(task, options, layout);
  for (const std::int64_t value : axis.values) {
    TaskInfo::Values changed = options.values();
    changed[axis.option] = join(value);
    try {
      axis.tasks.push_back(make_task(task, Options(section, changed), layout));
    } catch (const InputError& error) {
      throw InputError(join(where, ", ", named(error, axis.option, value).what()));
    }
    const Task& made = *axis.tasks.back();
    require(made.vocabulary() == own->vocabulary() && made.features() == own->features(), where, ": with ", axis.option,
            " = ", value, ", ", task, " has ", made.vocabulary(), " different tokens and ", made.features(),
            " features a row, not ", own->vocabulary(), " and ", own->features(),
            ". One model serves the whole axis, so its option must leave them as they are.");
  }
  return axis;
}

std::shared_ptr<const Task> mixed(const TaskAxis& axis) {
  return axis.option.empty() ? axis.tasks.front() : std::make_shared<Mixed>(axis);
}

}  // namespace lengthwise
