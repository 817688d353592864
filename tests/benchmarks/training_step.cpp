// Times whole training steps of a fixed model and prints one JSON line:
//     training_step --size A --encoding learned --threads 2 --seconds 5
// --limit 1 adds the share that steps of equal lengths reach of the multiply-adds that the machine does between them.
// --serial 1 samples the CPU time of the process and adds the share spent outside of parallel work.
#include <sys/time.h>

#include <csignal>

#include "bench_model.h"
#include "core/parallel.h"
#include "fma_peak.h"
#include "program.h"

using namespace lengthwise;

namespace {

volatile std::sig_atomic_t samples = 0, serial_samples = 0;

// On a stack of its own: generated code of the matrix products keeps data where the stack pointer is.
void start_sampling() {
  static char stack[1 << 16];
  const stack_t alternate{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_handler = [](int) {
    samples = samples + 1;
    if (!ParallelScope::inside()) serial_samples = serial_samples + 1;
  };
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_PROF, &often, nullptr);
}

}  // namespace

int main(int count, char** words) {
  const Flags flags(count, words,
                    {{"size", "A"},
                     {"encoding", "learned"},
                     {"threads", "2"},
                     {"seconds", "5"},
                     {"shards", "8"},
                     {"micro", "0"},
                     {"batch", "0"},
                     {"length", "0"},
                     {"variable", "0"},
                     {"limit", "0"},
                     {"serial", "0"}});
  BenchSize size = bench_sizes().at(flags.text("size"));
  if (flags.count("batch")) size.batch = flags.count("batch");
  if (flags.count("length")) size.length = flags.count("length");
  set_threads(flags.count("threads"));

  const RandomTokens task(size.vocabulary);
  const auto scheme = make_scheme("sequential", Options(schemes().at("sequential").section));
  ParameterStore<float> store(1);
  Transformer<float> model(bench_model(size, flags.text("encoding")), store);
  TrainSettings settings = bench_training(size);
  settings.shards = flags.count("shards");
  settings.micro_tokens = flags.count("micro");
  for (std::size_t n = 1; flags.count("variable") && n < size.length; ++n) settings.lengths.push_back(n);
  Trainer<float> trainer(settings, task, *scheme, store, model);

  if (flags.count("serial")) {
    if (flags.count("threads") != 1) return std::fprintf(stderr, "--serial 1 goes with --threads 1\n"), 2;
    start_sampling();
  }
  if (flags.count("limit") && flags.count("variable"))
    return std::fprintf(stderr, "--limit 1 goes with --variable 0\n"), 2;
  const double flops_a_token = step_flops(size) / static_cast<double>(size.batch * size.length);
  const auto limit = [&] { return flags.count("limit") ? fma_peak() / flops_a_token : 1; };  // tokens a second
  const Timing timing = timed(
      flags.real("seconds"), 5, [&] { return trainer.step().tokens; }, limit);
  std::string more;
  if (samples > 0)
    more = join("\"serial_share\": ", static_cast<double>(serial_samples) / static_cast<double>(samples));
  if (flags.count("limit")) more += join(more.empty() ? "" : ", ", "\"limit_share\": ", timing.share);
  report(flags, timing, more);
}
