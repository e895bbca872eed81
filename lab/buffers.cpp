#include "buffers.hpp"

#include <algorithm>
#include <cstring>

namespace gapless::lab {
namespace {

// Bytes before and after the message that must stay untouched; a whole cache line keeps the alignment.
constexpr std::int64_t kGuard = 64;
// Different in every buffer, so that a gap carried along with the payload is seen too.
constexpr char kSendGap = '\x5a';
constexpr char kReceiveGap = '\x33';
constexpr char kPackedPoison = '\x7e';

std::string wrong_at(const char* buffer, std::int64_t at) {
  return std::string(buffer) + ", byte " + std::to_string(at) + ": ";
}

// The first byte that is not `value`.
std::optional<std::size_t> other_than(char value, const Bytes& bytes) {
  const char* const data = bytes.data();
  if (data[0] == value && std::memcmp(data, data + 1, bytes.size() - 1) == 0) return std::nullopt;
  return static_cast<std::size_t>(std::find_if(data, data + bytes.size(), [=](char c) { return c != value; }) - data);
}

}  // namespace

// Displacement 0 lies on its line as it does in an array that begins on one.
Buffers::Memory::Memory(const std::vector<ByteRun>& runs, std::int64_t origin_bytes, char sentinel)
    : places(runs),
      offset(kGuard - places.low() + ((places.low() + origin_bytes) % kGuard + kGuard) % kGuard),
      gap(sentinel),
      bytes(static_cast<std::size_t>(offset + places.high() + kGuard)) {
  bytes.fill(gap);
}

// By its number: the address may lie outside of the memory.
char* Buffers::Memory::displacement_0() {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(bytes.data()) + static_cast<std::uintptr_t>(offset));
}

std::optional<std::string> Buffers::Memory::take(const char* name, int rank, std::uint32_t version) {
  if (const auto at = places.first_wrong(displacement_0(), rank, version))
    return wrong_at(name, *at) + "not the data of rank " + std::to_string(rank) + "'s message " +
           std::to_string(version);
  places.fill(displacement_0(), gap);
  if (const auto at = other_than(gap, bytes))
    return wrong_at(name, static_cast<std::int64_t>(*at) - offset) + "a gap was written";
  return std::nullopt;
}

Buffers::Buffers(const Subject& subject, std::size_t packed_capacity_bytes, int rank)
    : rank_(rank),
      send_(subject.sent, subject.exchange.send.origin_bytes, kSendGap),
      receive_(subject.received, subject.exchange.receive.origin_bytes, kReceiveGap),
      contiguous_(PayloadPlaces::contiguous(send_.places.bytes())),
      packed_send_(std::max(static_cast<std::size_t>(contiguous_.bytes()), packed_capacity_bytes)),
      packed_receive_(packed_send_.size()) {}

void Buffers::reset(Packed packed) {
  send_.places.write(user_send(), rank_, version_);
  receive_.places.fill(user_receive(), kReceiveGap);
  packed_send_.fill(kPackedPoison);
  packed_receive_.fill(kPackedPoison);
  if (packed == Packed::kOwnPayload) contiguous_.write(packed_send(), rank_, version_);
  if (packed == Packed::kPeersPayload) contiguous_.write(packed_send(), 1 - rank_, version_);
}

std::optional<std::string> Buffers::check_user() {
  auto wrong = receive_.take("receive buffer", 1 - rank_, version_);
  if (!wrong) wrong = send_.take("send buffer", rank_, version_);
  if (!wrong) send_.places.write(user_send(), rank_, version_);
  return wrong;
}

std::optional<std::string> Buffers::check_packed() const {
  for (auto at = static_cast<std::size_t>(payload_bytes()); at < packed_receive_.size(); ++at)
    if (packed_receive_.data()[at] != kPackedPoison)
      return "contiguous receive buffer, written beyond its payload at byte " + std::to_string(at);
  if (const auto at = contiguous_.first_wrong(packed_receive_.data(), 1 - rank_, version_))
    return wrong_at("contiguous receive buffer", *at) + "not the data of the other rank's message " +
           std::to_string(version_);
  return std::nullopt;
}

std::optional<std::string> Buffers::check_scratch() const {
  if (const auto at = contiguous_.first_wrong(packed_send_.data(), rank_, version_))
    return wrong_at("packed buffer", *at) + "not the data packed last";
  return std::nullopt;
}

}  // namespace gapless::lab
