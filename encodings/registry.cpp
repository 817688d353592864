#include "encodings/registry.h"

#include <algorithm>

namespace lengthwise {
namespace {

struct Factories {
  EncodingFactory<float> make_float;
  EncodingFactory<double> make_double;
};

// Filled before main by the registration lines; behind functions, since the order of initialisation is unspecified.
std::map<std::string, EncodingInfo>& encoding_infos() {
  static std::map<std::string, EncodingInfo> all;
  return all;
}
std::map<std::string, Factories>& encoding_factories() {
  static std::map<std::string, Factories> all;
  return all;
}
std::map<std::string, SchemeInfo>& scheme_infos() {
  static std::map<std::string, SchemeInfo> all;
  return all;
}
std::map<std::string, SchemeFactory>& scheme_factories() {
  static std::map<std::string, SchemeFactory> all;
  return all;
}

template <class Map>
std::vector<std::string> names_of(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : map) names.push_back(name);
  return names;
}

template <class Map>
void require_known(const char* kind, const std::string& name, const Map& map) {
  const auto names = names_of(map);
  require(map.count(name) > 0, "unknown ", kind, " '", name, "'.", did_you_mean(name, names), " Known: ", listed(names),
          ".");
}

template <class Map>
void require_new(const char* kind, const std::string& name, const Map& map) {
  if (map.count(name))
    throw std::logic_error(join("two ", kind, " register the name '", name, "'; rename one of them"));
}

}  // namespace

void register_encoding(EncodingInfo info, EncodingFactory<float> make_float, EncodingFactory<double> make_double) {
  require_new("encodings", info.section.name, encoding_infos());
  encoding_factories()[info.section.name] = {std::move(make_float), std::move(make_double)};
  encoding_infos()[info.section.name] = std::move(info);
}

const std::map<std::string, EncodingInfo>& encodings() { return encoding_infos(); }

const EncodingInfo& encoding_info(const std::string& name) {
  require_known("encoding", name, encoding_infos());
  return encoding_infos().at(name);
}

template <class T>
std::unique_ptr<Encoding<T>> make_encoding(const std::string& name, const EncodingSetup<T>& setup) {
  require_known("encoding", name, encoding_infos());
  const Factories& factories = encoding_factories().at(name);
  if constexpr (std::is_same_v<T, float>)
    return factories.make_float(setup);
  else
    return factories.make_double(setup);
}
template std::unique_ptr<Encoding<float>> make_encoding(const std::string&, const EncodingSetup<float>&);
template std::unique_ptr<Encoding<double>> make_encoding(const std::string&, const EncodingSetup<double>&);

EncodingPlan::EncodingPlan(const std::string& text) {
  const auto split = [](const std::string& whole, char at) {
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= whole.size();) {
      const std::size_t to = std::min(whole.find(at, from), whole.size());
      const std::size_t first = std::min(whole.find_first_not_of(' ', from), to);
      std::string part = whole.substr(first, to - first);
      part.erase(part.find_last_not_of(' ') + 1);
      parts.push_back(part);
      from = to + 1;
    }
    return parts;
  };
  for (const std::string& layer : split(text, ';')) {
    auto& groups = layers_.emplace_back();
    for (const std::string& group : split(layer, '/')) {
      Group& together = groups.emplace_back();
      for (const std::string& name : split(group, '+')) {
        require(!name.empty(), "encoding.name = ", text,
                ": a name is missing. Join encodings by +, head groups by /, layers by ;.");
        require(name.find_first_of(", ") == name.npos, "encoding.name = ", text, ": '", name,
                "' is not one name. Join encodings by +, head groups by /, layers by ;. Several runs are for "
                "scripts/sweep.py.");
        encoding_info(name);
        require(std::ranges::find(together, name) == together.end(), "encoding.name = ", text, ": '", name,
                "' stands twice in ", group, ".");
        together.push_back(name);
        if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
      }
    }
  }
}

void register_scheme(SchemeInfo info, SchemeFactory make) {
  require_new("position schemes", info.section.name, scheme_infos());
  scheme_factories()[info.section.name] = std::move(make);
  scheme_infos()[info.section.name] = std::move(info);
}

const std::map<std::string, SchemeInfo>& schemes() { return scheme_infos(); }

std::unique_ptr<PositionScheme> make_scheme(const std::string& name, const Options& options) {
  require_known("position scheme", name, scheme_infos());
  return scheme_factories().at(name)(options);
}

std::span<const double> SchemeInput::hint(const std::string& channel) const {
  require(hints && hints->count(channel) > 0, "the position scheme needs ids of channel '", channel,
          "' from the task, which hands over: ", !hints || hints->empty() ? "none" : listed(names_of(*hints)), ".");
  return hints->at(channel);
}

Positions Positions::first(std::size_t n) const {
  Positions made;
  for (const auto& [name, ids] : channels_) made.set(name, {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(n)});
  if (!without_position.empty())
    made.without_position.assign(without_position.begin(), without_position.begin() + static_cast<std::ptrdiff_t>(n));
  for (const auto& distances : distance_of_rows)
    made.distance_of_rows.emplace_back(distances.begin(), distances.begin() + static_cast<std::ptrdiff_t>(n));
  return made;
}

std::span<const double> Positions::channel(const std::string& channel) const {
  const auto found = channels_.find(channel);
  require(found != channels_.end(), "position ids of channel '", channel,
          "' are needed, and neither the position scheme nor the task gives them; there are: ",
          channels_.empty() ? "none" : listed(names_of(channels_)), ".");
  return found->second;
}

}  // namespace lengthwise
