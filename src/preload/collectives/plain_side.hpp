// A side of a v- or w-call whose blocks are all contiguous: there is nothing to pack, and the call goes as the program
// gave it, where each process decides for itself. Most calls are such, and must cost next to nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "preload/collectives/pairing.hpp"

namespace gapless::preload {

// Of which blocks processes ask each other (pair_blocks).
struct Asked {
  // Of those at the other ends, nullptr if nothing goes through shared memory.
  std::vector<Asking>* asking;
  std::int64_t smallest, largest;  // [bytes]
};

template <class Many>
class PlainSide {
 public:
  PlainSide(const Call& call, const Many& side, const Asked& asked) noexcept
      : call_(call), side_(side), asked_(asked) {}
  // True if it is such a side, and no block is one of which processes ask each other. Adds its bytes to `bytes`.
  bool is_plain(std::int64_t& bytes) noexcept {
    if (side_.buffer == MPI_IN_PLACE || side_.counts == nullptr) return false;
    if constexpr (kIsTyped<Many>) {
      if (side_.types == nullptr) return false;
    }
    const int n = call_.members.size;
    for (int k = 0; k < n; ++k) {
      const std::int64_t block = bytes_of(k);
      if (block < 0 || __builtin_add_overflow(bytes, block, &bytes)) return false;
      if (!is_asked(k, block)) continue;
      if (!asking(k).is_silent(call_.procedure)) return false;
      any_asked_ = true;
    }
    return true;
  }
  // Where all sides of the call are: takes note of it for those at the other ends, who do the same.
  void keep_silent() noexcept {
    for (int k = 0; any_asked_ && k < call_.members.size; ++k) {
      if (is_asked(k, bytes_of(k))) asking(k).asks(call_.procedure);
    }
  }

 private:
  Asking& asking(int k) const noexcept { return (*asked_.asking)[static_cast<std::size_t>(k)]; }
  bool is_asked(int k, std::int64_t bytes) const noexcept {
    return asked_.asking != nullptr && k != call_.members.rank && bytes >= asked_.smallest && bytes <= asked_.largest;
  }
  // Of a contiguous block; otherwise -1.
  std::int64_t bytes_of(int k) noexcept {
    std::int64_t bytes = side_.counts[k];
    if (bytes == 0) return 0;  // the type of an empty block need not be valid
    std::int64_t element;
    if constexpr (kIsTyped<Many>) {
      element = element_of(side_.types[k]);
    } else {
      if (element_ == kUnknown) element_ = element_of(side_.types);
      element = element_;
    }
    return bytes > 0 && element >= 0 && !__builtin_mul_overflow(bytes, element, &bytes) ? bytes : -1;
  }
  // [bytes] Of a contiguous type; otherwise -1.
  static std::int64_t element_of(MPI_Datatype type) noexcept {
    const mpi::Datatype* const facts = mpi::remembered_type(type);
    const bool is_contiguous = facts != nullptr && facts->plan() != nullptr && facts->plan()->is_contiguous();
    return is_contiguous ? facts->plan()->size() : -1;
  }
  static constexpr std::int64_t kUnknown = -2;
  const Call& call_;
  const Many& side_;
  const Asked asked_;
  bool any_asked_ = false;
  std::int64_t element_ = kUnknown;  // where all blocks are of one type
};

// Calls `native(out, in)` and returns true if both sides of a call among all, which is prepared, are plain.
template <class Many, class Native>
bool exchange_plain(const Call& call, const Many& out, const Many& in, Native&& native, int& code) {
  if (policy.force) return false;
  Near* const near = may_exchange(call) ? call.members.near : nullptr;
  const bool asks = near != nullptr && near->channel != nullptr;
  const std::int64_t smallest = smallest_paired(Traffic::kExchange);
  PlainSide sent(call, out, {asks ? &near->towards : nullptr, smallest, INT64_MAX});
  PlainSide received(call, in, {asks ? &near->from : nullptr, smallest, INT64_MAX});
  std::int64_t bytes = 0;
  if (!sent.is_plain(bytes) || !received.is_plain(bytes)) return false;
  sent.keep_silent();
  received.keep_silent();
  count_contiguous(call, bytes);
  code = native(out, in, nullptr);
  return true;
}

// A v-side of few contiguous blocks as bytes: what Side does, for next to nothing.
template <class Many>
class FewAsBytes;
template <class Count, class Displacement>
class FewAsBytes<Views<Count, Displacement, MPI_Datatype>> {
 public:
  using Given = Views<Count, Displacement, MPI_Datatype>;
  FewAsBytes(const Given& given, int n) noexcept {
    const mpi::Datatype* const facts = mpi::remembered_type(given.types);
    if (n > kMax || policy.force || given.buffer == MPI_IN_PLACE || given.counts == nullptr ||
        given.displacements == nullptr || facts == nullptr || facts->plan() == nullptr ||
        !facts->plan()->is_contiguous() || facts->plan()->first_byte() != 0) {
      return;
    }
    const std::int64_t size = facts->plan()->size();
    for (int k = 0; k < n; ++k) {
      if (given.counts[k] < 0 || __builtin_mul_overflow(given.counts[k], size, &counts_[k]) ||
          __builtin_mul_overflow(given.displacements[k], size, &displacements_[k]) ||
          __builtin_add_overflow(bytes_, std::int64_t{counts_[k]}, &bytes_)) {
        return;
      }
    }
    const auto first = reinterpret_cast<std::intptr_t>(given.buffer);
    are_ = first >= kLowestAddress && bytes_ <= std::numeric_limits<Displacement>::max();
    view_ = {given.buffer, counts_, displacements_, MPI_BYTE};
  }
  FewAsBytes(const FewAsBytes&) = delete;
  FewAsBytes& operator=(const FewAsBytes&) = delete;
  // False if the blocks are others, or more than few.
  bool are() const noexcept { return are_; }
  const Given& view() const noexcept { return view_; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  static constexpr int kMax = 32;
  bool are_ = false;
  Count counts_[kMax];
  Displacement displacements_[kMax];
  std::int64_t bytes_ = 0;
  Given view_{};
};

}  // namespace gapless::preload
