#include "buffers.hpp"

#include <algorithm>
#include <cstring>

namespace gapless::lab {
namespace {

// Different in every buffer, so that a gap carried along with the payload is seen too.
constexpr char kSendGap = '\x5a';
constexpr char kReceiveGap = '\x33';
constexpr char kPackedPoison = '\x7e';

std::uint32_t payload_value(int rank, std::size_t element) {
  return (static_cast<std::uint32_t>(rank) + 1) * 1'000'000'000u + static_cast<std::uint32_t>(element);
}

void write_payload(Bytes& into, std::size_t bytes, int rank) {
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint32_t)) {
    const std::uint32_t value = payload_value(rank, at / sizeof(std::uint32_t));
    std::memcpy(into.data() + at, &value, std::min(sizeof value, bytes - at));
  }
}

std::optional<std::string> first_difference(const char* buffer, const char* expected, const char* found,
                                            std::size_t size, std::size_t guard) {
  if (std::memcmp(expected, found, size) == 0) return std::nullopt;
  const std::size_t at = static_cast<std::size_t>(std::mismatch(expected, expected + size, found).first - expected);
  return std::string(buffer) + ", byte " +
         std::to_string(static_cast<std::int64_t>(at) - static_cast<std::int64_t>(guard)) + ": expected " +
         std::to_string(static_cast<unsigned char>(expected[at])) + ", found " +
         std::to_string(static_cast<unsigned char>(found[at]));
}

}  // namespace

Buffers::Buffers(const Layout& layout, std::size_t packed_capacity_bytes, int rank)
    : payload_bytes_(static_cast<std::size_t>(layout.payload_bytes())),
      user_send_(static_cast<std::size_t>(layout.extent_bytes()) + 2 * kGuard),
      user_receive_(user_send_.size()),
      packed_send_(std::max(payload_bytes_, packed_capacity_bytes)),
      packed_receive_(packed_send_.size()),
      send_image_(user_send_.size()),
      receive_image_(user_send_.size()),
      packed_image_(payload_bytes_),
      peers_packed_image_(payload_bytes_) {
  write_payload(packed_image_, payload_bytes_, rank);
  write_payload(peers_packed_image_, payload_bytes_, 1 - rank);
  send_image_.fill(kSendGap);
  receive_image_.fill(kReceiveGap);
  const auto element_bytes = static_cast<std::size_t>(layout.element_bytes);
  std::size_t at = 0;
  for (std::int64_t displacement_bytes : layout.type_map()) {
    const std::size_t to = kGuard + static_cast<std::size_t>(displacement_bytes);
    std::memcpy(send_image_.data() + to, packed_image_.data() + at, element_bytes);
    std::memcpy(receive_image_.data() + to, peers_packed_image_.data() + at, element_bytes);
    at += element_bytes;
  }
}

void Buffers::reset(Packed packed) {
  user_send_.copy_from(send_image_);
  user_receive_.fill(kReceiveGap);
  packed_send_.fill(kPackedPoison);
  packed_receive_.fill(kPackedPoison);
  if (packed == Packed::kOwnPayload) packed_send_.copy_from(packed_image_);
  if (packed == Packed::kPeersPayload) packed_send_.copy_from(peers_packed_image_);
}

std::optional<std::string> Buffers::check_user() const {
  if (auto wrong =
          first_difference("receive buffer", receive_image_.data(), user_receive_.data(), user_receive_.size(), kGuard))
    return wrong;
  return first_difference("send buffer", send_image_.data(), user_send_.data(), user_send_.size(), kGuard);
}

std::optional<std::string> Buffers::check_packed() const {
  for (std::size_t at = payload_bytes_; at < packed_receive_.size(); ++at)
    if (packed_receive_.data()[at] != kPackedPoison)
      return "contiguous receive buffer, written beyond its payload at byte " + std::to_string(at);
  return first_difference("contiguous receive buffer", peers_packed_image_.data(), packed_receive_.data(),
                          payload_bytes_, 0);
}

std::optional<std::string> Buffers::check_scratch() const {
  return first_difference("packed buffer", packed_image_.data(), packed_send_.data(), payload_bytes_, 0);
}

}  // namespace gapless::lab
