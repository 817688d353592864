#include "core/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace lengthwise {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t usual_region = std::size_t{1} << 25;

std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

struct Arena::Region {
  struct Place {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const { return begin + bytes; }
  };
  std::byte* const begin;
  const std::size_t size;
  std::vector<Place> free;  // by address; no two adjoin
  std::size_t blocks = 0;

  explicit Region(std::size_t whole)
      : begin(static_cast<std::byte*>(::operator new(whole, std::align_val_t(huge_page)))),
        size(whole),
        free{{begin, whole}} {
    madvise(begin, whole, MADV_HUGEPAGE);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { ::operator delete(begin, std::align_val_t(huge_page)); }

  // From the first place that has so many bytes; null where none has.
  std::byte* cut(std::size_t bytes) {
    // Every block that is freed may add a place, and there must be room for it then.
    if (free.capacity() < blocks + 2) free.reserve(2 * blocks + 16);
    const auto place = std::ranges::find_if(free, [&](const Place& p) { return p.bytes >= bytes; });
    if (place == free.end()) return nullptr;
    std::byte* block = place->begin;
    place->begin += bytes, place->bytes -= bytes;
    if (place->bytes == 0) free.erase(place);
    ++blocks;
    return block;
  }

  void put_back(const Place& block) noexcept {
    --blocks;
    const auto after = std::ranges::lower_bound(free, block.begin, {}, &Place::begin);
    const bool joins_next = after != free.end() && block.end() == after->begin;
    if (after != free.begin() && (after - 1)->end() == block.begin) {
      (after - 1)->bytes += block.bytes;
      if (!joins_next) return;
      (after - 1)->bytes += after->bytes;
      free.erase(after);
    } else if (joins_next) {
      *after = {block.begin, block.bytes + after->bytes};
    } else {
      free.insert(after, block);
    }
  }
};

// Stands before every block, on a line of its own.
struct alignas(line) Arena::Header {
  Arena* owner;
  Region* region;
  std::size_t bytes;  // with this header
  Header* next;       // of those that other threads returned
};

Arena::Arena() = default;
Arena::~Arena() = default;

void* Arena::allocate(std::size_t bytes) {
  if (returned_.load(std::memory_order_relaxed)) take_returned();
  const std::size_t wanted = rounded(bytes, line) + sizeof(Header);
  Region* region = nullptr;
  std::byte* place = nullptr;
  // Blocks beyond the usual region have one each: a small part of it in use would hold all of it.
  const bool very_large = wanted > usual_region;
  for (std::size_t r = 0; r < regions_.size() && !place; ++r) {
    region = regions_[r].get();
    if (very_large ? region->size >= wanted && region->size <= wanted + wanted / 8 : region->size <= usual_region)
      place = region->cut(wanted);
  }
  if (!place) place = (region = &add_region(wanted))->cut(wanted);
  in_use_ += wanted;
  most_ = std::max(most_, in_use_);
  return new (place) Header{this, region, wanted, nullptr} + 1;
}

Arena::Region& Arena::add_region(std::size_t bytes) {
  // One sequence of tens of thousands of tokens: no part of it waits for its size to come again.
  if (bytes > usual_region) release_regions();
  regions_.push_back(std::make_unique<Region>(rounded(std::max(bytes, usual_region), huge_page)));
  return *regions_.back();
}

void Arena::release(void* block, Arena* mine) noexcept {
  Header* header = static_cast<Header*>(block) - 1;
  Arena* owner = header->owner;
  if (owner == mine) return owner->put_back(header);
  header->next = owner->returned_.load(std::memory_order_relaxed);
  while (!owner->returned_.compare_exchange_weak(header->next, header, std::memory_order_release)) {
  }
}

void Arena::take_returned() noexcept {
  for (Header* block = returned_.exchange(nullptr, std::memory_order_acquire); block;) {
    Header* next = block->next;
    put_back(block);
    block = next;
  }
}

void Arena::put_back(Header* block) noexcept {
  in_use_ -= block->bytes;
  block->region->put_back({reinterpret_cast<std::byte*>(block), block->bytes});
}

void Arena::trim() noexcept {
  take_returned();
  release_regions();
  most_ = in_use_;
}

void Arena::release_regions() noexcept {
  std::erase_if(regions_, [](const auto& region) { return region->blocks == 0; });
}

}  // namespace lengthwise
