// Text in columns, for the terminal.
#pragma once

#include <string>
#include <vector>

namespace lengthwise {

/// One line a row, every cell but a row's last padded to the width of its column; two blanks between columns.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::string& indent = "");

}  // namespace lengthwise
