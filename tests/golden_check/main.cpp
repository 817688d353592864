// golden_check DIR: the product against every golden case in a directory (layout: tests/golden/README.md).
//
// A case is recognised by its file, hyperparameters and datasets; its name means nothing. One line a case. Exits 1 when
// a case fails or a file is of no known family, 2 when there is nothing to compare.
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tests/golden_check/families.h"

namespace lengthwise {
namespace {

const std::map<std::string, void (*)(Check&)> families = {{"abacus", check_abacus},
                                                          {"alibi", check_alibi},
                                                          {"bert_embeddings", check_bert_embeddings},
                                                          {"cope", check_cope},
                                                          {"dape", check_dape},
                                                          {"deberta", check_deberta},
                                                          {"fire", check_fire},
                                                          {"forget_gate", check_forget_gate},
                                                          {"kerple", check_kerple},
                                                          {"layers", check_layers},
                                                          {"optim", check_optim},
                                                          {"randomized", check_randomized},
                                                          {"relative_2d", check_relative_2d},
                                                          {"rope", check_rope},
                                                          {"rope2d", check_rope2d},
                                                          {"rope_scaling", check_rope_scaling},
                                                          {"sandwich", check_sandwich},
                                                          {"shaw", check_shaw},
                                                          {"sinusoidal", check_sinusoidal},
                                                          {"ssmax", check_ssmax},
                                                          {"stick_breaking", check_stick_breaking},
                                                          {"t5", check_t5},
                                                          {"tiny_gpt", check_tiny_gpt},
                                                          {"transformer_xl", check_transformer_xl},
                                                          {"vit_pos_grid", check_vit_pos_grid},
                                                          {"xpos", check_xpos}};

struct Tally {
  std::size_t compared = 0, listed = 0, failed = 0;
};

enum Outcome : int { compared, listed, failed };

Outcome check_case(const std::filesystem::path& file, const std::string& name, void (*family)(Check&)) {
  try {
    Check check(file.string(), name);
    try {
      family(check);
      check.finish();
      std::cout << check.verdict() << "\n";
      return check.passed() ? compared : failed;
    } catch (const NotOffered& reason) {
      std::cout << "not compared: " << reason.what() << "\n";
      return listed;
    }
  } catch (const std::exception& error) {
    std::cout << "FAILED  " << error.what() << "\n";
    return failed;
  }
}

// In a process of its own: a file whose datasets do not fit together may end it, and must not end the others.
void check_apart(const std::filesystem::path& file, const std::string& name, void (*family)(Check&), Tally& tally) {
  std::cout << file.filename().string() << "/" << name << "  " << std::flush;
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // seconds
    const Outcome outcome = check_case(file, name, family);
    std::cout << std::flush;
    std::_Exit(outcome);
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
  if (!ended) std::cout << "FAILED  crashed; its datasets do not fit together\n";
  ++(!ended || WEXITSTATUS(status) == failed ? tally.failed
     : WEXITSTATUS(status) == listed         ? tally.listed
                                             : tally.compared);
}

void check_file(const std::filesystem::path& file, Tally& tally) {
  const auto family = families.find(file.stem().string());
  std::vector<std::string> cases;
  try {
    cases = golden_cases(file.string());
    if (family == families.end()) throw std::runtime_error("nothing here knows this family");
  } catch (const std::exception& error) {
    std::cout << file.filename().string() << "  FAILED  " << error.what() << "\n";
    tally.failed += std::max<std::size_t>(1, cases.size());
    return;
  }
  for (const std::string& name : cases) check_apart(file, name, family->second, tally);
}

int golden_check(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".h5") files.push_back(std::filesystem::absolute(entry.path()));
  if (error || files.empty()) {
    std::cerr << "golden_check: " << (error ? error.message() : "no file *.h5") << " in " << directory.string() << "\n";
    return 2;
  }
  std::ranges::sort(files);
  Tally tally;
  for (const auto& file : files) check_file(file, tally);
  std::cout << tally.compared + tally.listed + tally.failed << " cases: " << tally.compared << " compared, "
            << tally.listed << " listed with a reason, " << tally.failed << " failed\n";
  return tally.failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace lengthwise

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  GTEST_FLAG_SET(throw_on_failure, true);       // what the tests' helpers expect becomes the case's error
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // a missing dataset is one line, not HDF5's stack
  if (count != 2) {
    std::cerr << "usage: golden_check DIR\n";
    return 2;
  }
  return lengthwise::golden_check(words[1]);
}
