#include "memory.hpp"

#include "../payload.hpp"
#include "agree.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/checked.hpp"

namespace gapless::lab::exchange {
namespace {

constexpr std::int64_t kGuard = 64;  // bytes at both ends of a buffer that must stay untouched
constexpr std::int64_t kLine = 64;
// Different in every buffer, so that a gap carried along with the payload is seen too.
constexpr char kSendGap = '\x5a';
constexpr char kReceiveGap = '\x33';
constexpr char kPackedPoison = '\x7e';

Bytes payload_of(int rank, std::uint32_t version, std::int64_t payload_bytes) {
  Bytes payload(static_cast<std::size_t>(payload_bytes));
  PayloadPlaces::contiguous(payload_bytes).write(payload.data(), rank, version);
  return payload;
}

std::optional<std::string> first_difference(const char* buffer, const Bytes& expected, const Bytes& found,
                                            std::int64_t origin) {
  if (std::memcmp(expected.data(), found.data(), expected.size()) == 0) return std::nullopt;
  const char* const end = expected.data() + expected.size();
  const std::size_t at =
      static_cast<std::size_t>(std::mismatch(expected.data(), end, found.data()).first - expected.data());
  return std::string(buffer) + " buffer, byte " + std::to_string(static_cast<std::int64_t>(at) - origin) +
         ": expected " + std::to_string(static_cast<unsigned char>(expected.data()[at])) + ", found " +
         std::to_string(static_cast<unsigned char>(found.data()[at]));
}

}  // namespace

// From the beginning of a buffer to the message's displacement 0: behind the guard, rounded up to a line (downwards
// would run into the guard). Right for negative numbers too, in two's complement.
std::int64_t Memory::origin(const Span& span) {
  return (kGuard - span.low + kLine - 1) & ~(kLine - 1);
}

// By its number: the address may lie outside of the memory.
char* Memory::at(Bytes& memory, const Span& span) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(memory.data()) +
                                 static_cast<std::uintptr_t>(origin(span)));
}

std::size_t Memory::room(const std::vector<Message>& messages, Span Message::* span) {
  std::int64_t bytes = 0;
  for (const Message& message : messages)
    bytes = std::max(bytes, origin(message.*span) + (message.*span).high + kGuard);
  return static_cast<std::size_t>(bytes);
}

Memory::Memory(const GroupSpec& group, const std::vector<Message>& messages, Place place, std::size_t capacity)
    : pattern_(group.pattern),
      root_(group.root),
      place_(place),
      user_send_(room(messages, &Message::send_span)),
      user_receive_(room(messages, &Message::receive_span)),
      packed_send_(capacity),
      packed_receive_(group.pattern == Pattern::kAllgather ? capacity * static_cast<std::size_t>(place.ranks) : 0),
      send_image_(user_send_.size()),
      receive_image_(user_receive_.size()) {
  for (Bytes* buffer : {&user_send_, &user_receive_, &packed_send_, &packed_receive_}) buffer->fill(kPackedPoison);
}

void Memory::require_disjoint(const Message& message, const Runs& runs) {
  imaged_.reset();
  receive_image_.fill(0);
  for (int block = 0; block < message.blocks; ++block) {
    for (const test::Entry& run : runs) {
      const std::int64_t displacement = block * message.block_bytes() + run.displacement;
      char* const first = receive_image_.data() + origin(message.receive_span) + displacement;
      const auto bytes = static_cast<std::size_t>(run.bytes);
      if (const void* taken = std::memchr(first, 1, bytes))
        throw Refused("message '" + message.name + "' receives byte " +
                      std::to_string(static_cast<const char*>(taken) - first + displacement) +
                      " twice, which MPI forbids");
      std::memset(first, 1, bytes);
    }
  }
}

// Every block that this rank receives, from its sender.
void Memory::write_blocks(const Message& message, const Runs& runs) {
  if (pattern_ == Pattern::kBcast && place_.rank == root_) return;
  for (int block = 0; block < message.blocks; ++block) {
    const int sender = pattern_ == Pattern::kAllgather ? block : pattern_ == Pattern::kBcast ? root_ : 1 - place_.rank;
    const Bytes payload = payload_of(sender, version_, message.payload_bytes);
    char* const to = receive_image_.data() + origin(message.receive_span) + block * message.block_bytes();
    const char* from = payload.data();
    for (const test::Entry& run : runs) {
      std::memcpy(to + run.displacement, from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
  }
}

void Memory::build_images(const Message& message, const Runs& runs) {
  const Imaged wanted{message.label, message.blocks > 1 ? message.block_bytes() : 0, version_, own_};
  if (imaged_ == wanted) return;
  send_image_.fill(kSendGap);
  receive_image_.fill(kReceiveGap);
  const Bytes payload = payload_of(place_.rank, own_, message.payload_bytes);
  const char* from = payload.data();
  for (const test::Entry& run : runs) {
    std::memcpy(send_image_.data() + origin(message.send_span) + run.displacement, from,
                static_cast<std::size_t>(run.bytes));
    from += run.bytes;
  }
  write_blocks(message, runs);
  imaged_ = wanted;
}

void Memory::write(const Message& message) {
  ++version_;
  if (pattern_ == Pattern::kBcast && place_.rank != root_) return;
  own_ = version_;
  message.places->write(send(message), place_.rank, own_);
}

void Memory::reset(const Message& message, const Runs& runs) {
  own_ = version_;
  build_images(message, runs);
  user_send_.copy_from(send_image_);
  user_receive_.fill(kReceiveGap);
  packed_send_.fill(kPackedPoison);
  packed_receive_.fill(kPackedPoison);
}

std::optional<std::string> Memory::check(const Message& message, const Runs& runs) {
  build_images(message, runs);
  for (int block = 0; block < message.blocks; ++block) {
    for (const test::Entry& run : message.padding) {
      const std::int64_t at = origin(message.receive_span) + block * message.block_bytes() + run.displacement;
      std::memcpy(user_receive_.data() + at, receive_image_.data() + at, static_cast<std::size_t>(run.bytes));
    }
  }
  if (auto wrong = first_difference("receive", receive_image_, user_receive_, origin(message.receive_span)))
    return wrong;
  return first_difference("send", send_image_, user_send_, origin(message.send_span));
}

std::int64_t memory_bytes(const std::vector<Message>& messages) {
  using base::checked_add;
  using base::checked_mul;
  constexpr const char* kWhat = "bytes of memory";
  std::int64_t send = 0, receive = 0, packed = 0, maps = 0;
  for (const Message& message : messages) {
    send = std::max(send, message.send_span.high - message.send_span.low);
    receive = std::max(receive, message.receive_span.high - message.receive_span.low);
    packed = std::max(packed, checked_mul(message.payload_bytes, message.blocks + 2, kWhat));
    maps = checked_add(maps, type_map_cost_bytes(*message.type, message.count), kWhat);
  }
  const std::int64_t twice = checked_mul(checked_add(send, receive, kWhat), 2, kWhat);
  return checked_add(checked_add(twice, packed, kWhat), maps, kWhat);
}

}  // namespace gapless::lab::exchange
