#include "buffers.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace gapless::lab {
namespace {

// Different in every buffer, so that a gap carried along with the payload is seen too.
constexpr int kSendGap = -1001;
constexpr int kReceiveGap = -2002;
constexpr int kPackedPoison = -3003;

int payload_value(int rank, std::size_t element) {
  return (rank + 1) * 1'000'000'000 + static_cast<int>(element);
}

std::optional<std::string> first_difference(const char* buffer, const int* expected, const int* found,
                                            std::size_t count, std::size_t guard) {
  if (std::memcmp(expected, found, count * sizeof(int)) == 0) return std::nullopt;
  const std::size_t at = static_cast<std::size_t>(std::mismatch(expected, expected + count, found).first - expected);
  return std::string(buffer) + ", element " +
         std::to_string(static_cast<std::int64_t>(at) - static_cast<std::int64_t>(guard)) + ": expected " +
         std::to_string(expected[at]) + ", found " + std::to_string(found[at]);
}

}  // namespace

AlignedInts::AlignedInts(std::size_t count) : count_(count) {
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(int) + kLine - 1) / kLine * kLine;
  data_.reset(static_cast<int*>(std::aligned_alloc(kLine, bytes)));
  if (!data_) throw std::bad_alloc();
}

void AlignedInts::fill(int value) {
  std::fill_n(data_.get(), count_, value);
}

void AlignedInts::copy_from(const AlignedInts& other) {
  std::memcpy(data_.get(), other.data(), std::min(count_, other.count()) * sizeof(int));
}

Buffers::Buffers(const Layout& layout, std::size_t packed_capacity_bytes, int rank)
    : payload_elements_(static_cast<std::size_t>(layout.payload_elements())),
      peer_(1 - rank),
      user_send_(static_cast<std::size_t>(layout.extent_elements()) + 2 * kGuard),
      user_receive_(user_send_.count()),
      packed_send_(std::max(payload_elements_, (packed_capacity_bytes + 3) / sizeof(int))),
      packed_receive_(packed_send_.count()),
      send_image_(user_send_.count()),
      receive_image_(user_send_.count()),
      packed_image_(payload_elements_) {
  send_image_.fill(kSendGap);
  receive_image_.fill(kReceiveGap);
  std::size_t element = 0;
  for (std::int64_t displacement_bytes : layout.type_map()) {
    const std::size_t at = kGuard + static_cast<std::size_t>(displacement_bytes / kBaseBytes);
    send_image_.data()[at] = payload_value(rank, element);
    receive_image_.data()[at] = payload_value(peer_, element);
    packed_image_.data()[element] = payload_value(rank, element);
    ++element;
  }
}

void Buffers::reset(bool payload_is_packed) {
  user_send_.copy_from(send_image_);
  user_receive_.fill(kReceiveGap);
  packed_send_.fill(kPackedPoison);
  packed_receive_.fill(kPackedPoison);
  if (payload_is_packed) packed_send_.copy_from(packed_image_);
}

std::optional<std::string> Buffers::check_user() const {
  if (auto wrong = first_difference("receive buffer", receive_image_.data(), user_receive_.data(),
                                    user_receive_.count(), kGuard))
    return wrong;
  return first_difference("send buffer", send_image_.data(), user_send_.data(), user_send_.count(), kGuard);
}

std::optional<std::string> Buffers::check_packed() const {
  for (std::size_t i = 0; i < payload_elements_; ++i)
    if (packed_receive_.data()[i] != payload_value(peer_, i))
      return "contiguous receive buffer, element " + std::to_string(i) + ": expected " +
             std::to_string(payload_value(peer_, i)) + ", found " + std::to_string(packed_receive_.data()[i]);
  for (std::size_t i = payload_elements_; i < packed_receive_.count(); ++i)
    if (packed_receive_.data()[i] != kPackedPoison)
      return "contiguous receive buffer, written beyond its payload at element " + std::to_string(i);
  return std::nullopt;
}

}  // namespace gapless::lab
