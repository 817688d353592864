#include "experiments/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace lengthwise {
namespace {

using testing::ElementsAre;

TEST(table, aligns_labels_left_and_numbers_right) {
  Table table({"run", "10", "200"}, 1);
  table.add({"größe", "0.5", "1"});
  table.add({"a", "–", "0.25"});
  EXPECT_EQ(table.text(),
            "  run     10   200\n"
            "  größe  0.5     1\n"
            "  a        –  0.25\n");
}

TEST(table, markdown_escapes_pipes) {
  Table table({"run", "10"}, 1);
  table.add({"a|b", "0.5"});
  EXPECT_EQ(table.markdown(), "| run | 10 |\n| --- | ---: |\n| a\\|b | 0.5 |\n");
}

TEST(table, shortens_by_characters) {
  EXPECT_EQ(shortened("äöüß", 4), "äöüß");
  EXPECT_EQ(shortened("äöüßx", 4), "ä…ßx");
  EXPECT_EQ(shortened("abcdefghij", 7), "abc…hij");
  EXPECT_EQ(display_width("äöü…"), 4u);
}

TEST(bars, grow_with_the_value) {
  EXPECT_THAT(bars(std::vector<double>{0.0, 0.25, 0.5, 1.0, NAN}, 0, 1), ElementsAre("▁▂▄█·"));
  EXPECT_THAT(bars(std::vector<double>{0.0, 0.75, 1.0, NAN}, 0, 1, 2), ElementsAre(" ▄█ ", "▁██·"));
  EXPECT_THAT(bars(std::vector<double>{1.0, 0.5}, 0, 1, 1, 2), ElementsAre("██▄▄"));
  EXPECT_THAT(bars(std::vector<double>{3.0, 3.0}, 3, 3), ElementsAre("██"));
}

}  // namespace
}  // namespace lengthwise
