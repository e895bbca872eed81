// Arguments of a collective call that the library refuses, and would accept when rewritten as bytes: such a call goes
// to it as it is. And the reverse: arguments that it refuses only when they are rewritten.
//
// Send and receive buffers that are the same memory: MPI forbids it; MPICH and Intel MPI raise MPI_ERR_BUFFER, before
// anything moves, where both have the same address, count and type; Open MPI does not check. What the program describes
// by two different types must not be refused because both are bytes.
#pragma once

#include <cstdint>

#include "preload/collectives/views.hpp"

namespace gapless::preload {

// True if the library checks for such buffers: asked of it once, in a call of our own.
bool refuses_aliases() noexcept;

// True if a side of one block begins where block `k` of a side of many does. For this the library takes blocks of
// `bytes` bytes as contiguous, whatever their type.
inline bool begins_at(const View& block, const View& blocks, std::int64_t k, std::int64_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(block.buffer) ==
         reinterpret_cast<std::uintptr_t>(blocks.buffer) +
             static_cast<std::uintptr_t>(k) * static_cast<std::uintptr_t>(bytes);
}

// True if the library refuses the two sides as the program gave them: all that it compares is equal.
inline bool is_refused(const View& block, const View& blocks, std::int64_t k, std::int64_t bytes) noexcept {
  return block.count > 0 && block.count == blocks.count && block.type == blocks.type &&
         begins_at(block, blocks, k, bytes) && refuses_aliases();
}

// The same of a v-collective; `bytes`: of the one block.
template <class Count, class Displacement>
bool is_refused(const View& block, const Views<Count, Displacement, MPI_Datatype>& blocks, int k,
                std::int64_t bytes) noexcept {
  return block.count > 0 && blocks.counts != nullptr && blocks.displacements != nullptr &&
         is_refused(block, {blocks.buffer, blocks.counts[k], blocks.types}, blocks.displacements[k],
                    bytes / block.count);
}

// True if it refuses two sides as `rewritten`, and would not as they were `given`.
inline bool is_wrongly_refused(const View& rewritten, const View& rewritten_blocks, const View& given,
                               const View& given_blocks, std::int64_t k) noexcept {
  return is_refused(rewritten, rewritten_blocks, k, rewritten.count) &&
         !is_refused(given, given_blocks, k, rewritten.count);
}

}  // namespace gapless::preload
