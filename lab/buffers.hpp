// The memory of one group and the values that must be in it. All expectations are arithmetic: element i of the message
// of rank r has the value payload_value(r, i), and every other element of a buffer keeps the sentinel of that buffer.
#pragma once

#include "layouts.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

namespace gapless::lab {

// Ints on a cache-line boundary.
class AlignedInts {
 public:
  explicit AlignedInts(std::size_t count);
  int* data() { return data_.get(); }
  const int* data() const { return data_.get(); }
  std::size_t count() const { return count_; }
  void fill(int value);
  void copy_from(const AlignedInts& other);

 private:
  struct Free {
    void operator()(int* p) const { std::free(p); }
  };
  std::unique_ptr<int, Free> data_;
  std::size_t count_;
};

class Buffers {
 public:
  // `packed_capacity_bytes` is the room a packed message may need (MPI_Pack_size can exceed the payload).
  Buffers(const Layout& layout, std::size_t packed_capacity_bytes, int rank);

  int* user_send() { return user_send_.data() + kGuard; }
  int* user_receive() { return user_receive_.data() + kGuard; }
  int* packed_send() { return packed_send_.data(); }
  int* packed_receive() { return packed_receive_.data(); }
  // Where the rivals that pack for themselves do so, both ways: one buffer stays warmer in the caches than two
  // (measured: a third of the time at 2.56 MB), and a rival deserves its best.
  int* scratch() { return packed_send_.data(); }
  int packed_capacity_bytes() const { return static_cast<int>(packed_send_.count() * kBaseBytes); }

  // Before a verified exchange: payload in the user's send buffer, sentinels everywhere else. With
  // `payload_is_packed` the contiguous send buffer holds the payload as well (for the contiguous method).
  void reset(bool payload_is_packed);
  // After it: every element of the user's buffers, gaps and guards included. Says what is wrong, or nothing.
  std::optional<std::string> check_user() const;
  // The same for the contiguous receive buffer.
  std::optional<std::string> check_packed() const;

 private:
  // Elements before and after the layout that must stay untouched; a whole cache line keeps the alignment.
  static constexpr std::size_t kGuard = 16;

  std::size_t payload_elements_;
  int peer_;
  AlignedInts user_send_, user_receive_, packed_send_, packed_receive_;
  AlignedInts send_image_, receive_image_;  // what the user's buffers must hold
  AlignedInts packed_image_;                // the payload of this rank, contiguous
};

}  // namespace gapless::lab
