// What the library refuses in a collective call as the program described it, and would not see in bytes. Such a call
// goes to it as it is.
//
// Send and receive buffers that are the same memory: MPI forbids it; MPICH and Intel MPI raise MPI_ERR_BUFFER, before
// anything moves, where both are the same address, count and type; Open MPI does not look. And what the program
// describes by two types must not look like one when both are bytes.
#pragma once

#include "preload/collectives/collective.hpp"

namespace gapless::preload {

// Whether the library looks at such buffers at all: asked of it once, in a call of our own.
bool refuses_aliases() noexcept;
// Whether it refuses a type: one that is not committed. Asked each time, of types that were never seen committed.
bool refuses_type(MPI_Datatype type) noexcept;

// Whether a side of one block begins where block `k` of a side of many does. The library takes blocks of `bytes` bytes
// for contiguous when it asks this, whatever their type.
inline bool begins_at(const View& block, const View& blocks, std::int64_t k, std::int64_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(block.buffer) ==
         reinterpret_cast<std::uintptr_t>(blocks.buffer) +
             static_cast<std::uintptr_t>(k) * static_cast<std::uintptr_t>(bytes);
}

// Whether the library refuses two sides as the program gave them: all that it compares is equal.
inline bool is_refused(const View& block, const View& blocks, std::int64_t k, std::int64_t bytes) noexcept {
  return block.count > 0 && block.count == blocks.count && block.type == blocks.type &&
         begins_at(block, blocks, k, bytes) && refuses_aliases();
}

// The same of block k of varying ones; `bytes`: that the one block holds.
template <class Count, class Place>
bool is_refused_at(const Views<Count, Place>& blocks, int k, const View& block, std::int64_t bytes) noexcept {
  return block.count > 0 && blocks.counts != nullptr && blocks.places != nullptr &&
         is_refused(block, {blocks.buffer, blocks.counts[k], blocks.type}, blocks.places[k], bytes / block.count);
}

// Whether it would refuse two sides as bytes, `said`, which it would not as they were `given`.
inline bool is_wrongly_refused(const View& said, const View& said_blocks, const View& given, const View& given_blocks,
                               std::int64_t k) noexcept {
  return is_refused(said, said_blocks, k, said.count) && !is_refused(given, given_blocks, k, said.count);
}

}  // namespace gapless::preload
