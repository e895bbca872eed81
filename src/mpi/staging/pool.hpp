// The staging memory of the process: mapped from the kernel, capped, divided into blocks of a size class.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/staging/size_class.hpp"

namespace gapless::mpi {

constexpr int kBlocksInRegion = 64;

// One mapping: 1 to 64 blocks of a class. Described outside of the memory itself, which is so first touched by its
// user.
struct alignas(kBlocksInRegion) Region {
  char* data = nullptr;
  std::int64_t bytes = 0;   // of all blocks
  std::int64_t stride = 0;  // from one block to the next
  std::uint64_t all = 0;    // a bit for each block
  std::uint64_t free = 0;   // those that lie in the pool
  Region* next = nullptr;
  Region* previous = nullptr;
  int size_class = 0;
};

// A block, or none: its region's address plus its number, one word that threads can exchange.
class Block {
 public:
  Block() = default;
  Block(Region* region, int number) noexcept
      : word_(reinterpret_cast<std::uintptr_t>(region) + static_cast<std::uintptr_t>(number)) {}
  explicit operator bool() const noexcept { return word_ != 0; }
  int number() const noexcept { return static_cast<int>(word_ % kBlocksInRegion); }
  Region& region() const noexcept { return *reinterpret_cast<Region*>(word_ - word_ % kBlocksInRegion); }
  int size_class() const noexcept { return region().size_class; }
  void* data() const noexcept { return region().data + number() * region().stride; }

 private:
  std::uintptr_t word_ = 0;
};

// The blocks that one thread keeps. Only that thread puts blocks here; it takes them by an exchange, because whoever
// runs into the cap may take them, too.
struct Shelf {
  std::atomic<Block> slots[kFirstSlot[kAllClasses]];
  Shelf* next = nullptr;
  Shelf* previous = nullptr;
};

// Each takes the pool's lock, under which nothing runs but this and the kernel's mapping of memory. The lock is
// taken around a fork, so the child finds it free.
namespace pool {

// A block for `bytes` bytes, or none: no memory, or the cap (GAPLESS_POOL_BYTES, default 1G) would be exceeded even
// when all that lies idle, in the pool or on a shelf, is given back to the kernel. Then nothing was given back that
// lay in the pool.
//
// An isolated block is followed by kOverrun bytes of address space that nothing else uses. There are none where the
// kernel or a limit forbids to reserve so much of it, and kMaxWindows at most; at 4 GB each they are an eighth of what
// x86-64 has.
constexpr std::int64_t kMaxWindows = 4096;
Block take(std::int64_t bytes, bool isolated) noexcept;
void give(Block block) noexcept;

// Gives back the memory that was written behind an isolated block, in use by the caller. Cost: a call of the kernel.
void trim(Block block) noexcept;

// A shelf must be known before its first block, and is emptied when it goes.
void open(Shelf& shelf) noexcept;
void close(Shelf& shelf) noexcept;

// [bytes] GAPLESS_POOL_BYTES, asked once.
std::int64_t cap() noexcept;
// [bytes] of all blocks, idle ones too: what they take of the cap. Their descriptions, 64 bytes a region, come on top.
std::int64_t mapped_bytes() noexcept;

}  // namespace pool

}  // namespace gapless::mpi
