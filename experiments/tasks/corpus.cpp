#include "experiments/tasks/corpus.h"

#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

using Bytes = std::shared_ptr<const std::string>;

/// A text that a Debian package installs, as a file (which may be compressed by gzip) or printed by a command.
struct Packaged {
  const char *name, *package, *file, *command;
};

constexpr Packaged packaged[] = {
    {"kjv", "bible-kjv", "/usr/bin/bible", "/usr/bin/bible -p /usr/lib -f gen1:1-rev22:21 </dev/null"},
    {"gcide", "dict-gcide", "/usr/share/dictd/gcide.dict.dz", nullptr},
    {"foldoc", "dict-foldoc", "/usr/share/dictd/foldoc.dict.dz", nullptr},
    {"jargon", "dict-jargon", "/usr/share/dictd/jargon.dict.dz", nullptr},
    {"web2", "miscfiles", "/usr/share/dict/web2", nullptr},
};

std::string read_file(const std::string& option, const std::string& path) {
  std::string read(fs::file_size(path), '\0');
  std::ifstream file(path, std::ios::binary);
  require(file.is_open(), option, ": cannot open '", path, "'; is it readable?");
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  require(static_cast<std::size_t>(file.gcount()) == read.size(), option, ": '", path, "' gave ", file.gcount(), " of ",
          read.size(), " bytes.");
  return read;
}

std::string read_packaged(const std::string& option, const Packaged& text) {
  require(fs::exists(text.file), option, " = ", text.name, " is in Debian's package ", text.package, ", and ",
          text.file, " is missing. Install it: apt-get install ", text.package);
  std::string read;
  char block[1 << 16];
  bool complete = false;
  if (text.command) {
    FILE* pipe = popen(text.command, "r");
    while (const std::size_t got = pipe ? std::fread(block, 1, sizeof block, pipe) : 0) read.append(block, got);
    complete = pipe && pclose(pipe) == 0;
  } else {
    const gzFile file = gzopen(text.file, "rb");  // reads plain files too
    int got = 0;
    while (file && (got = gzread(file, block, sizeof block)) > 0) read.append(block, static_cast<std::size_t>(got));
    complete = file && gzclose(file) == Z_OK && got == 0;
  }
  require(complete && !read.empty(), option, " = ", text.name, ": ", text.command ? text.command : text.file,
          " could not be read. Install Debian's package anew: apt-get install --reinstall ", text.package);
  return read;
}

/// The text's bytes, read once for all tasks that hold them.
Bytes shared_bytes(const Options& options) {
  const std::string &path = options.text("path"), &corpus = options.text("corpus"), section = options.section();
  require(path.empty() || corpus == "none", section, ".path is '", path, "' and ", section, ".corpus ", corpus,
          "; set one of the two. --", section, ".path '' clears the first, --", section, ".corpus=none the second.");
  require(!path.empty() || corpus != "none", section, ".path is not set; name the file to learn from, as in --",
          section, ".path=book.txt, or a text that Debian packages, as in --", section, ".corpus=kjv.");

  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const std::string>> held;
  const std::lock_guard lock(mutex);
  const auto shared = [&](const std::string& key, auto read) {
    if (const Bytes bytes = held[key].lock()) return bytes;
    const auto bytes = std::make_shared<const std::string>(read());
    held[key] = bytes;
    return bytes;
  };
  if (path.empty())
    return shared(corpus + " of Debian", [&] {
      const auto* const text = std::ranges::find(packaged, corpus, &Packaged::name);
      return read_packaged(section + ".corpus", *text);
    });

  const std::string option = section + ".path";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  require(fs::exists(status), option, ": cannot open '", path, "': ", error.message(), ". Give the path of a file.");
  require(fs::is_regular_file(status), option, ": '", path, "' is ",
          fs::is_directory(status) ? "a directory" : "no file", "; give the path of a file.");
  return shared(fs::canonical(path), [&] { return read_file(option, path); });
}

}  // namespace

std::vector<OptionSpec> corpus_options() {
  std::vector<std::string> names{"none"};
  std::string packages;
  for (const Packaged& text : packaged) {
    names.push_back(text.name);
    packages += join(packages.empty() ? "" : ", ", text.name, " ", text.package);
  }
  return {text("path", "").changeable().says("the file; its bytes are the tokens, whatever its encoding"),
          choice("corpus", "none", names)
              .changeable()
              .says("in place of path, a text that a Debian package brings (" + packages + ")"),
          choice("split", "bytes", {"bytes", "lines", "documents"})
              .says("where a part may begin: anywhere, at a line, or after an empty line"),
          real("validation_fraction", 0.05).at_least(0).below(1).says("share of the file before the evaluation part"),
          real("evaluation_fraction", 0.1).at_least(0).below(1).says("share of the file at its end")};
}

TaskInfo::Values corpus_identity(const Options& options) {
  TaskInfo::Values values = options.values();
  values["path"] = join(Rng().at(*shared_bytes(options)).bits(0));
  // Options at the values that texts had before there was a choice leave the hash as it was.
  values.erase("corpus");
  if (values["split"] == "bytes") values.erase("split");
  return values;
}

Corpus::Corpus(const Options& options)
    : section_(options.section()), name_(options.text("path").empty() ? options.text("corpus") : options.text("path")) {
  const double validation = options.real("validation_fraction"), evaluation = options.real("evaluation_fraction");
  require(validation + evaluation < 1, section_, ": validation_fraction ", validation, " and evaluation_fraction ",
          evaluation, " leave nothing to train on; their sum must be below 1.");
  bytes_ = shared_bytes(options);
  require(size() >= 2, section_, ".path: '", name_, "' has ", size(),
          " byte(s); the shortest window has 2, an input and its target.");
  const auto share = [&](double fraction) {
    return static_cast<std::size_t>(std::llround(fraction * static_cast<double>(size())));
  };
  const std::string& split = options.text("split");
  const std::size_t evaluation_begin = size() - share(evaluation);
  evaluation_begin_ = border(evaluation_begin, split);
  validation_begin_ = border(evaluation_begin - std::min(share(validation), evaluation_begin), split);
}

std::size_t Corpus::border(std::size_t at, const std::string& split) const {
  if (split == "bytes") return at;
  while (at < size() && !(split == "lines" ? begins_line(at) : begins_document(at))) ++at;
  return at;
}

// A line ends in LF, CR LF or CR.
bool Corpus::begins_line(std::size_t at) const {
  return at == 0 || (*this)[at - 1] == '\n' || ((*this)[at - 1] == '\r' && (*this)[at] != '\n');
}

bool Corpus::begins_document(std::size_t at) const {
  if (at == 0) return true;
  if (!begins_line(at) || (*this)[at] == '\n' || (*this)[at] == '\r') return false;
  std::size_t end = at - 1;  // of the line before, without its line end
  if ((*this)[end] == '\n' && end > 0 && (*this)[end - 1] == '\r') --end;
  return begins_line(end);
}

Corpus::Part Corpus::part(Stream stream) const {
  switch (stream) {
    case Stream::train:
      return {"training", 0, validation_begin_};
    case Stream::validation:
      return {"validation", validation_begin_, evaluation_begin_};
    case Stream::evaluation:
      break;
  }
  return {"evaluation", evaluation_begin_, size()};
}

void Corpus::check_supply(Stream stream, std::size_t n, std::size_t bytes, std::size_t count) const {
  const Part part = this->part(stream);
  require(part.size() >= bytes, section_, ": the ", part.name, " part of '", name_, "' has ", part.size(), " of ",
          size(), " bytes; windows of length ", n, " need at least ", bytes,
          ". Give a longer file, shorter lengths, or other fractions.");
  const std::size_t windows = part.size() - bytes + 1;
  require(stream != Stream::evaluation || count <= windows, section_, ": the evaluation part of '", name_, "' has ",
          part.size(), " bytes, that is ", windows, " different windows of length ", n, "; ", count,
          " examples are asked for. Lower evaluate.examples or raise ", section_, ".evaluation_fraction.");
}

std::size_t Corpus::window(std::size_t bytes, std::size_t longest, const Draw& draw) const {
  const Part part = this->part(draw.stream);
  if (draw.stream != Stream::evaluation) return part.begin + Rng(draw.rng).below(part.size() - bytes + 1);
  // A window of the longest length can end at this many bytes after the first possible one, at most.
  const std::size_t range = part.size() - longest;
  const std::size_t windows_after = draw.count - 1 - draw.index;
  return part.end - (windows_after == 0 ? 0 : windows_after * range / (draw.count - 1)) - bytes;
}

std::string Corpus::data() const {
  std::string line = join(name_, ": ", size(), " bytes");
  const char* before = ": ";
  for (const Stream stream : {Stream::train, Stream::validation, Stream::evaluation}) {
    line += join(before, part(stream).name, " ", part(stream).size());
    before = ", ";
  }
  return line;
}

std::string Corpus::word(int byte) {
  switch (byte) {
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
  if (byte > ' ' && byte < 127) return std::string(1, static_cast<char>(byte));
  char hex[5];
  std::snprintf(hex, sizeof hex, "\\x%02X", static_cast<unsigned>(byte));
  return hex;
}

}  // namespace lengthwise
