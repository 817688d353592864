// What each encoding adds to a training step, relative to none: the steps of all encodings in turn, round by round, so
// that whatever else the machine does meets all of them. Prints a Markdown table of minima and of medians of ratios.
//     encoding_cost --threads 1 --rounds 20 --only rope,alibi
#include "bench_model.h"
#include "core/parallel.h"
#include "program.h"

using namespace lengthwise;

namespace {

// What random tokens have ids of.
bool one_dimensional(const std::string& channel) { return channel == "sequence" || channel == "segment"; }

struct Contender {
  std::string name;
  ParameterStore<float> store{1};
  std::unique_ptr<Transformer<float>> model;
  std::unique_ptr<Trainer<float>> trainer;
  std::vector<double> times;
};

}  // namespace

int main(int count, char** words) {
  const Flags flags(count, words, {{"sizes", "AB"}, {"threads", "1"}, {"rounds", "20"}, {"only", ""}});
  set_threads(flags.count("threads"));
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  const std::string only = "," + flags.text("only") + ",";
  std::map<std::string, std::string> cells;  // encoding -> its columns
  for (const char letter : flags.text("sizes")) {
    const BenchSize& size = bench_sizes().at(std::string(1, letter));
    const RandomTokens task(size.vocabulary);
    std::vector<std::unique_ptr<Contender>> contenders;
    std::vector<std::string> names{"none"};
    for (const auto& [name, info] : encodings())
      if (name != "none" && std::ranges::all_of(info.channels, one_dimensional) &&
          (only == ",," || only.find("," + name + ",") != std::string::npos))
        names.push_back(name);
    for (const std::string& name : names) {
      auto made = std::make_unique<Contender>();
      made->name = name;
      made->model = std::make_unique<Transformer<float>>(bench_model(size, name), made->store);
      made->trainer = std::make_unique<Trainer<float>>(bench_training(size), task, *scheme, made->store, *made->model);
      contenders.push_back(std::move(made));
    }
    for (std::size_t round = 0; round < flags.count("rounds") + 2; ++round)
      for (auto& contender : contenders) {
        const double begin = now();
        contender->trainer->step();
        if (round >= 2) contender->times.push_back(now() - begin);
      }
    const std::vector<double>& base = contenders[0]->times;
    for (auto& contender : contenders) {
      std::vector<double> ratios;
      for (std::size_t r = 0; r < base.size(); ++r) ratios.push_back(contender->times[r] / base[r]);
      std::ranges::sort(ratios);
      char text[64];
      std::snprintf(text, sizeof text, " %.2f | %.2f |", std::ranges::min(contender->times) / std::ranges::min(base),
                    ratios[ratios.size() / 2]);
      cells[contender->name] += text;
    }
  }
  std::printf("| encoding |");
  for (const char letter : flags.text("sizes")) std::printf(" %c, minima | %c, median |", letter, letter);
  std::printf("\n| --- |");
  for (std::size_t c = 0; c < 2 * flags.text("sizes").size(); ++c) std::printf(" --- |");
  std::printf("\n");
  for (const auto& [name, columns] : cells) std::printf("| %s |%s\n", name.c_str(), columns.c_str());
}
