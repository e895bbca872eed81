// Packed bytes that their sender describes as two pieces of memory, so that the library sends them as it sends a
// message with gaps.
//
// Open MPI 5 has a long contiguous message copied by its receiver, through a system call (process_vm_readv), and copies
// one with gaps into its own shared memory, in fragments: which is faster depends on what the call costs, and on the
// length. `gapless tune` measures the range in which it gains (docs/tuning.md).
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "mpi/abi/abi.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::preload {

class TwoPieces {
 public:
  TwoPieces() = default;
  ~TwoPieces() { forget(); }
  TwoPieces(const TwoPieces&) = delete;
  TwoPieces& operator=(const TwoPieces&) = delete;
  TwoPieces(TwoPieces&& other) noexcept { *this = std::move(other); }
  TwoPieces& operator=(TwoPieces&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }

  // [bytes] The second piece, and the gap before it.
  static constexpr std::int64_t kTail = 16, kGap = 64;
  // So many packed bytes, more than kTail. False: no memory. A type is made for each message, which costs little where
  // two pieces gain, and no table of types outlives the calls.
  bool describe(std::int64_t bytes) noexcept;
  bool is_described() const noexcept { return type_ != MPI_DATATYPE_NULL; }
  // One element of it is the message.
  MPI_Datatype type() const noexcept { return type_; }
  // After the call: what is on its way keeps the type.
  void forget() noexcept {
    if (is_described()) mpi::library.Type_free(&type_);
  }
  // Puts bytes that lie in a row where the type has them: needs kGap bytes more behind them.
  static void part(char* packed, std::int64_t bytes) noexcept {
    char* const tail = packed + bytes - kTail;
    std::memcpy(tail + kGap, tail, kTail);
  }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace gapless::preload
