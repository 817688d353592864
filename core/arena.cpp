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

// Stands before every block, on a line of its own.
struct alignas(line) Arena::Header {
  Arena* owner;
  std::size_t bytes;  // with this header
  Header* next;       // of those that other threads returned
};

Arena::~Arena() {
  for (const Span& region : regions_) ::operator delete(region.begin, std::align_val_t(huge_page));
}

void* Arena::allocate(std::size_t bytes) {
  if (returned_.load(std::memory_order_relaxed)) take_returned();
  const std::size_t wanted = rounded(bytes, line) + sizeof(Header);
  // A block that is freed adds a place at most: there must be room for it then.
  if (const std::size_t places = blocks_ + regions_.size() + 2; free_.capacity() < places) free_.reserve(2 * places);
  const auto fits = [&](const Span& span) { return span.bytes >= wanted; };
  auto place = std::ranges::find_if(free_, fits);
  if (place == free_.end()) {
    add_region(wanted);
    place = std::ranges::find_if(free_, fits);
  }
  auto* header = new (place->begin) Header{this, wanted, nullptr};
  place->begin += wanted, place->bytes -= wanted;
  if (place->bytes == 0) free_.erase(place);
  ++blocks_;
  in_use_ += wanted;
  most_ = std::max(most_, in_use_);
  return header + 1;
}

void Arena::add_region(std::size_t bytes) {
  // One sequence of tens of thousands of tokens: no part of it waits for its size to come again.
  if (bytes > usual_region) release_regions();
  const std::size_t size = rounded(std::max(bytes + line, usual_region), huge_page);
  regions_.reserve(regions_.size() + 1);
  auto* memory = static_cast<std::byte*>(::operator new(size, std::align_val_t(huge_page)));
  madvise(memory, size, MADV_HUGEPAGE);
  regions_.push_back({memory, size});
  // Its first line stays unused, so that places of two regions never adjoin.
  const Span whole{memory + line, size - line};
  free_.insert(std::ranges::lower_bound(free_, whole.begin, {}, &Span::begin), whole);
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
  const Span span{reinterpret_cast<std::byte*>(block), block->bytes};
  --blocks_;
  in_use_ -= span.bytes;
  const auto after = std::ranges::lower_bound(free_, span.begin, {}, &Span::begin);
  const bool joins_next = after != free_.end() && span.end() == after->begin;
  if (after != free_.begin() && (after - 1)->end() == span.begin) {
    (after - 1)->bytes += span.bytes;
    if (!joins_next) return;
    (after - 1)->bytes += after->bytes;
    free_.erase(after);
  } else if (joins_next) {
    *after = {span.begin, span.bytes + after->bytes};
  } else {
    free_.insert(after, span);
  }
}

void Arena::trim() noexcept {
  take_returned();
  release_regions();
  most_ = in_use_;
}

void Arena::release_regions() noexcept {
  std::erase_if(regions_, [&](const Span& region) {
    const auto place = std::ranges::find(free_, region.begin + line, &Span::begin);
    if (place == free_.end() || place->bytes != region.bytes - line) return false;
    free_.erase(place);
    ::operator delete(region.begin, std::align_val_t(huge_page));
    return true;
  });
}

}  // namespace lengthwise
