// The staging memory of the process: mapped from the kernel, capped, divided into blocks of a size class.
#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/size_class.hpp"

namespace gapless::mpi {

constexpr int kBlocksInRegion = 64;

// One mapping: 1 to 64 blocks of a class. Described outside of the memory itself, which is so first touched by its
// user, and which a library that overruns a buffer (Open MPI does when it truncates) cannot turn into a broken list.
struct alignas(kBlocksInRegion) Region {
  char* data = nullptr;
  std::int64_t bytes = 0;
  std::uint64_t all = 0;   // a bit for each block
  std::uint64_t free = 0;  // those that lie in the pool
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
  void* data() const noexcept { return region().data + number() * class_bytes(size_class()); }

 private:
  std::uintptr_t word_ = 0;
};

// The blocks that one thread keeps. Only that thread puts blocks here; it takes them by an exchange, because whoever
// runs into the cap may take them, too.
struct Shelf {
  std::atomic<Block> places[kFirstPlace[kClasses]];
  Shelf* next = nullptr;
  Shelf* previous = nullptr;
};

// Each takes the pool's lock, under which nothing runs but this and the kernel's mmap, madvise and munmap. The lock is
// taken around a fork, so the child finds it free.
namespace pool {

// A block for `bytes` bytes, or none: no memory, or the cap (GAPLESS_POOL_BYTES, default 1G) would be exceeded even
// when all that lies idle, in the pool or on a shelf, is given back to the kernel. Then nothing was given back that
// lay in the pool.
Block take(std::int64_t bytes) noexcept;
void give(Block block) noexcept;

// A shelf must be known before its first block, and is emptied when it goes.
void open(Shelf& shelf) noexcept;
void close(Shelf& shelf) noexcept;

// [bytes] mapped for blocks. Their descriptions, 64 bytes a region, come on top and are not part of the cap.
std::int64_t mapped_bytes() noexcept;

}  // namespace pool

}  // namespace gapless::mpi
