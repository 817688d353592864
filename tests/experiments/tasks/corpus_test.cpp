#include "experiments/tasks/corpus.h"

#include <filesystem>

#include "tests/experiments/tasks/task_contract.h"
#include "tests/experiments/tasks/text_file.h"

namespace lengthwise {
namespace {

Corpus corpus(const Values& values) { return Corpus(Options({"book", "", corpus_options()}, values)); }

/// The text of each part, split in three thirds.
std::vector<std::string> parts(const std::string& bytes, const std::string& split) {
  const File file(bytes);
  const Corpus text = corpus(
      {{"path", file.path()}, {"split", split}, {"validation_fraction", "0.3334"}, {"evaluation_fraction", "0.3333"}});
  std::vector<std::string> all;
  for (const Stream stream : every_stream) {
    std::string& part = all.emplace_back();
    for (std::size_t i = text.part(stream).begin; i < text.part(stream).end; ++i) part += static_cast<char>(text[i]);
  }
  return all;
}

using testing::ElementsAre;

TEST(Corpus, SplitsAnywhereOrWhereALineBegins) {
  EXPECT_THAT(parts("abcdefghi", "bytes"), ElementsAre("abc", "def", "ghi"));
  EXPECT_THAT(parts("ab\ncde\ngh", "lines"), ElementsAre("ab\n", "cde\n", "gh"));
  EXPECT_THAT(parts("ab\r\ncde\r\ngh", "lines"), ElementsAre("ab\r\n", "cde\r\n", "gh"));
  EXPECT_THAT(parts("ab\rcde\rgh", "lines"), ElementsAre("ab\r", "cde\r", "gh"));
  EXPECT_THAT(parts("abcdefghi\n", "lines"), ElementsAre("abcdefghi\n", "", ""));  // refused when it is asked for
}

TEST(Corpus, SplitsWhereADocumentBegins) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string a = "a" + end + "b" + end + end, b = "cc" + end + "d" + end + end + end, c = "ee" + end;
    EXPECT_THAT(parts(a + b + c, "documents"), ElementsAre(a, b, c)) << end.size();
  }
}

TEST(Corpus, SpeaksInTheNameOfItsSection) {
  const File file("text");
  expect_input_error([] { corpus({}); }, {"book.path is not set", "--book.corpus=kjv"});
  expect_input_error(
      [&] {
        corpus({{"path", file.path()}, {"corpus", "kjv"}});
      },
      {file.path(), "set one of the two", "--book.corpus=none"});
  expect_input_error([] { corpus({{"path", "/no/such/file"}}); }, {"book.path: cannot open '/no/such/file'"});
}

// Whichever of the packages are here can be read; the others are named.
TEST(Corpus, ReadsWhatDebianPackages) {
  struct Known {
    const char *name, *package, *file;
    std::size_t least_bytes;
  };
  for (const Known& known : {Known{"kjv", "bible-kjv", "/usr/bin/bible", 4'404'412},
                             Known{"gcide", "dict-gcide", "/usr/share/dictd/gcide.dict.dz", 30'000'000},
                             Known{"foldoc", "dict-foldoc", "/usr/share/dictd/foldoc.dict.dz", 4'000'000},
                             Known{"jargon", "dict-jargon", "/usr/share/dictd/jargon.dict.dz", 1'000'000},
                             Known{"web2", "miscfiles", "/usr/share/dict/web2", 2'000'000}}) {
    if (std::filesystem::exists(known.file))
      EXPECT_GE(corpus({{"corpus", known.name}}).size(), known.least_bytes) << known.name;
    else
      expect_input_error(
          [&] {
            corpus({{"corpus", known.name}});
          },
          {join("book.corpus = ", known.name), join("apt-get install ", known.package)});
  }
}

}  // namespace
}  // namespace lengthwise
