// The memory of one group and the values that must be in it. All expectations are arithmetic: the message of rank r is
// the bytes of the ints payload_value(r, 0), payload_value(r, 1), ..., and every other byte of a buffer keeps the
// sentinel of that buffer.
#pragma once

#include "bytes.hpp"
#include "layouts.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gapless::lab {

class Buffers {
 public:
  // `packed_capacity_bytes` is the room a packed message may need (MPI_Pack_size can exceed the payload).
  Buffers(const Layout& layout, std::size_t packed_capacity_bytes, int rank);

  char* user_send() { return user_send_.data() + kGuard; }
  char* user_receive() { return user_receive_.data() + kGuard; }
  char* packed_send() { return packed_send_.data(); }
  char* packed_receive() { return packed_receive_.data(); }
  // Where the rivals that pack for themselves do so, both ways: one buffer stays warmer in the caches than two
  // (measured: a third of the time at 2.56 MB), and a rival deserves its best.
  char* scratch() { return packed_send_.data(); }
  int packed_capacity_bytes() const { return static_cast<int>(packed_send_.size()); }
  std::int64_t payload_bytes() const { return static_cast<std::int64_t>(payload_bytes_); }

  // What lies in the contiguous send buffer before a verified exchange.
  enum class Packed { kNothing, kOwnPayload, kPeersPayload };
  // Before a verified exchange: payload in the user's send buffer, sentinels everywhere else.
  void reset(Packed packed);
  // After it: every byte of the user's buffers, gaps and guards included. Says what is wrong, or nothing.
  std::optional<std::string> check_user() const;
  // The same for the contiguous receive buffer, and for the payload of this rank in the contiguous send buffer.
  std::optional<std::string> check_packed() const;
  std::optional<std::string> check_scratch() const;

 private:
  // Bytes before and after the layout that must stay untouched; a whole cache line keeps the alignment.
  static constexpr std::size_t kGuard = 64;

  std::size_t payload_bytes_;
  Bytes user_send_, user_receive_, packed_send_, packed_receive_;
  Bytes send_image_, receive_image_;         // what the user's buffers must hold
  Bytes packed_image_, peers_packed_image_;  // the payloads of both ranks, contiguous
};

}  // namespace gapless::lab
