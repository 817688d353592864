// Digits on a canvas:  which digit is drawn somewhere on an empty image, or how many are.
//
// Digits are 7 x 5 pixels of ink (1) on paper (0); their place has nothing to do with the patches that cut them.
//
// Source   translated digits on a larger canvas: Jaderberg et al. 2015 (arXiv:1506.02025); the glyphs are our own.
// n        rows of patches; the image must hold the digits.
// Options  count (0: which digit it is, one digit anywhere; else how many there are, uniform on 1 .. count, in
//          different cells of 8 x 6 pixels that together lie anywhere), and those of an ImageTask: patch (4), width (0:
//          square), pool.
// Chance   1 / classes.
#include "experiments/tasks/images.h"

namespace lengthwise {
namespace {

constexpr std::size_t glyph_rows = 7, glyph_columns = 5;
constexpr const char* glyphs[10][glyph_rows] = {
    {".###.", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."},
    {"..#..", ".##..", "..#..", "..#..", "..#..", "..#..", ".###."},
    {".###.", "#...#", "....#", "...#.", "..#..", ".#...", "#####"},
    {"####.", "....#", "....#", ".###.", "....#", "....#", "####."},
    {"#..#.", "#..#.", "#..#.", "#####", "...#.", "...#.", "...#."},
    {"#####", "#....", "#....", "####.", "....#", "....#", "####."},
    {".###.", "#....", "#....", "####.", "#...#", "#...#", ".###."},
    {"#####", "....#", "...#.", "...#.", "..#..", "..#..", "..#.."},
    {".###.", "#...#", "#...#", ".###.", "#...#", "#...#", ".###."},
    {".###.", "#...#", "#...#", ".####", "....#", "....#", ".###."},
};

/// A digit and the pixel of its upper left corner.
struct Placed {
  int digit;
  std::size_t row, column;
};

class Canvas final : public ImageTask {
 public:
  Canvas(const Options& options, Layout layout) : ImageTask(options, layout), count_(options.count("count")) {}

  int classes() const override { return count_ ? static_cast<int>(count_) : 10; }
  std::string class_name(int label) const override { return std::to_string(count_ ? label + 1 : label); }

  void check_length(std::size_t n) const override {
    const Image image = canvas(n);
    const std::size_t room = cells(image.rows, glyph_rows) * cells(image.columns, glyph_columns);
    require(room >= std::max<std::size_t>(count_, 1), "canvas: length ", n, " is an image of ", image.rows, " x ",
            image.columns, " pixels, which has room for ", room, " of the digits of ", glyph_rows, " x ", glyph_columns,
            " pixels; canvas.count is ", count_, ". Use longer lengths, larger patches or a larger width.");
  }

  Example example(std::size_t n, const Draw& draw) const override {
    check_length(n);
    Image image = canvas(n);
    const std::vector<Placed> digits = pick_share(
        space(n), draw, [&](Rng rng) { return place(image, rng); },
        [](const std::vector<Placed>& made) {
          return std::vector{made[0].digit, static_cast<int>(made[0].row), static_cast<int>(made[0].column)};
        });
    for (const auto& [digit, row, column] : digits)
      for (std::size_t r = 0; r < glyph_rows; ++r)
        for (std::size_t c = 0; c < glyph_columns; ++c)
          if (glyphs[digit][r][c] == '#') image(row + r, column + c) = 1;
    return cut(image, count_ ? static_cast<int>(digits.size()) - 1 : digits[0].digit);
  }

  std::optional<double> space(std::size_t n) const override {
    if (count_) return {};
    const Image image = canvas(n);
    return 10.0 * static_cast<double>((image.rows - glyph_rows + 1) * (image.columns - glyph_columns + 1));
  }

 private:
  // How many glyphs of a size go beside each other, a pixel between them.
  static std::size_t cells(std::size_t pixels, std::size_t size) { return (pixels + 1) / (size + 1); }

  std::vector<Placed> place(const Image& image, Rng rng) const {
    if (!count_)
      return {{static_cast<int>(rng.below(10)), rng.below(image.rows - glyph_rows + 1),
               rng.below(image.columns - glyph_columns + 1)}};
    const std::size_t down = cells(image.rows, glyph_rows), across = cells(image.columns, glyph_columns);
    const std::size_t top = rng.below(image.rows + 2 - down * (glyph_rows + 1)),
                      left = rng.below(image.columns + 2 - across * (glyph_columns + 1));
    std::vector<Placed> digits;
    for (const std::size_t cell : rng.distinct(down * across, 1 + rng.below(count_)))
      digits.push_back({static_cast<int>(rng.below(10)), top + cell / across * (glyph_rows + 1),
                        left + cell % across * (glyph_columns + 1)});
    return digits;
  }

  std::size_t count_;  // 0: digits are read instead
};

std::vector<OptionSpec> options() {
  std::vector<OptionSpec> all = image_options();
  all.push_back(integer("count", 0)
                    .at_most(100)
                    .in("digits")
                    .says("ask how many digits there are, up to this many; 0: ask which digit a single one is"));
  return all;
}

const bool registered = register_task<Canvas>({
    .section = {"canvas", "Read or count digits that are drawn somewhere on an image.", options()},
    .length = "rows of patches",
    .source = "translated digits on a larger canvas, as in Jaderberg et al. 2015 (arXiv:1506.02025)",
    .definition = "1: a uniform digit at a uniform place; or uniform on 1 .. count, uniform digits in different cells "
                  "of 8 x 6 pixels, jointly moved; glyphs of 7 x 5",
});

}  // namespace
}  // namespace lengthwise
