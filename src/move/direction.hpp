// Pack and unpack are one traversal; a direction says which side is the destination, and how far the memory is.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernel/caches.hpp"
#include "plan/step.hpp"

namespace gapless::move {

using kernel::Locality;

// Shorter transfers do not repay the start and the end of a far one [bytes].
inline constexpr std::int64_t kMinFar = 4096;

// A type may hold addresses and the buffer be null (MPI_BOTTOM), on which pointer arithmetic is undefined.
template <class Pointer>
Pointer at(Pointer buffer, std::int64_t displacement) noexcept {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::uintptr_t>(buffer) +
                                   static_cast<std::uintptr_t>(displacement));
}

// A list as kernels read it; the caller adds the shift. Lengths have none.
inline kernel::List list(const base::Numbers& numbers) noexcept {
  return {numbers.data(), numbers.scale()};
}

// `kAhead`: what is packed from beyond the caches stays in them.
template <bool kPack, Locality kLocality, bool kAhead = false>
struct Direction {
  static constexpr bool kNear = kLocality == Locality::kNear;
  using User = std::conditional_t<kPack, const char*, char*>;
  using Packed = std::conditional_t<kPack, char*, const char*>;

  // The packed stream is dense, so no order of traversal can write a byte twice. In user memory, where runs may
  // overlap, only type-map order lets the last one win.
  static bool any_order(bool disjoint) noexcept { return kPack || disjoint; }

  static void bytes(User user, Packed packed, std::int64_t n) noexcept {
    char* const dst =
        kPack ? const_cast<char*>(static_cast<const char*>(packed)) : const_cast<char*>(static_cast<const char*>(user));
    const char* const src = kPack ? static_cast<const char*>(user) : static_cast<const char*>(packed);
    if (!kNear && n >= kMinFar)
      kernel::chosen().far_copy(dst, src, n);
    else if (kernel::kMinNear <= n && (n <= kernel::kMaxNear || kernel::crawls(dst, src)))
      kernel::chosen().near_copy(dst, src, n);
    else
      std::memcpy(dst, src, static_cast<std::size_t>(n));
  }
  static void nest(const kernel::NestKernel& kernel, User user, Packed packed, const kernel::Nest& nest) noexcept {
    if constexpr (kAhead) {
      kernel::Nest ahead = nest;
      ahead.ahead = true;
      kernel.pack[kAt](packed, user, ahead);
    } else if constexpr (kPack) {
      kernel.pack[kAt](packed, user, nest);
    } else {
      kernel.unpack[kAt](user, packed, nest);
    }
  }
  // A transposition writes whole lines and never returns to one, so writing past the caches pays earlier than
  // elsewhere.
  static void transpose(const kernel::NestKernel& kernel, User user, Packed packed, const kernel::Nest& nest) noexcept {
    const bool past = 4 * nest.block * nest.inner_count * nest.outer_count >= kernel::far_bytes();
    if constexpr (kPack)
      kernel.pack[past](packed, user, nest);
    else
      kernel.unpack[past](user, packed, nest);
  }
  static void pattern(const kernel::Pattern& pattern, User user, Packed packed, std::int64_t count,
                      std::int64_t stride) noexcept {
    const kernel::PatternKernel& kernel = kernel::chosen().pattern;
    if constexpr (kPack)
      kernel.pack[kAt](packed, user, pattern, count, stride);
    else
      kernel.unpack[kAt](user, packed, pattern, count, stride);
  }
  static void listed(const plan::Step& step, User user, Packed packed, std::int64_t first,
                     std::int64_t count) noexcept {
    user += step.offsets.shift();
    if constexpr (kPack)
      step.listed->pack[step.far](packed, user, list(step.offsets), first, count, step.block);
    else
      step.listed->unpack[step.far](user, packed, list(step.offsets), first, count, step.block);
  }
  static void runs(const plan::Step& step, User user, Packed packed, std::int64_t first, std::int64_t count) noexcept {
    user += step.offsets.shift();
    if constexpr (kPack)
      step.runs->pack[step.far](packed, user, list(step.offsets), list(step.lengths), first, count);
    else
      step.runs->unpack[step.far](user, packed, list(step.offsets), list(step.lengths), first, count);
  }

 private:
  static constexpr auto kAt = static_cast<std::size_t>(kLocality);
};

}  // namespace gapless::move
