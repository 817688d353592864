// Byte-level language modelling of a file: the next byte, given those before it in the window.
//
// Data     a token is the value of a byte. Any file is taken as it is: no decoding, no normalised line ends (13 is a
//          token), no symbol table to store. The file's end is the evaluation part, before it comes the validation
//          part, and the rest is for training. No window crosses a border.
// n        bytes the model reads: a window is n + 1 bytes of the file, the first n as input, the last n as targets.
// Windows  start uniformly at random in training and validation. In evaluation they end at `count` evenly spaced bytes,
//          the part's last byte among them. The ends depend on count and the longest length alone, so that every length
//          scores the same bytes when only the last k of a window count.
// Options  path, validation_fraction (0.05), evaluation_fraction (0.1).
// Throws   for bidirectional models, which would read the byte they predict.
// Chance   1/256.
#include <cassert>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "experiments/tasks/task.h"

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

using Bytes = std::shared_ptr<const std::string>;

/// The file's bytes, read once for all tasks that hold them.
Bytes shared_bytes(const std::string& path) {
  require(!path.empty(), "text.path is not set; name the file to learn from, as in --text.path=book.txt.");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), "text.path: cannot open '", path, "': ", error.message(), ". Give the path of a file.");
  require(fs::is_regular_file(status), "text.path: '", path, "' is ",
          fs::is_directory(status) ? "a directory" : "no file", "; give the path of a file.");

  static std::mutex mutex;
  static std::map<fs::path, std::weak_ptr<const std::string>> files;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const std::string>& held = files[fs::canonical(path)];
  if (const Bytes bytes = held.lock()) return bytes;

  std::string read(fs::file_size(path), '\0');
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), "text.path: cannot open '", path, "'; is it readable?");
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  require(static_cast<std::size_t>(file.gcount()) == read.size(), "text.path: '", path, "' gave ", file.gcount(),
          " of ", read.size(), " bytes.");
  const auto bytes = std::make_shared<const std::string>(std::move(read));
  held = bytes;
  return bytes;
}

class Text final : public Task {
 public:
  Text(const Options& options, Layout layout) : path_(options.text("path")) {
    require(layout == Layout::causal, "text: a bidirectional model reads the byte it should predict; set ",
            "model.attention = causal.");
    const double validation = options.real("validation_fraction"), evaluation = options.real("evaluation_fraction");
    require(validation + evaluation < 1, "text: validation_fraction ", validation, " and evaluation_fraction ",
            evaluation, " leave nothing to train on; their sum must be below 1.");
    bytes_ = shared_bytes(path_);
    require(bytes_->size() >= 2, "text.path: '", path_, "' has ", bytes_->size(),
            " byte(s); the shortest window has 2, an input and its target.");
    const auto share = [&](double fraction) {
      return static_cast<std::size_t>(std::llround(fraction * static_cast<double>(bytes_->size())));
    };
    evaluation_begin_ = bytes_->size() - share(evaluation);
    validation_begin_ = evaluation_begin_ - std::min(share(validation), evaluation_begin_);
  }

  int vocabulary() const override { return 256; }
  bool windows() const override { return true; }
  std::size_t max_tokens(std::size_t n) const override { return n; }
  double chance(std::size_t) const override { return 1.0 / 256; }

  void check_length(std::size_t n) const override {
    require(n >= 1 && n < bytes_->size(), "text: a window of length ", n, " has ", n, " + 1 bytes and '", path_,
            "' has ", bytes_->size(), "; lengths are 1 .. ", bytes_->size() - 1, ".");
  }

  void check_supply(Stream stream, std::size_t n, std::size_t count) const override {
    check_length(n);
    const Part part = this->part(stream);
    require(part.size() > n, "text: the ", part.name, " part of '", path_, "' has ", part.size(), " of ",
            bytes_->size(), " bytes; windows of length ", n, " need at least ", n + 1,
            ". Give a longer file, shorter lengths, or other fractions.");
    require(stream != Stream::evaluation || count <= part.size() - n, "text: the evaluation part of '", path_, "' has ",
            part.size(), " bytes, that is ", part.size() - n, " different windows of length ", n, "; ", count,
            " examples are asked for. Lower evaluate.examples or raise text.evaluation_fraction.");
  }

  Example example(std::size_t n, const Draw& draw) const override {
    assert(draw.stream != Stream::evaluation || (draw.index < draw.count && n <= draw.longest));
    require(draw.last <= n, "text: a window of length ", n, " cannot score its last ", draw.last,
            " bytes; score at most as many as the shortest length.");
    const std::size_t begin = window_begin(n, draw), scored = draw.last == 0 ? n : draw.last;
    const auto byte = [&](std::size_t i) { return static_cast<int>(static_cast<unsigned char>((*bytes_)[begin + i])); };
    Example example;
    for (std::size_t i = 0; i < n; ++i) example.tokens.push_back(byte(i));
    for (std::size_t i = n - scored; i < n; ++i) {
      example.scored.push_back(i);
      example.targets.push_back(byte(i + 1));
    }
    example.answer = scored;
    return example;
  }

  std::string word(int token) const override {
    switch (token) {
      case ' ':
        return "␣";
      case '\\':
        return "\\\\";
      case '\n':
        return "\\n";
      case '\r':
        return "\\r";
      case '\t':
        return "\\t";
      default:
        break;
    }
    if (token > ' ' && token < 127) return std::string(1, static_cast<char>(token));
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02X", static_cast<unsigned>(token));
    return hex;
  }

  std::string data() const override {
    std::string line = join(path_, ": ", bytes_->size(), " bytes");
    const char* before = ": ";
    for (const Stream stream : {Stream::train, Stream::validation, Stream::evaluation}) {
      line += join(before, part(stream).name, " ", part(stream).size());
      before = ", ";
    }
    return line;
  }

  /// For the definition hash: the file counts by its bytes, wherever it lies.
  static TaskInfo::Values identity(const Options& options) {
    TaskInfo::Values values = options.values();
    values["path"] = join(Rng().at(*shared_bytes(options.text("path"))).bits(0));
    return values;
  }

 private:
  struct Part {
    const char* name;
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };

  Part part(Stream stream) const {
    switch (stream) {
      case Stream::train:
        return {"training", 0, validation_begin_};
      case Stream::validation:
        return {"validation", validation_begin_, evaluation_begin_};
      case Stream::evaluation:
        break;
    }
    return {"evaluation", evaluation_begin_, bytes_->size()};
  }

  std::size_t window_begin(std::size_t n, const Draw& draw) const {
    const Part part = this->part(draw.stream);
    if (draw.stream != Stream::evaluation) {
      check_supply(draw.stream, n, 0);
      Rng rng = draw.rng;
      return part.begin + rng.below(part.size() - n);
    }
    check_supply(draw.stream, draw.longest, draw.count);
    // A window of the longest length can end at this many bytes after the first possible one, at most.
    const std::size_t range = part.size() - draw.longest - 1;
    const std::size_t windows_after = draw.count - 1 - draw.index;
    const std::size_t last = part.end - 1 - (windows_after == 0 ? 0 : windows_after * range / (draw.count - 1));
    return last - n;
  }

  std::string path_;
  Bytes bytes_;
  std::size_t validation_begin_, evaluation_begin_;
};

const bool registered = register_task<Text>({
    .section =
        {"text",
         "Predict each next byte of a file.",
         {text("path", "").changeable().says("the file; its bytes are the tokens, whatever its encoding"),
          real("validation_fraction", 0.05).at_least(0).below(1).says("share of the file before the evaluation part"),
          real("evaluation_fraction", 0.1).at_least(0).below(1).says("share of the file at its end")}},
    .length = "bytes of context",
    .source =
        "byte-level language modelling; the bytes scored at every length as in Press et al. 2021 (arXiv:2108.12409)",
    .definition =
        "1: windows of n + 1 bytes of the stream's part; random starts; evaluation ends evenly spaced by count "
        "and longest",
    .identity = Text::identity,
});

}  // namespace
}  // namespace lengthwise
