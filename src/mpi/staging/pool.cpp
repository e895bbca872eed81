#include "mpi/staging/pool.hpp"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/pages.hpp"
#include "base/settings.hpp"
#include "mpi/staging/mapping.hpp"

namespace gapless::mpi::pool {

std::int64_t cap() noexcept {
  constexpr std::int64_t kDefaultCap = std::int64_t{1} << 30;
  static const std::int64_t bytes = base::setting_bytes("GAPLESS_POOL_BYTES", kDefaultCap);
  return bytes;
}

namespace {

constexpr std::int64_t kDescriptions = 16 << 10;  // [bytes] of descriptions mapped at a time

// Everything below is guarded by `mutex` (`mapped` is only read without it). It is never destroyed: MPI is called even
// from static destructors.
constinit std::mutex mutex;
constinit Region* idle[kAllClasses] = {};     // every block in the pool
constinit Region* partial[kAllClasses] = {};  // some
constinit Region* unused = nullptr;           // descriptions of nothing
constinit Shelf* shelves = nullptr;
constinit std::int64_t idle_bytes = 0;
constinit std::int64_t windows = 0, idle_windows = 0;
constinit bool windows_refused = false;  // by the kernel, once: it is not asked again
constinit std::atomic<std::int64_t> mapped{0};

class Lock {
 public:
  Lock() noexcept {
    static const int registered = pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
    (void)registered;
    mutex.lock();
  }
  ~Lock() { mutex.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

Region*& list_of(const Region& region) noexcept {
  return (region.free == region.all ? idle : partial)[region.size_class];
}

template <class T>
void link(T*& first, T& item) noexcept {
  item.next = first;
  item.previous = nullptr;
  if (first != nullptr) first->previous = &item;
  first = &item;
}

template <class T>
void unlink(T*& first, T& item) noexcept {
  (item.previous != nullptr ? item.previous->next : first) = item.next;
  if (item.next != nullptr) item.next->previous = item.previous;
}

std::int64_t windows_of(const Region& region) noexcept {
  return is_isolated(region.size_class) ? std::popcount(region.all) : 0;
}

// Counts the region as idle, or no longer.
void count_idle(const Region& region, int sign) noexcept {
  if (region.free != region.all) return;
  idle_bytes += sign * region.bytes;
  idle_windows += sign * windows_of(region);
}

// Moves the region to the list where it belongs with those blocks free. With none it is in no list: its blocks know it.
void set_free(Region& region, std::uint64_t free) noexcept {
  count_idle(region, -1);
  if (region.free != 0) unlink(list_of(region), region);
  region.free = free;
  if (region.free != 0) link(list_of(region), region);
  count_idle(region, 1);
}

Region* new_description() noexcept {
  if (unused == nullptr) {
    char* const memory = map_pages(kDescriptions);
    if (memory == nullptr) return nullptr;
    for (std::int64_t at = 0; at < kDescriptions; at += sizeof(Region)) link(unused, *new (memory + at) Region);
  }
  Region* const region = unused;
  unlink(unused, *region);
  return region;
}

// The bytes that one block takes of a region, in memory.
std::int64_t block_bytes(std::int64_t bytes, int size_class) noexcept {
  const std::int64_t block = not_isolated(size_class) < kSmallClasses ? class_bytes(size_class) : bytes;
  return is_isolated(size_class) ? base::in_whole_pages(block) : block;
}

// The least that serves: where the cap or the kernel leaves no room for as much as is usual, a slab is a block or a
// few, and a large buffer just what was asked for.
std::int64_t least_region(std::int64_t bytes, int size_class) noexcept {
  return base::in_whole_pages(block_bytes(bytes, size_class));
}

std::int64_t usual_region(int size_class) noexcept {
  const std::int64_t block = block_bytes(class_bytes(size_class), size_class);
  return base::in_whole_pages(std::max(block, std::min(kBlocksInRegion * block, kLargestSmall)));
}

// One more region, wholly idle; nullptr if there is no room for it.
Region* add_region(std::int64_t bytes, int size_class) noexcept {
  const std::int64_t room = cap() - mapped.load(std::memory_order_relaxed);
  const bool alone = is_isolated(size_class);
  std::int64_t size = usual_region(size_class);
  const auto blocks = [&] {
    if (not_isolated(size_class) >= kSmallClasses) return std::int64_t{1};
    return std::min<std::int64_t>(kBlocksInRegion, size / block_bytes(bytes, size_class));
  };
  if (size > room || (alone && windows + blocks() > kMaxWindows)) size = least_region(bytes, size_class);
  if (size > room || (alone && windows + blocks() > kMaxWindows)) return nullptr;
  Region* const region = new_description();
  if (region == nullptr) return nullptr;
  const std::int64_t block = block_bytes(size, size_class), stride = alone ? window_bytes(block) : block;
  char* const data = alone ? map_windows(blocks(), block) : map_buffers(size);
  if (data == nullptr) {
    if (alone) windows_refused = true;
    link(unused, *region);
    return nullptr;
  }
  const std::int64_t number = blocks();
  // The class that the region can serve the next time: one below that of `bytes` if it is only just large enough.
  int serves = not_isolated(size_class);
  while (class_bytes(serves) > size || class_of(class_bytes(serves)) != serves) --serves;
  mapped.fetch_add(size, std::memory_order_relaxed);
  *region = Region{.data = data, .bytes = size, .stride = stride, .size_class = alone ? isolated(serves) : serves};
  region->all = ~std::uint64_t{0} >> (kBlocksInRegion - number);
  windows += windows_of(*region);
  set_free(*region, region->all);
  return region;
}

void drop_region(Region& region) noexcept {
  set_free(region, 0);
  windows -= windows_of(region);
  unmap(region.data, is_isolated(region.size_class) ? windows_of(region) * region.stride : region.bytes);
  mapped.fetch_sub(region.bytes, std::memory_order_relaxed);
  link(unused, region);
}

// The smallest first: what is lost is the warmth of the fewest bytes. Where windows are wanted only those with windows.
bool drop_one_idle(bool only_windows) noexcept {
  Region** const end = idle + kAllClasses;
  Region** const found =
      std::find_if(idle + (only_windows ? kClasses : 0), end, [](Region* first) { return first != nullptr; });
  if (found == end) return false;
  drop_region(**found);
  return true;
}

Block take_from(Region& region) noexcept {
  const int number = std::countr_zero(region.free);
  set_free(region, region.free & (region.free - 1));
  return Block(&region, number);
}

Block take_idle(int size_class) noexcept {
  Region* const region = partial[size_class] != nullptr ? partial[size_class] : idle[size_class];
  return region != nullptr ? take_from(*region) : Block();
}

void put_back(Block block) noexcept {
  Region& region = block.region();
  set_free(region, region.free | std::uint64_t{1} << block.number());
}

void clear(Shelf& shelf) noexcept {
  for (std::atomic<Block>& slot : shelf.slots) {
    if (!slot.load(std::memory_order_relaxed)) continue;
    if (const Block block = slot.exchange(Block(), std::memory_order_acquire)) put_back(block);
  }
}

}  // namespace

Block take(std::int64_t bytes, bool isolated) noexcept {
  if (bytes < 0) return Block();
  if (isolated) bytes = std::max(bytes, kSmallestIsolated);
  if (bytes > std::min(cap(), kLargestBlock)) return Block();
  const int size_class = class_of(bytes, isolated);
  const Lock lock;
  if (const Block block = take_idle(size_class)) return block;
  if (isolated && windows_refused) return Block();
  if (Region* const region = add_region(bytes, size_class)) return take_from(*region);
  if (isolated && windows_refused) return Block();
  for (Shelf* shelf = shelves; shelf != nullptr; shelf = shelf->next) clear(*shelf);
  if (const Block block = take_idle(size_class)) return block;
  if (mapped.load(std::memory_order_relaxed) - idle_bytes + least_region(bytes, size_class) > cap()) return Block();
  if (isolated && windows - idle_windows >= kMaxWindows) return Block();
  while (drop_one_idle(isolated && windows >= kMaxWindows)) {
    if (Region* const region = add_region(bytes, size_class)) return take_from(*region);
  }
  return Block();
}

void give(Block block) noexcept {
  const Lock lock;
  put_back(block);
}

void trim(Block block) noexcept {
  const Region& region = block.region();
  const std::int64_t kept = base::in_whole_pages(block_bytes(region.bytes, region.size_class));
  discard(static_cast<char*>(block.data()) + kept, region.stride - kept);
}

void open(Shelf& shelf) noexcept {
  const Lock lock;
  link(shelves, shelf);
}

void close(Shelf& shelf) noexcept {
  const Lock lock;
  clear(shelf);
  unlink(shelves, shelf);
}

std::int64_t mapped_bytes() noexcept {
  return mapped.load(std::memory_order_relaxed);
}

}  // namespace gapless::mpi::pool
