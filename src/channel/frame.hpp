// What the two ends of a message tell each other: frames of at most 8 KiB, of which a peer may have written any byte.
//
//   eager     a whole message
//   request   a message waits to be sent (RTS)
//   form      a layout's serialised form, or a part of it, and the number by which it is known from now on
//   clear     where its bytes go, and how (CTS)
//   credit    more parts may be sent: of the ring, those that were unpacked; of segments, those that are awaited
//   written   how many writes there were, where the provider keeps no order among them
//   refuse    the message is longer than the memory for it
//   matched   nothing but the header's count of messages that were received
//   bye       nothing more will come
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gapless::channel {

inline constexpr std::size_t kFrameBytes = 8192;

enum class Kind : std::uint8_t { kEager = 1, kRequest, kForm, kClear, kCredit, kWritten, kRefuse, kMatched, kBye };
enum class Way : std::uint8_t { kHost = 0, kLists = 1, kSegments = 2 };

struct Header {
  static constexpr std::uint32_t kMagic = 0x31504147;  // "GAP1"
  std::uint32_t magic = kMagic;
  Kind kind = Kind::kMatched;
  Way way = Way::kHost;
  std::uint16_t is_ready =
      0;                   // clear: the receiver's memory is registered; request: the message may go by lists one day
  std::uint32_t from = 0;  // rank
  std::uint32_t sequence = 0;  // of the frames in this direction, from 1 on
  std::uint32_t matched = 0;   // messages of the other direction that were received so far
  std::uint32_t message = 0;   // which message of its direction this is about
  std::uint64_t bytes = 0;     // of the message
  std::uint32_t body = 0;      // [bytes] behind the header
  std::uint32_t number = 0;    // credit: parts that may be sent beyond the first ones; written: writes
  std::uint64_t seal = 0;      // of all before it, and of the body unless it is eager data
};
inline constexpr std::size_t kEagerBytes = kFrameBytes - sizeof(Header);

// Where a peer may write, as its CTS says.
struct Place {
  std::uint64_t address = 0;  // as the network knows it
  std::uint64_t key = 0;
  std::uint64_t here = 0;  // what the form's displacements lead to, in the peer's own addresses
  std::uint64_t bytes = 0;
};

struct Clear {
  enum class Where : std::uint32_t { kRing = 1, kMemory, kLayout, kSegments };
  Where where = Where::kRing;
  std::uint32_t target = 0, generation = 0;  // which of the peer's targets; comes back with each write
  std::uint64_t part = 0;                    // ring: [bytes] of one part; segments: of one chunk
  std::uint32_t parts = 0;                   // that may be sent before the first credit
  std::uint32_t form = 0, form_generation = 0;
  std::int64_t count = 0;
  std::uint64_t base = 0;     // layout: the address that the form's displacements start from
  std::vector<Place> places;  // ring, memory: one
};
inline constexpr std::size_t kMostPlaces = 64;
// [bytes] that a sender packs for one part of a ring or one chunk.
inline constexpr std::int64_t kLongestPart = 4 << 20;

struct Form {
  std::uint32_t number = 0, generation = 0;
  std::uint32_t total = 0, offset = 0;  // [bytes] of it all; of the part
  std::span<const std::byte> part;
};
inline constexpr std::uint32_t kMostForms = 256, kMostFormBytes = 1 << 20;

struct Request {
  std::uint64_t shortest = 0;  // [bytes] the sender's shortest run
};

// Each writes a body and returns its length; `body` has kEagerBytes.
std::size_t write(const Clear& clear, std::byte* body) noexcept;
std::size_t write(const Form& form, std::byte* body) noexcept;
std::size_t write(const Request& request, std::byte* body) noexcept;
inline constexpr std::size_t kFormPart = 4096;

// Nothing if the bytes are no such body.
std::optional<Header> read_header(std::span<const std::byte> frame) noexcept;
std::optional<Clear> read_clear(std::span<const std::byte> body);
std::optional<Form> read_form(std::span<const std::byte> body) noexcept;
std::optional<Request> read_request(std::span<const std::byte> body) noexcept;

// What a write carries: whose it is, and which part of the ring it filled.
struct Immediate {
  std::uint32_t target, generation, part;
  static constexpr std::uint32_t kTargets = 1 << 6, kGenerations = 1 << 10, kParts = 1 << 16;
  std::uint32_t word() const noexcept { return (target << 26) | ((generation % kGenerations) << 16) | (part % kParts); }
  static Immediate of(std::uint32_t word) noexcept { return {word >> 26, (word >> 16) % kGenerations, word % kParts}; }
};

}  // namespace gapless::channel
