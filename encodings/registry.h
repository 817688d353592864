// Encodings and schemes by name.
#pragma once

#include "encodings/encoding.h"

namespace lengthwise {

const std::map<std::string, EncodingInfo>& encodings();

/// Throws InputError with the nearest known name.
const EncodingInfo& encoding_info(const std::string& name);

template <class T>
std::unique_ptr<Encoding<T>> make_encoding(const std::string& name, const EncodingSetup<T>& setup);

/// "abacus+fire" -> {"abacus", "fire"}. Throws on empty, unknown or repeated names.
std::vector<std::string> encoding_names(const std::string& composed);

}  // namespace lengthwise
