#include "experiments/dataset.h"

#include <sstream>
#include <type_traits>

namespace lengthwise {
namespace {

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

}  // namespace

std::size_t count(const Values& values) {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

std::vector<double> as_doubles(const Values& values) {
  return std::visit(
      []<class T>(const std::vector<T>& v) -> std::vector<double> {
        if constexpr (std::is_same_v<T, std::string>)
          throw InputError("expected numbers, found text");
        else
          return {v.begin(), v.end()};
      },
      values);
}

void Group::add_dimension(const std::string& name, Values coordinates, std::string unit, std::string description) {
  const std::size_t size = count(coordinates);
  dimensions[name] = {size, std::move(coordinates), std::move(unit), std::move(description)};
}

void Group::add_variable(const std::string& name, std::vector<std::string> names, Values values, std::string unit,
                         std::string description) {
  variables[name] = {std::move(names), std::move(values), std::move(unit), std::move(description)};
}

Group& Group::group(const std::string& path) {
  Group* at = this;
  for (const std::string& name : split_path(path)) at = &at->groups[name];
  return *at;
}

const Group* Group::find(const std::string& path) const {
  const Group* at = this;
  for (const std::string& name : split_path(path))
    if (!(at = at->groups.find(name))) return nullptr;
  return at;
}

const Values& Group::values(const std::string& name) const {
  if (const Variable* variable = variables.find(name)) return variable->values;
  if (const Dimension* dimension = dimensions.find(name); dimension && dimension->coordinates)
    return *dimension->coordinates;
  throw InputError(join("there is no variable '", name, "'.", did_you_mean(name, variables.names())));
}

}  // namespace lengthwise
