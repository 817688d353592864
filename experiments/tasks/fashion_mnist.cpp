// Fashion-MNIST:  which of ten kinds of clothes a grey image of 28 x 28 pixels shows.
//
// Data     four IDX files, as they are or gzipped, in one folder: Debian's dataset-fashion-mnist puts them into the
//          default one. The 60,000 training images less the last `validation` are for training, drawn uniformly; those
//          last ones are the validation stream, and the 10,000 test images the evaluation stream, both in order.
// Source   Xiao et al. 2017 (arXiv:1708.07747).
// n        rows of patches: images are resized to n patch x width patch pixels, so that 7 patches of 4 are the images
//          themselves and other lengths are other resolutions. Bilinear, with half-pixel centres; the kernel widens
//          when shrinking. Values have mean 0 and deviation 1 over the training images.
// Options  path, validation (5000), and those of an ImageTask: patch (4), width (0: square), pool.
// Chance   1/10.
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <mutex>

#include "encodings/resampling.h"
#include "experiments/tasks/images.h"

namespace lengthwise {
namespace {

namespace fs = std::filesystem;

constexpr double mean = 0.2860, deviation = 0.3530;  // of the 60,000 training images, black 0 and white 1

/// Grey values from 0 to 255 and labels.
struct Images {
  std::size_t count = 0, rows = 0, columns = 0;
  std::string pixels, labels;
};

struct Data {
  Images training, test;
};

/// An IDX file of bytes: 0, 0, 8 (bytes), the number of sizes, the sizes (32 bits, big-endian), the bytes.
struct Idx {
  std::vector<std::size_t> sizes;
  std::string bytes;
};

/// The file `name`, or `name`.gz, of the folder.
Idx read_idx(const std::string& folder, const std::string& name, std::size_t dimensions) {
  const fs::path plain = fs::path(folder) / name, path = fs::exists(plain) ? plain : fs::path(plain.string() + ".gz");
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  require(file != nullptr, "fashion_mnist.path: cannot open '", path.string(), "': ", std::strerror(errno),
          ". Give the folder of Fashion-MNIST's four IDX files; on Debian `apt-get install dataset-fashion-mnist` puts "
          "them "
          "into /usr/share/datasets/fashion-mnist.");
  const auto read = [&](std::size_t count) {
    std::string bytes(count, '\0');
    const int got = gzread(file.get(), bytes.data(), static_cast<unsigned>(count));
    require(got >= 0 && static_cast<std::size_t>(got) == count, "fashion_mnist.path: '", path.string(), "' ends after ",
            std::max(got, 0), " of ", count, " bytes that should come next; it is damaged.");
    return bytes;
  };
  const std::string head = read(4);
  require(head == std::string("\0\0\x08", 3) + static_cast<char>(dimensions), "fashion_mnist.path: '", path.string(),
          "' is no IDX file of bytes in ", dimensions, " dimension(s).");
  Idx idx;
  std::size_t total = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::size_t size = 0;
    for (const char byte : read(4)) size = size << 8 | static_cast<unsigned char>(byte);
    idx.sizes.push_back(size);
    require(size > 0 && size <= (std::size_t{1} << 30) / total, "fashion_mnist.path: '", path.string(),
            "' claims a size of ", size, "; sizes are at least 1 and their product at most 2^30.");
    total *= size;
  }
  idx.bytes = read(total);
  return idx;
}

Images read_images(const std::string& folder, const std::string& part) {
  Idx images = read_idx(folder, part + "-images-idx3-ubyte", 3),
      labels = read_idx(folder, part + "-labels-idx1-ubyte", 1);
  require(images.sizes[0] == labels.sizes[0], "fashion_mnist.path: '", folder, "' has ", images.sizes[0],
          " images and ", labels.sizes[0], " labels in part ", part, "; the files do not belong together.");
  for (const char label : labels.bytes)
    require(label >= 0 && label < 10, "fashion_mnist.path: part ", part, " of '", folder, "' has label ",
            static_cast<int>(static_cast<unsigned char>(label)), "; labels are 0 to 9.");
  return {images.sizes[0], images.sizes[1], images.sizes[2], std::move(images.bytes), std::move(labels.bytes)};
}

/// Read once for all tasks that hold them.
std::shared_ptr<const Data> shared_data(const std::string& folder) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const Data>> folders;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const Data>& held = folders[folder];
  if (const auto data = held.lock()) return data;
  const auto data = std::make_shared<const Data>(Data{read_images(folder, "train"), read_images(folder, "t10k")});
  held = data;
  return data;
}

class FashionMnist final : public ImageTask {
 public:
  FashionMnist(const Options& options, Layout layout)
      : ImageTask(options, layout),
        path_(options.text("path")),
        validation_(options.count("validation")),
        data_(shared_data(path_)) {
    require(validation_ < data_->training.count, "fashion_mnist.validation is ", validation_, " and '", path_, "' has ",
            data_->training.count, " training images; leave some to train on.");
  }

  int classes() const override { return 10; }
  std::string class_name(int label) const override {
    static const char* const names[] = {"t-shirt", "trousers", "pullover", "dress", "coat",
                                        "sandal",  "shirt",    "sneaker",  "bag",   "boot"};
    return names[label];
  }

  void check_length(std::size_t n) const override {
    require(n >= 1, "fashion_mnist: the length is 0; it starts at 1.");
  }

  void check_supply(Stream stream, std::size_t, std::size_t count) const override {
    require(stream != Stream::evaluation || count <= data_->test.count, "fashion_mnist: '", path_, "' has ",
            data_->test.count, " test images and ", count, " examples are asked for; lower evaluate.examples.");
    require(stream != Stream::validation || count <= validation_, "fashion_mnist: ", validation_,
            " images are held out for validation and ", count,
            " examples are asked for; lower train.validate_examples or raise fashion_mnist.validation.");
  }

  Example example(std::size_t n, const Draw& draw) const override {
    check_length(n);
    const Images& images = draw.stream == Stream::evaluation ? data_->test : data_->training;
    const std::size_t trained = data_->training.count - validation_;
    std::size_t index = draw.index;
    if (draw.stream == Stream::train) index = Rng(draw.rng).below(trained);
    if (draw.stream == Stream::validation) index += trained;
    require(index < images.count, "fashion_mnist: there is no image ", index, " of ", images.count, ".");
    return cut(resized(images, index, canvas(n)), images.labels[index]);
  }

  std::string data() const override {
    return join(path_, ": ", data_->training.rows, " x ", data_->training.columns, " pixels: training ",
                data_->training.count - validation_, ", validation ", validation_, ", evaluation ", data_->test.count);
  }

  /// For the definition hash: the files count by their bytes, wherever they lie.
  static TaskInfo::Values identity(const Options& options) {
    TaskInfo::Values values = options.values();
    const auto data = shared_data(options.text("path"));
    std::string hashes;
    for (const Images* part : {&data->training, &data->test})
      for (const std::string* bytes : {&part->pixels, &part->labels}) hashes += join(Rng().at(*bytes).bits(0), ' ');
    values["path"] = hashes;
    return values;
  }

 private:
  static Image resized(const Images& images, std::size_t index, Image to) {
    const auto* from =
        reinterpret_cast<const unsigned char*>(images.pixels.data()) + index * images.rows * images.columns;
    const Resampling how{.kernel = "linear", .antialias = true};
    std::vector<std::vector<Tap>> across;
    for (std::size_t c = 0; c < to.columns; ++c) across.push_back(resampling_taps(how, images.columns, to.columns, c));
    for (std::size_t r = 0; r < to.rows; ++r) {
      const std::vector<Tap> down = resampling_taps(how, images.rows, to.rows, r);
      for (std::size_t c = 0; c < to.columns; ++c) {
        double value = 0;
        for (const Tap& y : down)
          for (const Tap& x : across[c]) value += y.weight * x.weight * from[y.index * images.columns + x.index];
        to(r, c) = static_cast<float>((value / 255 - mean) / deviation);
      }
    }
    return to;
  }

  std::string path_;
  std::size_t validation_;
  std::shared_ptr<const Data> data_;
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> all = image_options();
  all.push_back(text("path", "/usr/share/datasets/fashion-mnist").changeable().says("folder of the four IDX files"));
  all.push_back(
      integer("validation", 5000).in("images").says("training images held out for validation, the last ones"));
  return all;
}

const bool registered = register_task<FashionMnist>({
    .section = {"fashion_mnist", "Tell ten kinds of clothes from small grey images.", options()},
    .length = "rows of patches; 7 of 4 pixels are the images as they are",
    .source = "Xiao et al. 2017 (arXiv:1708.07747)",
    .definition =
        "1: images resized bilinearly to the grid of patches, mean .2860 and deviation .3530 taken out; training "
        "uniform, validation the last of the training images, evaluation the test images, in order",
    .identity = FashionMnist::identity,
});

}  // namespace
}  // namespace lengthwise
