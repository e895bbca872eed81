#include "arena.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gapless::bench {
namespace {

constexpr int kPoison = 0x7e, kSentinel = 0x33;

Span span_of(const Description& description) {
  Span span{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(), 0};
  description.type.each_run(description.count, [&](std::int64_t at, std::int64_t bytes) {
    span.low = std::min(span.low, at);
    span.high = std::max(span.high, at + bytes);
    span.bytes += bytes;
  });
  return span;
}

std::size_t pages_up(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// A page that must stay untouched lies before and after the span.
std::size_t origin_of(std::int64_t low) {
  return kPageBytes + (low < 0 ? pages_up(-low) : 0);
}

// Neighbouring words differ in every byte that a wrong stride, block or order could confuse.
void fill_with_places(Pages& pages) {
  for (std::size_t at = 0; at < pages.size(); at += 8) {
    const std::uint64_t value = (at / 8 + 1) * 0x9e3779b97f4a7c15u;
    std::memcpy(pages.data() + at, &value, 8);
  }
}

std::optional<std::string> first_difference(const char* what, const Pages& expected, const Pages& found,
                                            std::size_t bytes, std::size_t origin) {
  if (std::memcmp(expected.data(), found.data(), bytes) == 0) return std::nullopt;
  const auto at = std::mismatch(expected.data(), expected.data() + bytes, found.data()).first - expected.data();
  return std::string(what) + " is wrong at byte " + std::to_string(at - static_cast<std::int64_t>(origin));
}

}  // namespace

Arena::Arena(const Description& description, std::int64_t packed_capacity_bytes)
    : span_(span_of(description)),
      origin_(origin_of(span_.low)),
      user_(origin_ + pages_up(std::max<std::int64_t>(span_.high, 0)) + kPageBytes),
      packed_(static_cast<std::size_t>(std::max(span_.bytes, packed_capacity_bytes)) + kPageBytes),
      user_image_(user_.size()),
      packed_image_(packed_.size()),
      unpacked_image_(user_.size()) {
  fill_with_places(user_image_);
  std::memset(packed_image_.data(), kPoison, packed_image_.size());
  std::memset(unpacked_image_.data(), kSentinel, unpacked_image_.size());
  char* packed = packed_image_.data();
  description.type.each_run(description.count, [&](std::int64_t at, std::int64_t bytes) {
    const auto place = static_cast<std::int64_t>(origin_) + at;
    std::memcpy(packed, user_image_.data() + place, static_cast<std::size_t>(bytes));
    std::memcpy(unpacked_image_.data() + place, packed, static_cast<std::size_t>(bytes));
    packed += bytes;
  });
}

void Arena::prepare_pack() {
  std::memcpy(user_.data(), user_image_.data(), user_.size());
  std::memset(packed_.data(), kPoison, packed_.size());
}

std::optional<std::string> Arena::check_packed() const {
  return first_difference("the packed side", packed_image_, packed_, packed_.size(), 0);
}

void Arena::prepare_unpack() {
  std::memset(user_.data(), kSentinel, user_.size());
  std::memcpy(packed_.data(), packed_image_.data(), packed_.size());
}

std::optional<std::string> Arena::check_user() const {
  return first_difference("the user's memory", unpacked_image_, user_, user_.size(), origin_);
}

}  // namespace gapless::bench
