#include "mpi/staging/staging.hpp"

#include "base/per_thread.hpp"

namespace gapless::mpi {

namespace {

// A stack of blocks for each class. Places below `filled_` may be empty again: the pool took them.
class Cache {
 public:
  Cache() noexcept { pool::open(shelf_); }
  ~Cache() { pool::close(shelf_); }
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  Block pop(int size_class) noexcept {
    std::uint8_t& filled = filled_[size_class];
    Block block;
    while (filled > 0 && !block) block = slot(size_class, --filled).exchange(Block(), std::memory_order_acquire);
    return block;
  }

  // Returns the block that there is no place for, or none. It is never the new one, which is the warmest.
  Block push(Block block) noexcept {
    const int size_class = block.size_class();
    std::uint8_t& filled = filled_[size_class];
    if (filled == kept_by_a_thread(size_class)) {
      return slot(size_class, filled - 1).exchange(block, std::memory_order_acq_rel);
    }
    slot(size_class, filled++).store(block, std::memory_order_release);
    return Block();
  }

 private:
  std::atomic<Block>& slot(int size_class, int number) noexcept {
    return shelf_.slots[kFirstSlot[static_cast<std::size_t>(size_class)] + number];
  }
  std::uint8_t filled_[kAllClasses] = {};
  Shelf shelf_;
};

}  // namespace

bool Staging::reserve(std::int64_t bytes, bool isolated) noexcept {
  release();
  if (Cache* const cache = base::PerThread<Cache>::get(); cache != nullptr && bytes >= 0 && bytes <= kLargestBlock) {
    block_ = cache->pop(class_of(bytes, isolated));
  }
  if (!block_) block_ = pool::take(bytes, isolated);
  if (!block_) return false;
  data_ = block_.data();
  overrun_ = isolated;
  return true;
}

void Staging::release() noexcept {
  Block block = std::exchange(block_, Block());
  data_ = nullptr;
  if (!block) return;
  if (std::exchange(overrun_, false)) pool::trim(block);
  if (Cache* const cache = base::PerThread<Cache>::get(); cache != nullptr) block = cache->push(block);
  if (block) pool::give(block);
}

}  // namespace gapless::mpi
