#include "mpi/pool.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "base/settings.hpp"

namespace gapless::mpi::pool {

namespace {

constexpr std::int64_t kDefaultCap = std::int64_t{1} << 30;
constexpr std::int64_t kDescriptions = 16 << 10;  // [bytes] of descriptions mapped at a time

// Everything below is guarded by `mutex` (`mapped` is only read without it). It is never destroyed: MPI is called even
// from static destructors.
constinit std::mutex mutex;
constinit Region* idle[kClasses] = {};     // every block in the pool
constinit Region* partial[kClasses] = {};  // some
constinit Region* unused = nullptr;        // descriptions of nothing
constinit Shelf* shelves = nullptr;
constinit std::int64_t idle_bytes = 0;
constinit std::atomic<std::int64_t> mapped{0};

std::int64_t cap() noexcept {
  static const std::int64_t bytes = base::setting_bytes("GAPLESS_POOL_BYTES", kDefaultCap);
  return bytes;
}

std::int64_t page() noexcept {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

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

char* map_pages(std::int64_t bytes) noexcept {
  void* const got =
      mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return got == MAP_FAILED ? nullptr : static_cast<char*>(got);
}

// Straight from the kernel, not from malloc: the program's heap stays as it would be without the layer, and large
// buffers can start at a huge page.
char* map(std::int64_t bytes) noexcept {
  const std::int64_t spare = bytes >= kHugePage ? kHugePage : 0;
  char* start = map_pages(bytes + spare);
  if (start != nullptr && spare != 0) {
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    const std::int64_t before = static_cast<std::int64_t>((kHugePage - address % kHugePage) % kHugePage);
    if (before != 0) munmap(start, static_cast<std::size_t>(before));
    if (spare != before) munmap(start + before + bytes, static_cast<std::size_t>(spare - before));
    start += before;
    madvise(start, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);  // a wish; refused where there are none
  }
  return start;
}

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

// Moves the region to the list where it belongs with those blocks free. With none it is in no list: its blocks know it.
void set_free(Region& region, std::uint64_t free) noexcept {
  if (region.free == region.all) idle_bytes -= region.bytes;
  if (region.free != 0) unlink(list_of(region), region);
  region.free = free;
  if (region.free != 0) link(list_of(region), region);
  if (region.free == region.all) idle_bytes += region.bytes;
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

// The least that serves: where the cap or the kernel leaves no room for as much as is usual, a slab is a block or a
// few, and a large buffer just what was asked for.
std::int64_t least_region(std::int64_t bytes) noexcept {
  const int size_class = class_of(bytes);
  return rounded_up(size_class < kSmallClasses ? class_bytes(size_class) : bytes, page());
}

std::int64_t usual_region(std::int64_t bytes) noexcept {
  const std::int64_t block = class_bytes(class_of(bytes));
  return rounded_up(std::max(block, std::min(kBlocksInRegion * block, kLargestSmall)), page());
}

// One more region, wholly idle; nullptr if there is no room for it.
Region* add_region(std::int64_t bytes) noexcept {
  const std::int64_t room = cap() - mapped.load(std::memory_order_relaxed);
  const std::int64_t usual = usual_region(bytes);
  const std::int64_t size = usual <= room ? usual : least_region(bytes);
  if (size > room) return nullptr;
  Region* const region = new_description();
  if (region == nullptr) return nullptr;
  char* const data = map(size);
  if (data == nullptr) {
    link(unused, *region);
    return nullptr;
  }
  mapped.fetch_add(size, std::memory_order_relaxed);
  // The class that the region can serve the next time: one below that of `bytes` if it is only just large enough.
  int size_class = class_of(bytes);
  while (class_bytes(size_class) > size || class_of(class_bytes(size_class)) != size_class) --size_class;
  const std::int64_t blocks =
      size_class < kSmallClasses ? std::min<std::int64_t>(kBlocksInRegion, size / class_bytes(size_class)) : 1;
  *region = Region{.data = data, .bytes = size, .size_class = size_class};
  region->all = ~std::uint64_t{0} >> (kBlocksInRegion - blocks);
  set_free(*region, region->all);
  return region;
}

void drop_region(Region& region) noexcept {
  set_free(region, 0);
  munmap(region.data, static_cast<std::size_t>(region.bytes));
  mapped.fetch_sub(region.bytes, std::memory_order_relaxed);
  link(unused, region);
}

// The smallest first: what is lost is the warmth of the fewest bytes.
bool drop_one_idle() noexcept {
  Region** const found = std::find_if(idle, idle + kClasses, [](Region* first) { return first != nullptr; });
  if (found == idle + kClasses) return false;
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
  for (std::atomic<Block>& place : shelf.places) {
    if (!place.load(std::memory_order_relaxed)) continue;
    if (const Block block = place.exchange(Block(), std::memory_order_acquire)) put_back(block);
  }
}

}  // namespace

Block take(std::int64_t bytes) noexcept {
  if (bytes < 0 || bytes > std::min(cap(), kLargestBlock)) return Block();
  const int size_class = class_of(bytes);
  const Lock lock;
  if (const Block block = take_idle(size_class)) return block;
  if (Region* const region = add_region(bytes)) return take_from(*region);
  for (Shelf* shelf = shelves; shelf != nullptr; shelf = shelf->next) clear(*shelf);
  if (const Block block = take_idle(size_class)) return block;
  if (mapped.load(std::memory_order_relaxed) - idle_bytes + least_region(bytes) > cap()) return Block();
  while (drop_one_idle()) {
    if (Region* const region = add_region(bytes)) return take_from(*region);
  }
  return Block();
}

void give(Block block) noexcept {
  const Lock lock;
  put_back(block);
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
