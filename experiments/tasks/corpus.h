// Finite text that tasks read windows of: the bytes of a file or of a Debian package's text, in three parts.
#pragma once

#include "experiments/tasks/task.h"

namespace lengthwise {

/// path, corpus, split, validation_fraction and evaluation_fraction, as every task on a text has them.
std::vector<OptionSpec> corpus_options();

/// The option values for the definition hash: a text counts by its bytes, wherever it lies.
TaskInfo::Values corpus_identity(const Options& options);

/// The text's end is the evaluation part, before it comes the validation part, and the rest is for training. No window
/// crosses a border. Any file is taken as it is: no decoding, no normalised line ends.
class Corpus {
 public:
  struct Part {
    const char* name;
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };

  /// Reads corpus_options(). Throws InputError, in the name of the options' section, when there is no such text or it
  /// has less than 2 bytes.
  explicit Corpus(const Options& options);

  std::size_t size() const { return bytes_->size(); }
  int operator[](std::size_t i) const { return static_cast<unsigned char>((*bytes_)[i]); }
  /// The file's path, or the corpus.
  const std::string& name() const { return name_; }
  Part part(Stream stream) const;

  /// Throws InputError when the stream's part is shorter than a window of `bytes` bytes (of length n) or, in
  /// evaluation, has not `count` different ones.
  void check_supply(Stream stream, std::size_t n, std::size_t bytes, std::size_t count) const;
  /// Where the draw's window of `bytes` bytes begins: uniformly at random in training and validation. In evaluation the
  /// windows end at `draw.count` evenly spaced bytes, the part's last among them, which depend on that count and on
  /// `longest`, the bytes of the longest window, alone. For windows that check_supply has passed.
  std::size_t window(std::size_t bytes, std::size_t longest, const Draw& draw) const;

  /// "data/kjv.txt: 4404412 bytes: training 3743750, validation 220221, evaluation 440441"
  std::string data() const;
  /// How a person reads a byte: itself where it is printable ASCII, ␣, \n, or \xFF.
  static std::string word(int byte);

 private:
  /// The first position from `at` on where a unit of the split begins.
  std::size_t border(std::size_t at, const std::string& split) const;
  bool begins_line(std::size_t at) const;
  bool begins_document(std::size_t at) const;

  std::string section_, name_;
  std::shared_ptr<const std::string> bytes_;
  std::size_t validation_begin_ = 0, evaluation_begin_ = 0;
};

}  // namespace lengthwise
