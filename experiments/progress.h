// How far a long run is, on standard error.
#pragma once

#include <string>

namespace lengthwise {

/// One line that is rewritten on a terminal; plain lines at intervals elsewhere. Silent in the first second.
class Progress {
 public:
  Progress(std::string name, std::size_t steps, std::size_t done);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void step(std::size_t done, double loss, double token_accuracy);
  /// Something that is not a step: "evaluating length 80 (3 of 5)".
  void note(const std::string& what);
  /// Leaves the terminal on a fresh line.
  void finish();

 private:
  /// Whether so long has passed since the last line: `terminal_seconds` on a terminal, 10 s elsewhere.
  bool due(double terminal_seconds);
  void print(const std::string& line);

  std::string name_;
  std::size_t steps_, first_;
  double began_, printed_;
  bool terminal_, dirty_ = false;
};

}  // namespace lengthwise
