#include "experiments/show.h"

#include <iostream>

#include "experiments/commands.h"

namespace lengthwise {

int show_command(const Invocation& invocation) {
  ShowOptions options;
  options.protocol = invocation.flags.text("protocol");
  options.markdown = invocation.flags.flag("markdown");
  options.width = output_width();
  std::cout << show_runs(invocation.arguments, options);
  return done;
}

}  // namespace lengthwise
