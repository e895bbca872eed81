// Runs a plan: moves the bytes of `count` elements at `buffer`, in type-map order, to or from a packed stream.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace gapless::move {

// Copies the bytes [position, position + budget) of the packed stream of (count, plan) at `buffer`, or those up to its
// end, to `packed`, where the byte at `position` goes. Returns the number of bytes moved.
// No byte of `packed` beyond them is written. Cost to find `position`: logarithmic in the size of the plan.
std::int64_t pack(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, void* packed,
                  std::int64_t budget) noexcept;

// The same, through the caches whatever the size.
std::int64_t pack_near(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position,
                       void* packed, std::int64_t budget) noexcept;

// The reverse: `packed` holds the stream's bytes, starting at `position`. No byte outside the type's runs is written,
// not even with its old value: another thread may own it. If runs overlap, the last one in type-map order wins.
std::int64_t unpack(const plan::Plan& plan, std::int64_t count, void* buffer, std::int64_t position, const void* packed,
                    std::int64_t budget) noexcept;

// For whole messages of plan.size() * count bytes, one or more, without the checks that parts need. The product does
// not overflow.
void pack_all(const plan::Plan& plan, std::int64_t count, const void* buffer, void* packed) noexcept;
void unpack_all(const plan::Plan& plan, std::int64_t count, void* buffer, const void* packed) noexcept;

}  // namespace gapless::move
