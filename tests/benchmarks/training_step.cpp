// Times whole training steps of a fixed model and prints one JSON line:
//     training_step --size A --encoding learned --threads 2 --seconds 5
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench_model.h"
#include "core/parallel.h"

using namespace lengthwise;

int main(int count, char** words) {
  std::map<std::string, std::string> flags{{"size", "A"},    {"encoding", "learned"}, {"threads", "2"},
                                           {"seconds", "5"}, {"shards", "8"},         {"micro", "0"},
                                           {"batch", "0"},   {"length", "0"},         {"variable", "0"}};
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = std::string(words[i]).substr(2);
    if (!flags.count(name)) return std::fprintf(stderr, "unknown flag %s\n", words[i]), 2;
    flags[name] = words[i + 1];
  }
  const auto number = [&](const char* name) { return static_cast<std::size_t>(std::atoll(flags[name].c_str())); };
  BenchSize size = bench_sizes().at(flags["size"]);
  if (number("batch")) size.batch = number("batch");
  if (number("length")) size.length = number("length");

  set_threads(number("threads"));
  const ModelConfig config = bench_model(size, flags["encoding"]);
  const RandomTokens task(size.vocabulary);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  ParameterStore<float> store(1);
  Transformer<float> model(config, store);
  TrainSettings settings;
  settings.task_name = "random";
  settings.batch = size.batch;
  settings.shards = number("shards");
  settings.micro_tokens = number("micro");
  settings.schedule = {.kind = Schedule::Kind::constant, .peak = 1e-3};
  if (number("variable"))
    for (std::size_t n = 1; n <= size.length; ++n) settings.lengths.push_back(n);
  else
    settings.lengths = {size.length};
  Trainer<float> trainer(settings, task, *scheme, store, model);

  std::vector<double> milliseconds;
  std::uint64_t tokens = 0;
  const auto clock = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  for (int i = 0; i < 5; ++i) trainer.step();
  for (const double end = clock() + std::atof(flags["seconds"].c_str()); clock() < end || milliseconds.size() < 5;) {
    const double begin = clock();
    tokens += trainer.step().tokens;
    milliseconds.push_back(1e3 * (clock() - begin));
  }
  double total = 0;
  for (const double ms : milliseconds) total += ms;
  std::ranges::sort(milliseconds);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"impl\": \"lengthwise\", \"size\": \"%s\", \"enc\": \"%s\", \"threads\": %zu, \"steps\": %zu, \"step_ms\": "
      "%.4f, "
      "\"step_ms_min\": %.4f, \"tokens_per_s\": %.1f, \"peak_rss_mib\": %.1f}\n",
      flags["size"].c_str(), flags["encoding"].c_str(), threads(), milliseconds.size(),
      milliseconds[milliseconds.size() / 2], milliseconds[0], 1e3 * static_cast<double>(tokens) / total,
      static_cast<double>(usage.ru_maxrss) / 1024);
}
