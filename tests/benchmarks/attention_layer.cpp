// Times attention forward and backward, as training does it: threads take sequences. One JSON line:
//     attention_layer --encoding alibi --tokens 256 --threads 2
#include "attention_case.h"
#include "core/parallel.h"
#include "program.h"

using namespace lengthwise;

int main(int count, char** words) {
  const Flags flags(count, words,
                    {{"size", ""}, {"encoding", "alibi"}, {"tokens", "256"}, {"threads", "2"}, {"seconds", "3"}});
  const std::size_t n = flags.count("tokens"), sequences = std::max<std::size_t>(2, 2048 / n);
  set_threads(flags.count("threads"));
  const std::size_t together = std::clamp<std::size_t>(512 / n, 1, sequences / 2);  // a shard
  std::vector<std::unique_ptr<AttentionCase>> cases;
  for (std::size_t first = 0; first < sequences; first += together)
    cases.push_back(std::make_unique<AttentionCase>(flags.text("encoding"), n, together));
  const Timing timing = timed(flags.real("seconds"), 2, [&] {
    parallel_for(cases.size(), [&](std::size_t i) { cases[i]->forward_backward(); });
    return cases.size() * cases[0]->tokens();
  });
  report(flags, timing, join("\"tokens\": ", n));
}
