#include "experiments/checksum.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>

namespace lengthwise {
namespace {

constexpr std::string_view checksum_mark = "checksum";
constexpr std::size_t trailer_size = checksum_mark.size() + sizeof(std::uint64_t);

/// Takes eight bytes a step; each step is invertible, so that one changed word always shows.
std::uint64_t checksum(std::string_view bytes, std::uint64_t hash) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(8, bytes.size()))) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min<std::size_t>(8, bytes.size()));
    hash = (hash ^ word) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Zeroes the flags in the superblock by which HDF5 marks a file as open for writing elsewhere. Not content.
void clear_open_flags(std::span<char> start) {
  if (start.size() < 24) return;
  if (start[8] < 2)  // the superblock's version
    std::fill_n(start.begin() + 20, 4, '\0');
  else
    start[11] = 0;
}

}  // namespace

void append_checksum(std::vector<char>& image) {
  clear_open_flags(image);
  const std::uint64_t sum = checksum({image.data(), image.size()}, 0);
  image.insert(image.end(), checksum_mark.begin(), checksum_mark.end());
  image.resize(image.size() + sizeof sum);
  std::memcpy(image.data() + image.size() - sizeof sum, &sum, sizeof sum);
}

void verify_checksum(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg()));
  if (size < trailer_size) return;
  std::string trailer(trailer_size, '\0');
  file.seekg(-static_cast<std::streamoff>(trailer_size), std::ios::end).read(trailer.data(), trailer_size);
  if (!trailer.starts_with(checksum_mark)) return;
  file.seekg(0);
  std::uint64_t sum = 0, stored = 0;
  std::memcpy(&stored, trailer.data() + checksum_mark.size(), sizeof stored);
  std::string block(1 << 20, '\0');
  for (std::size_t left = size - trailer_size; left > 0 && file;) {
    block.resize(std::min(block.size(), left));
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    if (left == size - trailer_size) clear_open_flags(block);
    sum = checksum(block, sum);
    left -= block.size();
  }
  if (!file || sum != stored) throw std::runtime_error("its content does not match its checksum");
}

}  // namespace lengthwise
