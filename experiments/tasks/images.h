// Images cut into square patches, a row of the model each, with one class for the whole.
#pragma once

#include <algorithm>
#include <cassert>

#include "experiments/tasks/task.h"

namespace lengthwise {

/// Grey values, row after row.
struct Image {
  std::size_t rows = 0, columns = 0;
  std::vector<float> pixels;

  Image() = default;
  Image(std::size_t of_rows, std::size_t of_columns) : rows(of_rows), columns(of_columns), pixels(rows * columns) {}
  float& operator()(std::size_t r, std::size_t c) { return pixels[r * columns + c]; }
  float operator()(std::size_t r, std::size_t c) const { return pixels[r * columns + c]; }
};

/// The options every ImageTask has.
inline std::vector<OptionSpec> image_options() {
  return {
      integer("patch", 4).at_least(1).at_most(64).in("pixels").says("side of a patch"),
      integer("width", 0).at_most(1 << 10).in("patches").changeable().says("columns of patches; 0: as many as rows"),
      choice("pool", "mean", {"mean", "class_token"})
          .says("what the class is read off: the mean over all patches, or a row of its own")};
}

/// n rows of patches. Rows of the model have token `patch` and, as features, the pixels of the patch, row after row;
/// ids row and column from 0 on, and in channel digit the number of the patch in reading order, from 1 on. The class
/// token has no place (-1, -1, 0) and no pixels; it comes first, or last where attention is causal.
///
/// Source  Dosovitskiy et al. 2020, ViT (arXiv:2010.11929); the mean over patches: Beyer et al. 2022
/// (arXiv:2205.01580).
class ImageTask : public Task {
 public:
  ImageTask(const Options& options, Layout layout)
      : patch_(options.count("patch")),
        width_(options.count("width")),
        class_token_(options.text("pool") == "class_token"),
        causal_(layout == Layout::causal) {}

  virtual int classes() const = 0;
  virtual std::string class_name(int label) const = 0;  // of class 0 .. classes()-1

  int vocabulary() const final { return first_class + classes(); }
  std::size_t features() const final { return patch_ * patch_; }
  std::size_t max_tokens(std::size_t n) const final { return n * columns(n) + class_token_; }
  double chance(std::size_t) const final { return 1.0 / classes(); }
  std::string word(int token) const final {
    return token == patch ? "patch" : token == class_token ? "class" : class_name(token - first_class);
  }

  /// The image, a line of text for two rows of pixels, and its class.
  std::string picture(const Example& example) const final {
    static constexpr std::string_view shades = " .:-=+*#%@";
    const Image image = joined(example);
    const auto [low, high] = std::ranges::minmax(image.pixels);
    std::string text;
    for (std::size_t r = 0; r < image.rows; r += 2) {
      for (std::size_t c = 0; c < image.columns; ++c) {
        const float mean = (image(r, c) + image(std::min(r + 1, image.rows - 1), c)) / 2;
        text += shades[high > low ? static_cast<std::size_t>((mean - low) / (high - low) * 9.999f) : 0];
      }
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text + "target  " + word(example.targets[0]) + '\n';
  }

 protected:
  std::size_t columns(std::size_t n) const { return width_ ? width_ : n; }
  /// An empty image of n rows of patches.
  Image canvas(std::size_t n) const { return {n * patch_, columns(n) * patch_}; }

  Example cut(const Image& image, int label) const {
    Example made;
    if (class_token_ && !causal_) add_class_token(made);
    double number = 0;
    for (std::size_t r = 0; r < image.rows; r += patch_)
      for (std::size_t c = 0; c < image.columns; c += patch_) {
        add_row(made, patch, static_cast<double>(r / patch_), static_cast<double>(c / patch_), ++number);
        for (std::size_t y = r; y < r + patch_; ++y)
          for (std::size_t x = c; x < c + patch_; ++x) made.features.push_back(image(y, x));
      }
    if (class_token_ && causal_) add_class_token(made);
    made.pooled = !class_token_;
    made.scored = {class_token_ && !causal_ ? 0 : made.tokens.size() - 1};
    made.targets = {first_class + label};
    made.answer = 1;
    return made;
  }

 private:
  enum : int { patch = 0, class_token = 1, first_class = 2 };

  static void add_row(Example& example, int token, double row, double column, double number) {
    example.tokens.push_back(token);
    example.ids["row"].push_back(row);
    example.ids["column"].push_back(column);
    example.ids["digit"].push_back(number);
  }
  void add_class_token(Example& example) const {
    add_row(example, class_token, -1, -1, 0);
    example.features.resize(example.features.size() + features());
  }

  /// cut() backwards.
  Image joined(const Example& example) const {
    const auto &rows = example.ids.at("row"), &columns = example.ids.at("column");
    Image image(patch_ * static_cast<std::size_t>(std::ranges::max(rows) + 1),
                patch_ * static_cast<std::size_t>(std::ranges::max(columns) + 1));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t f = 0; rows[i] >= 0 && f < features(); ++f)
        image(static_cast<std::size_t>(rows[i]) * patch_ + f / patch_,
              static_cast<std::size_t>(columns[i]) * patch_ + f % patch_) = example.features[i * features() + f];
    return image;
  }

  std::size_t patch_, width_;
  bool class_token_, causal_;
};

}  // namespace lengthwise
