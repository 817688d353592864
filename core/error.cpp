#include "core/error.h"

#include <sstream>

namespace lengthwise {

std::string join_parts(std::initializer_list<Part> parts) {
  std::ostringstream text;
  text.precision(12);
  for (const Part& part : parts) text << part;
  return text.str();
}

void refuse(std::initializer_list<Part> parts) { throw InputError(join_parts(parts)); }

}  // namespace lengthwise
