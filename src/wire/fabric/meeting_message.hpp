// The messages of a meeting (meeting.hpp) as bytes. Numbers are little-endian and of fixed length. Whatever is read
// here may be hostile: each function takes any bytes, and says false, or kRubbish, to what no member would send.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "wire/fabric/meeting.hpp"

namespace gapless::wire::fabric {

using Bytes = std::vector<std::uint8_t>;

enum class Reading { kMore, kGood, kRubbish };

// The first 12 bytes, magic and format, are the same in all formats to come, and REFUSED is: so two that speak
// different ones can say so.
constexpr std::uint32_t kFormat = 1;
struct Hello {
  std::uint32_t format = kFormat, rank = 0, processes = 0;
  Nonce nonce{};
};
constexpr std::size_t kHelloBytes = 8 + 3 * 4 + sizeof(Nonce);
Bytes bytes_of(const Hello& hello);
// kGood as soon as `bytes` tell of another format; then hello.format alone is set.
Reading parse(View bytes, Hello& hello) noexcept;

// What comes after HELLO: a kind, the body's length, the body.
enum class Kind : std::uint32_t { kChallenge = 1, kProof = 2, kWelcome = 3, kTable = 4, kRefused = 5 };
constexpr std::size_t kFrameBytes = 8;
struct Frame {
  Kind kind = Kind::kChallenge;
  View body;  // within the bytes that were read
};
Bytes frame_of(Kind kind, std::initializer_list<View> parts);
// The kind and the length of a body of at most `max_body` bytes. The reader says which kinds it takes.
Reading read_head(View bytes, std::size_t max_body, Kind& kind, std::size_t& body_bytes) noexcept;
Reading parse(View bytes, std::size_t max_body, Frame& frame) noexcept;

// REFUSED
enum class Reason : std::uint32_t { kFormat = 1, kSecret = 2, kRank = 3, kProcesses = 4, kMissing = 5 };
struct Refusal {
  Reason reason = Reason::kFormat;
  std::uint32_t a = 0, b = 0;  // rank 0's format; its number of processes; how many are missing, and the first of them
};
constexpr std::size_t kRefusalBytes = 12;
Bytes frame_of(const Refusal& refusal);
bool parse(View body, Refusal& refusal) noexcept;

constexpr std::size_t kMaxHostBytes = 64;
constexpr std::size_t kMaxMemberBytes = 2 + kMaxAddressBytes + 2 + kMaxHostBytes + 2 + 8;
constexpr std::size_t kMaxProofBytes = kMaxMemberBytes + sizeof(Key);
// False if a member's data are none that may be sent or used.
bool is_sound(const Member& member) noexcept;
Bytes bytes_of(const Member& member);
bool parse(View body, Member& member);

constexpr std::size_t max_table_bytes(std::size_t processes) noexcept {
  return 4 + processes * (sizeof(Nonce) + kMaxMemberBytes);
}
Bytes table_of(std::span<const Member> members, std::span<const Nonce> nonces);
// Of exactly `processes` members.
bool parse(View body, std::size_t processes, std::vector<Member>& members, std::vector<Nonce>& nonces);

// The MACs. The table is hashed once for all members, who are as many as it has entries.
Key member_proof(const Key& secret, const Hello& hello, const Nonce& challenge, View member);
Key host_proof(const Key& secret, const Hello& hello, const Nonce& challenge);
Key table_digest(const Key& secret, View table);
Key table_proof(const Key& secret, const Hello& hello, const Nonce& challenge, const Key& table_digest);

// Such as "1, 3-7, 12", of ranks that ascend; cut short where it becomes long.
std::string ranks_text(std::span<const int> ranks);

}  // namespace gapless::wire::fabric
