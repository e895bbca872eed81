// The memory of one group and the values that must be in it: the payload of each rank by payload.hpp, and in every
// other byte of a buffer the sentinel of that buffer.
#pragma once

#include "bytes.hpp"
#include "case.hpp"
#include "payload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace gapless::lab {

class Buffers {
 public:
  // `packed_capacity_bytes` is the room a packed message may need (MPI_Pack_size can exceed the payload).
  Buffers(const Subject& subject, std::size_t packed_capacity_bytes, int rank);

  // Displacement 0 of the types, which may lie before the memory.
  char* user_send() { return send_.displacement_0(); }
  char* user_receive() { return receive_.displacement_0(); }
  char* packed_send() { return packed_send_.data(); }
  char* packed_receive() { return packed_receive_.data(); }
  // Where the rivals that pack for themselves do so, both ways: one buffer stays warmer in the caches than two
  // (measured: a third of the time at 2.56 MB), and a rival deserves its best.
  char* scratch() { return packed_send_.data(); }
  int packed_capacity_bytes() const { return static_cast<int>(packed_send_.size()); }
  std::int64_t payload_bytes() const { return contiguous_.bytes(); }

  // What a program does before it sends: gives its data values that they never had, in the user's memory or where it
  // lies contiguous. The other rank must do the same, or skip(), as often.
  void write_user() { send_.places.write(user_send(), rank_, ++version_); }
  void write_packed() { contiguous_.write(packed_send(), rank_, ++version_); }
  void skip() { ++version_; }

  // What lies in the contiguous send buffer before a verified exchange.
  enum class Packed { kNothing, kOwnPayload, kPeersPayload };
  // Before a verified exchange: payload in the user's send buffer, sentinels everywhere else.
  void reset(Packed packed);
  // After it: every byte of the user's buffers, gaps and guards included; the data must be of the last version. Says
  // what is wrong, or nothing. What was received is gone then.
  std::optional<std::string> check_user();
  // The same for the contiguous receive buffer, and for the payload of this rank in the contiguous send buffer.
  std::optional<std::string> check_packed() const;
  std::optional<std::string> check_scratch() const;

 private:
  // Memory of one end, as much of its array as the message spans.
  struct Memory {
    Memory(const std::vector<ByteRun>& runs, std::int64_t origin_bytes, char sentinel);
    char* displacement_0();
    // What is wrong; writes sentinels over the payload.
    std::optional<std::string> take(const char* name, int rank, std::uint32_t version);
    PayloadPlaces places;
    std::int64_t offset;  // of displacement 0
    char gap;
    Bytes bytes;
  };

  int rank_;
  std::uint32_t version_ = 0;
  Memory send_, receive_;
  PayloadPlaces contiguous_;
  Bytes packed_send_, packed_receive_;
};

}  // namespace gapless::lab
