// A message as a list of addresses and lengths, starting at any byte: for writev, process_vm_readv and RDMA verbs.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace gapless::move {

struct Piece {
  void* base;
  std::int64_t bytes;
};

struct Exported {
  std::int64_t pieces = 0;
  std::int64_t bytes = 0;  // in them
};

// Writes the maximal runs of (count, plan) at `buffer`, starting at byte `position` of its packed stream, in type-map
// order, `limit` pieces at most. The next call continues at position + bytes. Cost: logarithmic in the plan to find the
// position, then linear in the pieces.
Exported iov(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position, Piece* pieces,
             std::int64_t limit) noexcept;

}  // namespace gapless::move
