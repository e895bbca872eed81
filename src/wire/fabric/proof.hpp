// Who knows the job's secret, and by what a frame of the job is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace gapless::wire::fabric {

using Key = std::array<std::uint8_t, 32>;
// 256 random bits: no two are ever equal.
using Nonce = std::array<std::uint8_t, 32>;
using View = std::span<const std::uint8_t>;

// Throws Failure(kArgument) if the secret is empty. It is not made slow to try (Argon2 would take memory and time on
// every core of a node): a secret is drawn by a program, not thought up.
Key secret_key(std::string_view secret);

// The key of one meeting: nobody can make it who does not know the secret, and no two meetings have the same one, since
// each member has drawn its nonce for this meeting.
Key job_key(const Key& secret, std::span<const Nonce> nonces_by_rank);

Nonce draw_nonce();

// BLAKE2b under a key. Neither parts that are divided otherwise nor another purpose give the same.
Key digest(const Key& key, std::string_view purpose, std::initializer_list<View> parts);

// In a time that does not tell where they differ.
bool are_equal(const Key& a, const Key& b) noexcept;

// Makes and checks the tags of frames from one rank to another. Each direction has its own key, so that a frame cannot
// be sent back to who made it, nor on to a third. A frame that is repeated has the same tag: the number that tells
// repetitions apart belongs into the frame. 64 bits are enough where each guess costs a message and is counted.
class Seal {
 public:
  Seal(const Key& job, int from, int to);
  std::uint64_t tag(std::span<const std::byte> frame) const noexcept;
  bool is_right(std::span<const std::byte> frame, std::uint64_t tag) const noexcept;

 private:
  std::array<std::uint8_t, 16> key_;
};

}  // namespace gapless::wire::fabric
