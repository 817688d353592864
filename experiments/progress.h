// How far a long run is, on standard error.
#pragma once

#include <string>

namespace lengthwise {

/// One line that is rewritten on a terminal; plain lines at intervals elsewhere. Silent in the first second.
class Progress {
 public:
  Progress(std::string name, std::size_t steps, std::size_t done);
  void step(std::size_t done, double loss, double token_accuracy);
  /// Something that is not a step: "evaluating".
  void note(const std::string& what);
  /// Leaves the terminal on a fresh line.
  void finish();

 private:
  void print(const std::string& line);

  std::string name_;
  std::size_t steps_, first_;
  double began_, printed_;
  bool terminal_, dirty_ = false;
};

}  // namespace lengthwise
