#include "memory.hpp"

#include "../payload.hpp"
#include "agree.hpp"
#include "schemes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/checked.hpp"

namespace gapless::lab::exchange {
namespace {

constexpr std::int64_t kGuard = 64;  // bytes at both ends of a buffer that must stay untouched
constexpr std::int64_t kLine = 64;
// Buffers of a rotation, and the bytes that all of them may have; at least two, whatever they have.
constexpr std::int64_t kMostTurns = 16;
constexpr std::int64_t kMostTurned = std::int64_t{256} << 20;
// Different in every buffer, so that a gap carried along with the payload is seen too.
constexpr char kSendGap = '\x5a';
constexpr char kReceiveGap = '\x33';
constexpr char kPackedPoison = '\x7e';

Bytes payload_of(int rank, std::uint32_t version, std::int64_t payload_bytes) {
  Bytes payload(static_cast<std::size_t>(payload_bytes));
  PayloadPlaces::contiguous(payload_bytes).write(payload.data(), rank, version);
  return payload;
}

// How many send buffers, and receive buffers, a group of so many bytes of them has.
std::int64_t turns(const GroupSpec& group, std::int64_t bytes) {
  const bool turned =
      std::any_of(group.members.begin(), group.members.end(), [](const MemberSpec& of) { return of.fresh_buffer; });
  return turned ? std::clamp(kMostTurned / std::max<std::int64_t>(bytes, 1), std::int64_t{2}, kMostTurns) : 1;
}

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + kLine - 1) / kLine * kLine;
}

// At `shared`, which then points behind them, or in memory of their own.
std::vector<Bytes> buffers(std::int64_t number, std::size_t bytes, char*& shared) {
  std::vector<Bytes> made;
  for (; number > 0; --number) {
    if (shared == nullptr) {
      made.emplace_back(bytes);
      continue;
    }
    made.emplace_back(shared, bytes);
    shared += whole_lines(bytes);
  }
  return made;
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

// From the beginning of a buffer to the message's displacement 0: behind the guard, rounded up to its place in a line
// (downwards would run into the guard). Right for negative numbers too, in two's complement.
std::int64_t Memory::origin(const End& end) {
  return ((kGuard - end.span.low - end.origin + kLine - 1) & ~(kLine - 1)) + end.origin;
}

// By its number: the address may lie outside of the memory.
char* Memory::at(Bytes& memory, const End& end) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(memory.data()) +
                                 static_cast<std::uintptr_t>(origin(end)));
}

std::size_t Memory::room(const std::vector<Message>& messages, End Message::* end) {
  std::int64_t bytes = 0;
  for (const Message& message : messages)
    bytes = std::max(bytes, origin(message.*end) + (message.*end).span.high + kGuard);
  return static_cast<std::size_t>(bytes);
}

std::size_t Memory::room_bytes(const GroupSpec& group, const std::vector<Message>& messages) {
  const std::size_t send = room(messages, &Message::send), receive = room(messages, &Message::receive);
  const std::int64_t number = turns(group, static_cast<std::int64_t>(send + receive));
  return static_cast<std::size_t>(number) * (whole_lines(send) + whole_lines(receive));
}

Memory::Memory(const GroupSpec& group, const std::vector<Message>& messages, Place place, std::size_t capacity,
               char* shared)
    : pattern_(group.pattern),
      root_(group.root),
      place_(place),
      empty_pong_(group.empty_pong),
      peers_(peers_of(group, place)),
      packed_send_(capacity * (group.pattern == Pattern::kAlltoall ? static_cast<std::size_t>(place.ranks) : 1)),
      packed_receive_(group.pattern == Pattern::kAllgather || group.pattern == Pattern::kAlltoall
                          ? capacity * static_cast<std::size_t>(place.ranks)
                          : 0),
      send_image_(room(messages, &Message::send)),
      receive_image_(room(messages, &Message::receive)) {
  const std::int64_t number = turns(group, static_cast<std::int64_t>(send_image_.size() + receive_image_.size()));
  user_send_ = buffers(number, send_image_.size(), shared);
  user_receive_ = buffers(number, receive_image_.size(), shared);
  for (std::vector<Bytes>* several : {&user_send_, &user_receive_})
    for (Bytes& buffer : *several) buffer.fill(kPackedPoison);
  for (Bytes* buffer : {&packed_send_, &packed_receive_}) buffer->fill(kPackedPoison);
}

void Memory::require_disjoint(const Message& message, const TypeMaps& maps) {
  imaged_.reset();
  receive_image_.fill(0);
  for (int block = 0; block < message.blocks; ++block) {
    for (const test::Entry& run : maps.receive()) {
      const std::int64_t displacement = block * message.block_bytes() + run.displacement;
      char* const first = receive_image_.data() + origin(message.receive) + displacement;
      const auto bytes = static_cast<std::size_t>(run.bytes);
      if (const void* taken = std::memchr(first, 1, bytes))
        throw Refused("message '" + message.name + "' receives byte " +
                      std::to_string(static_cast<const char*>(taken) - first + displacement) +
                      " twice, which MPI forbids");
      std::memset(first, 1, bytes);
    }
  }
}

// Whose payload a block is that this rank sends.
int Memory::sent_payload(int block) const {
  const std::vector<int>& to = peers_.targets;
  return to.empty() ? place_.rank : place_.rank * place_.ranks + to[static_cast<std::size_t>(block)];
}

// The same of one that it receives.
int Memory::received_payload(int block) const {
  const std::vector<int>& from = peers_.sources;
  if (!from.empty()) return from[static_cast<std::size_t>(block)] * place_.ranks + place_.rank;
  return pattern_ == Pattern::kAllgather ? block : pattern_ == Pattern::kBcast ? root_ : partner(place_);
}

// Every block that this rank receives, from its sender.
void Memory::write_blocks(const Message& message, const Runs& runs) {
  if (pattern_ == Pattern::kBcast && place_.rank == root_) return;
  for (int block = 0; block < message.blocks; ++block) {
    const Bytes payload = payload_of(received_payload(block), version_, message.payload_bytes());
    char* const to = receive_image_.data() + origin(message.receive) + block * message.block_bytes();
    const char* from = payload.data();
    for (const test::Entry& run : runs) {
      std::memcpy(to + run.displacement, from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
  }
}

void Memory::build_images(const Message& message, const TypeMaps& maps, bool receives) {
  const Imaged wanted{message.label,
                      message.blocks > 1 ? message.block_bytes() : 0,
                      origin(message.send),
                      origin(message.receive),
                      version_,
                      own_,
                      receives};
  if (imaged_ == wanted) return;
  send_image_.fill(kSendGap);
  receive_image_.fill(kReceiveGap);
  for (int block = 0; block < message.sent_blocks; ++block) {
    const Bytes payload = payload_of(sent_payload(block), own_, message.payload_bytes());
    char* const to = send_image_.data() + origin(message.send) + block * message.sent_block_bytes();
    const char* from = payload.data();
    for (const test::Entry& run : maps.send) {
      std::memcpy(to + run.displacement, from, static_cast<std::size_t>(run.bytes));
      from += run.bytes;
    }
  }
  if (receives) write_blocks(message, maps.receive());
  imaged_ = wanted;
}

void Memory::write(const Message& message, bool sends) {
  ++version_;
  if (!sends) return;
  own_ = version_;
  for (int block = 0; block < message.sent_blocks; ++block) {
    message.send.places->write(send(message) + block * message.sent_block_bytes(), sent_payload(block), own_);
  }
}

bool Memory::receives(Operation::Leaves leaves) const {
  if (has_peers(pattern_) && peers_.sources.empty()) return false;
  if (empty_pong_ && leads(place_)) return false;
  return leaves == Operation::Leaves::kReceived || (leaves == Operation::Leaves::kUnpacked && place_.rank == kAlone);
}

void Memory::reset(const Message& message, const TypeMaps& maps, Operation::Leaves leaves) {
  own_ = version_;
  build_images(message, maps, receives(leaves));
  for (Bytes& buffer : user_send_) buffer.copy_from(send_image_);
  for (Bytes& buffer : user_receive_) buffer.fill(kReceiveGap);
  packed_send_.fill(kPackedPoison);
  packed_receive_.fill(kPackedPoison);
  if (leaves == Operation::Leaves::kUnpacked)
    packed_send_.copy_from(payload_of(1 - place_.rank, version_, message.payload_bytes()));
}

std::optional<std::string> Memory::check(const Message& message, const TypeMaps& maps, Operation::Leaves leaves) {
  build_images(message, maps, receives(leaves));
  for (int block = 0; block < message.blocks; ++block) {
    for (const test::Entry& run : message.padding) {
      const std::int64_t at = origin(message.receive) + block * message.block_bytes() + run.displacement;
      std::memcpy(user_receive_[turn_].data() + at, receive_image_.data() + at, static_cast<std::size_t>(run.bytes));
    }
  }
  if (auto wrong = first_difference("receive", receive_image_, user_receive_[turn_], origin(message.receive)))
    return wrong;
  if (leaves == Operation::Leaves::kPacked && place_.rank == kAlone)
    if (auto wrong =
            first_difference("packed", payload_of(place_.rank, own_, message.payload_bytes()), packed_send_, 0))
      return wrong;
  return first_difference("send", send_image_, user_send_[turn_], origin(message.send));
}

std::int64_t memory_bytes(const GroupSpec& group, const std::vector<Message>& messages) {
  using base::checked_add;
  using base::checked_mul;
  constexpr const char* kWhat = "bytes of memory";
  std::int64_t send = 0, receive = 0, packed = 0;
  // The type map that is being made, and one that is kept of each layout: a third of what making it may take.
  std::int64_t made = 0, kept = 0;
  std::set<std::string> labels;
  for (const Message& message : messages) {
    send = std::max(send, message.send.span.high - message.send.span.low);
    receive = std::max(receive, message.receive.span.high - message.receive.span.low);
    packed = std::max(packed, checked_mul(message.payload_bytes(), message.blocks + message.sent_blocks + 1, kWhat));
    std::int64_t map = type_map_cost_bytes(*message.send.type, message.send.count);
    if (message.has_unlike_ends())
      map = checked_add(map, type_map_cost_bytes(*message.receive.type, message.receive.count), kWhat);
    made = std::max(made, map);
    if (labels.insert(message.label).second) kept = checked_add(kept, map / 3, kWhat);
  }
  for (const MemberSpec& member : group.members) {
    const Message& message = messages[member.message];
    if (is_scheme(member.method) && lacks_scheme(member.method, message).empty())
      packed = checked_add(packed, scheme_bytes(member.method, message), kWhat);
  }
  const std::int64_t once = checked_add(send, receive, kWhat);
  const std::int64_t all = checked_mul(once, turns(group, once) + 1, kWhat);  // and what must be in them
  return checked_add(checked_add(all, packed, kWhat), checked_add(made, kept, kWhat), kWhat);
}

}  // namespace gapless::lab::exchange
