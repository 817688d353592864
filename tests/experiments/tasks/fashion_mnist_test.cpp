#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "tests/experiments/tasks/task_contract.h"

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

std::string idx(const std::vector<std::size_t>& sizes, const std::string& bytes) {
  std::string file{0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::size_t size : sizes)
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(size >> shift & 255);
  return file + bytes;
}

/// Small data of the format: 600 training and 2000 test images of 6 x 4 random pixels, gzipped or as they are.
class Folder {
 public:
  explicit Folder(bool zipped = true) : zipped_(zipped) {
    fs::create_directory(path_);
    Rng rng(9);
    for (const auto& [part, count] : {std::pair<std::string, std::size_t>{"train", 600}, {"t10k", 2000}}) {
      std::string pixels(count * 24, '\0'), labels(count, '\0');
      for (char& pixel : pixels) pixel = static_cast<char>(rng.below(256));
      for (char& label : labels) label = static_cast<char>(rng.below(10));
      write(part + "-images-idx3-ubyte", idx({count, 6, 4}, pixels));
      write(part + "-labels-idx1-ubyte", idx({count}, labels));
      parts_[part] = {pixels, labels};
    }
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    const std::string file = path_ + "/" + name;
    if (!zipped_) {
      std::ofstream(file, std::ios::binary) << bytes;
      return;
    }
    const gzFile out = gzopen((file + ".gz").c_str(), "wb");
    gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(out);
  }
  const std::string& path() const { return path_; }
  /// Pixels and labels of "train" or "t10k".
  const std::pair<std::string, std::string>& part(const std::string& name) const { return parts_.at(name); }
  /// Options under which 3 rows of patches are the images as they are.
  Values values(const Values& more = {}) const {
    Values all{{"path", path_}, {"patch", "2"}, {"width", "2"}, {"validation", "150"}};
    for (const auto& [name, value] : more) all[name] = value;
    return all;
  }

 private:
  static std::string next_path() {
    static int count = 0;
    return testing::TempDir() + join("fashion_test.", getpid(), ".", count++);
  }
  bool zipped_;
  std::string path_ = next_path();
  std::map<std::string, std::pair<std::string, std::string>> parts_;
};

Example nth(const Task& task, Stream stream, std::size_t i, std::size_t n = 3) {
  return task.example(n, make_draw(0, stream, task.name(), n, i));
}

/// Of a grey value from 0 to 1.
double feature(double grey) { return (grey - 0.286) / 0.353; }

TEST(FashionMnist, KeepsTheContract) {
  const Folder folder;
  expect_task_contract("fashion_mnist", folder.values(), {1, 3, 5});
  expect_task_contract("fashion_mnist", folder.values({{"pool", "class_token"}}), {3});
}

TEST(FashionMnist, CutsTheImagesOfTheFiles) {
  for (const bool zipped : {true, false}) {
    const Folder folder(zipped);
    const auto task = task_with("fashion_mnist", folder.values());
    const auto& [pixels, labels] = folder.part("t10k");
    for (const std::size_t i : {0, 7, 1999}) {
      const Example example = nth(*task, Stream::evaluation, i);
      ASSERT_EQ(example.features.size(), 24u);
      EXPECT_EQ(example.targets[0], 2 + labels[i]);
      const std::size_t of_patch_1[] = {2, 3, 6, 7};  // of the 4 columns of an image, the last two
      for (std::size_t f = 0; f < 4; ++f)
        EXPECT_NEAR(example.features[4 + f],
                    feature(static_cast<unsigned char>(pixels[i * 24 + of_patch_1[f]]) / 255.0), 1e-5);
    }
  }
}

// Twice the size: a pixel at the edge stays, and the next ones lie a quarter of the way to their neighbours. Half the
// size: a kernel of twice the width, 1/8 3/8 3/8 1/8 inside and 3/7 3/7 1/7 at the edge.
TEST(FashionMnist, ResizesBilinearly) {
  const Folder folder;
  const auto& pixels = folder.part("t10k").first;
  const auto grey = [&](std::size_t r, std::size_t c) { return static_cast<unsigned char>(pixels[r * 4 + c]) / 255.0; };

  const Example twice = nth(*task_with("fashion_mnist", folder.values({{"width", "4"}})), Stream::evaluation, 0, 6);
  const auto right = [&](std::size_t r) { return 0.75 * grey(r, 0) + 0.25 * grey(r, 1); };
  EXPECT_NEAR(twice.features[0], feature(grey(0, 0)), 1e-5);
  EXPECT_NEAR(twice.features[1], feature(right(0)), 1e-5);
  EXPECT_NEAR(twice.features[3], feature(0.75 * right(0) + 0.25 * right(1)), 1e-5);

  const Example half = nth(*task_with("fashion_mnist", folder.values({{"patch", "1"}})), Stream::evaluation, 0, 3);
  const double middle[] = {1. / 8, 3. / 8, 3. / 8, 1. / 8}, edge[] = {3. / 7, 3. / 7, 1. / 7};
  double expected = 0;
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 3; ++c) expected += middle[r] * edge[c] * grey(1 + r, c);
  EXPECT_NEAR(half.features[2], feature(expected), 1e-5);  // the first of the second row
}

TEST(FashionMnist, KeepsTheStreamsApart) {
  const Folder folder;
  const auto task = task_with("fashion_mnist", folder.values());
  std::map<std::vector<float>, std::size_t> index;  // in the training file
  for (std::size_t i = 0; i < 600; ++i) {
    std::vector<float> features;
    for (const std::size_t corner : {0, 2, 8, 10, 16, 18})
      for (const std::size_t at : {0, 1, 4, 5})
        features.push_back(static_cast<float>(
            feature(static_cast<unsigned char>(folder.part("train").first[i * 24 + corner + at]) / 255.0)));
    index[features] = i;
  }
  const auto find = [&](Stream stream, std::size_t i) { return index.at(nth(*task, stream, i).features); };
  for (std::size_t i = 0; i < 150; ++i) EXPECT_EQ(find(Stream::validation, i), 450 + i);
  std::set<std::size_t> trained;
  for (std::size_t i = 0; i < 6000; ++i) trained.insert(find(Stream::train, i));
  EXPECT_EQ(trained.size(), 450u);
  EXPECT_EQ(*trained.rbegin(), 449u);
  EXPECT_EQ(overlap(*task, 3, 0, 500), 0);
  EXPECT_EQ(task->data(), folder.path() + ": 6 x 4 pixels: training 450, validation 150, evaluation 2000");
}

TEST(FashionMnist, IsDefinedByItsBytesNotItsPath) {
  const Folder zipped, plain(false), other;
  other.write("t10k-labels-idx1-ubyte", idx({2000}, std::string(2000, 3)));
  const auto hash = [](const Folder& folder) {
    const Values values{{"path", folder.path()}, {"validation", "150"}};
    return definition_hash("fashion_mnist", Options(tasks().at("fashion_mnist").section, values));
  };
  EXPECT_EQ(hash(zipped), hash(plain));
  EXPECT_NE(hash(zipped), hash(other));
}

TEST(FashionMnist, ChanceIsAGuessOfAClass) {
  const Folder folder;
  expect_chance(*task_with("fashion_mnist", folder.values()), 3,
                [](const Example&, Rng& rng) { return 2 + static_cast<int>(rng.below(10)); });
}

TEST(FashionMnist, RefusesFilesItCannotUse) {
  expect_input_error(
      [] {
        task_with("fashion_mnist", {{"path", "/no/such"}});
      },
      {"/no/such/train-images-idx3-ubyte.gz", "No such file", "dataset-fashion-mnist"});
  for (const bool zipped : {true, false}) {
    const Folder folder(zipped);
    const auto refuses = [&](const std::string& name, const std::string& bytes, std::vector<std::string> parts) {
      folder.write(name, bytes);
      expect_input_error([&] { task_with("fashion_mnist", folder.values()); }, parts);
    };
    const std::string labels = "train-labels-idx1-ubyte", images = "train-images-idx3-ubyte";
    refuses(labels, idx({599}, std::string(599, 1)), {"600 images and 599 labels", "do not belong together"});
    refuses(labels, idx({600}, std::string(600, 10)), {"label 10", "0 to 9"});
    refuses(labels, idx({600}, std::string(599, 1)), {labels, "ends after 599 of 600 bytes"});
    refuses(labels, idx({600, 1, 1}, std::string(600, 1)), {labels, "no IDX file of bytes in 1 dimension"});
    refuses(images, "", {images, "ends after 0 of 4 bytes"});
    refuses(images, idx({600, std::size_t{1} << 31, 4}, "x"), {images, "size of 2147483648"});
  }
}

TEST(FashionMnist, RefusesMoreThanThereIs) {
  const Folder folder;
  const auto task = task_with("fashion_mnist", folder.values());
  expect_input_error([&] { task->check_supply(Stream::evaluation, 3, 2001); },
                     {"2000 test images", "2001", "evaluate.examples"});
  expect_input_error([&] { task->check_supply(Stream::validation, 3, 151); },
                     {"150 images", "151", "validate_examples"});
  expect_input_error([&] { nth(*task, Stream::evaluation, 2000); }, {"no image 2000 of 2000"});
  expect_input_error([&] { task->check_length(0); }, {"length is 0"});
  expect_input_error(
      [&] {
        task_with("fashion_mnist", folder.values({{"validation", "600"}}));
      },
      {"validation is 600", "600 training images"});
}

TEST(FashionMnist, ReadsDebiansFiles) {
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) GTEST_SKIP() << "needs dataset-fashion-mnist";
  const auto task = task_with("fashion_mnist");
  EXPECT_THAT(task->data(), testing::EndsWith("28 x 28 pixels: training 55000, validation 5000, evaluation 10000"));
  std::vector<int> first;
  for (std::size_t i = 0; i < 5; ++i) first.push_back(nth(*task, Stream::evaluation, i, 7).targets[0]);
  EXPECT_EQ(words(*task, first), "boot pullover trousers trousers shirt");
  double sum = 0, square = 0;
  for (std::size_t i = 0; i < 2000; ++i)
    for (const float x : nth(*task, Stream::train, i, 7).features) sum += x, square += x * x;
  EXPECT_NEAR(sum / (2000 * 784), 0, 0.03);
  EXPECT_NEAR(square / (2000 * 784), 1, 0.03);
}

}  // namespace
}  // namespace lengthwise
