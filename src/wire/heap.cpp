#include "wire/heap.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/pages.hpp"

namespace gapless::wire {

namespace {

constexpr std::int64_t kHuge = 2 << 20;  // [bytes] what a huge page has, if it is aligned to as much
// [bytes] of address space that a process keeps for the heaps of all peers, of the 128 TB that it has.
constexpr std::int64_t kMostReserved = std::int64_t{1} << 45;

// As long as all of the machine's memory, which nobody can fill.
std::int64_t bytes_to_reserve(int processes) noexcept {
  const std::int64_t memory = sysconf(_SC_PHYS_PAGES) * base::page_bytes();
  return base::rounded_up(std::min(memory, kMostReserved / processes), kHuge);
}

// Where memory is promised in advance, as much as is asked for may be there and the page that is touched may not: a
// signal, where malloc would have said no.
bool is_promised_in_advance() noexcept {
  const int file = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  char mode = '2';
  const bool is_read = file >= 0 && read(file, &mode, 1) == 1;
  if (file >= 0) close(file);
  return !is_read || mode == '2';
}

// The one of this process, for fork. Never destroyed: threads may be inside when the process ends.
std::atomic<Heap*> the_heap{nullptr};

}  // namespace

bool Heap::make(Segment& segment, std::string& why) {
  const std::lock_guard lock(mutex_);
  if (begin_ != nullptr) return true;
  const auto fail = [&](const char* what) {
    why = std::string(what) + (errno == 0 ? "" : std::string(": ") + std::strerror(errno));
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
    return false;
  };
  errno = 0;
  if (!segment.is_mapped_here()) return fail("a child of fork");
  if (is_promised_in_advance()) return fail("the system promises memory in advance (vm.overcommit_memory=2)");
  const std::int64_t bytes = bytes_to_reserve(segment.processes());
  if (is_limited(RLIMIT_FSIZE, bytes)) return fail("the size of files is limited (RLIMIT_FSIZE)");
  descriptor_ = memfd_create("gapless heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) return fail("no file in memory");
  descriptor_ = with_high_number(descriptor_);
  if (ftruncate(descriptor_, bytes) != 0 || fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    return fail("no file in memory");
  }
  // Where huge pages begin.
  void* const start = mmap(nullptr, static_cast<std::size_t>(bytes + kHuge), PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) return fail("no address space");
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  char* const aligned = static_cast<char*>(start) + (base::rounded_up(static_cast<std::int64_t>(address), kHuge) -
                                                     static_cast<std::int64_t>(address));
  if (mmap(aligned, static_cast<std::size_t>(bytes), PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor_,
           0) == MAP_FAILED) {
    munmap(start, static_cast<std::size_t>(bytes + kHuge));
    return fail("no address space");
  }
  segment_ = &segment;
  begin_ = aligned;
  file_ = FileIdentity::of(descriptor_);
  // Else a core would have all of it, holes filled.
  madvise(begin_, static_cast<std::size_t>(bytes), MADV_DONTDUMP);
  reserved_ = bytes;
  Segment::HeapOfProcess& own = segment.heap_of(segment.self());
  own.begin.store(reinterpret_cast<std::uintptr_t>(begin_), std::memory_order_relaxed);
  own.reserved.store(bytes, std::memory_order_relaxed);
  own.descriptor.store(descriptor_, std::memory_order_relaxed);
  own.device.store(file_.device, std::memory_order_relaxed);
  own.inode.store(file_.inode, std::memory_order_relaxed);
  the_heap.store(this, std::memory_order_release);
  is_shared_.store(true, std::memory_order_release);
  watch_forks();
  return true;
}

// The lowest hole that is long enough, or the end. With the lock held.
std::int64_t Heap::place_for(std::int64_t bytes) noexcept {
  const std::int64_t to = bytes >= kHuge ? kHuge : base::page_bytes();
  std::int64_t place = 0;
  for (const auto& [offset, length] : used_) {
    if (offset - place >= bytes) break;
    place = base::rounded_up(offset + length, to);
  }
  return place;
}

void* Heap::allocate(std::int64_t bytes) noexcept try {
  if (bytes <= 0 || bytes > reserved_) return nullptr;
  bytes = base::in_whole_pages(bytes);
  const std::lock_guard lock(mutex_);
  const std::int64_t place = place_for(bytes);
  if (!is_shared() || place > reserved_ - bytes) return nullptr;
  const auto inserted = used_.emplace(place, bytes).first;
  if (mprotect(begin_ + place, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) != 0) {
    used_.erase(inserted);
    return nullptr;
  }
  madvise(begin_ + place, static_cast<std::size_t>(bytes), MADV_DODUMP);
  if (bytes >= kHuge) madvise(begin_ + place, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  end_ = std::max(end_, place + bytes);
  segment_->heap_of(segment_->self()).end.store(end_, std::memory_order_release);
  return begin_ + place;
} catch (...) {
  return nullptr;
}

bool Heap::release(void* base) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = begin_ == nullptr ? used_.end() : used_.find(static_cast<char*>(base) - begin_);
  if (found == used_.end()) return false;
  const auto bytes = static_cast<std::size_t>(found->second);
  // Of a process that has forked the file has pages that the other one has not made private: only its own ones go.
  if (is_shared()) {
    // Locked pages go by the descriptor alone.
    if (!is_own_descriptor() ||
        fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, found->first, found->second) != 0) {
      madvise(base, bytes, MADV_REMOVE);
    }
    mprotect(base, bytes, PROT_NONE);
    madvise(base, bytes, MADV_DONTDUMP);
  } else {
    mmap(base, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  used_.erase(found);
  return true;
}

std::int64_t Heap::allocated_bytes() noexcept {
  const std::lock_guard lock(mutex_);
  std::int64_t sum = 0;
  for (const auto& [place, bytes] : used_) sum += bytes;
  return sum;
}

bool Heap::is_private(std::uint64_t address) const noexcept {
  return has_forked() && address - reinterpret_cast<std::uintptr_t>(begin_) < static_cast<std::uint64_t>(reserved_);
}

bool Heap::is_mapped_by(int process, std::uint64_t address, std::int64_t bytes) const noexcept {
  if (!is_shared()) return false;
  const std::uint64_t place = address - reinterpret_cast<std::uintptr_t>(begin_);
  const std::int64_t end = segment_->heap_mapped_by(process);
  return place < static_cast<std::uint64_t>(end) && bytes <= end - static_cast<std::int64_t>(place);
}

bool Heap::is_own_descriptor() const noexcept {
  return FileIdentity::of(descriptor_) == file_;
}

// A mapping is replaced at once: what another thread stores meanwhile is in the file before, or private after it. From
// the file, where nobody stores any more, come the pages that are not private yet.
void Heap::become_private() noexcept {
  is_private_.store(true, std::memory_order_release);
  is_shared_.store(false, std::memory_order_release);
  const bool has_file = is_own_descriptor();
  for (const auto& [place, length] : used_) {
    char* const at = begin_ + place;
    const auto bytes = static_cast<std::size_t>(length);
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    if (has_file && mmap(at, bytes, kAccess, MAP_PRIVATE | MAP_FIXED, descriptor_, place) != MAP_FAILED) continue;
    // Without it, a copy: what other threads store meanwhile may be lost.
    void* const copy = mmap(nullptr, bytes, kAccess, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) continue;
    std::memcpy(copy, at, bytes);
    mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
  }
}

void Heap::watch_forks() noexcept {
  static const int registered = pthread_atfork(
      [] {
        Heap& heap = *the_heap.load(std::memory_order_acquire);
        heap.lending_.lock();
        heap.mutex_.lock();
        if (heap.is_shared()) heap.become_private();
      },
      [] {
        Heap& heap = *the_heap.load(std::memory_order_acquire);
        heap.mutex_.unlock();
        heap.lending_.unlock();
      },
      [] {
        // Its one thread has another number than the one that has locked them.
        Heap& heap = *the_heap.load(std::memory_order_acquire);
        std::construct_at(&heap.mutex_);
        std::construct_at(&heap.lending_);
      });
  static_cast<void>(registered);
}

void PeerHeaps::map(Segment& segment, int process) noexcept {
  const std::lock_guard lock(mutex_);
  const Segment::HeapOfProcess& heap = segment.heap_of(process);
  Mapped& mapped = mapped_[process];
  const std::int64_t end = heap.end.load(std::memory_order_acquire), reserved = heap.reserved;
  const bool is_first = looked_at_[process].load(std::memory_order_relaxed) == 0;
  looked_at_[process].store(end, std::memory_order_relaxed);
  if (end > reserved || reserved > kMostReserved) return;
  if (is_first) {
    char name[64];
    std::snprintf(name, sizeof name, "/proc/%lld/fd/%d", static_cast<long long>(segment.pid_of(process)),
                  static_cast<int>(heap.descriptor));
    const int file = open(name, O_RDWR | O_CLOEXEC);
    // A program may have closed the descriptor, and given its number to another file.
    if (file >= 0 && FileIdentity::of(file) == FileIdentity{heap.device, heap.inode}) {
      void* const here =
          mmap(nullptr, static_cast<std::size_t>(reserved), PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
      if (here != MAP_FAILED) {
        madvise(here, static_cast<std::size_t>(reserved), MADV_DONTFORK);
        madvise(here, static_cast<std::size_t>(reserved), MADV_DONTDUMP);
        mapped.reserved = reserved;
        mapped.here.store(static_cast<char*>(here), std::memory_order_release);
      }
    }
    if (file >= 0) close(file);
  }
  char* const here = mapped.here.load(std::memory_order_relaxed);
  if (here == nullptr || mprotect(here, static_cast<std::size_t>(end), PROT_READ | PROT_WRITE) != 0) return;
  mapped.end.store(end, std::memory_order_release);
  segment.set_heap_mapped(process, end);
}

char* PeerHeaps::find(Segment& segment, int process, std::uint64_t address, std::int64_t bytes) const noexcept {
  const Mapped& mapped = mapped_[process];
  const std::int64_t end = mapped.end.load(std::memory_order_acquire);
  if (end == 0) return nullptr;
  const std::uint64_t place = address - segment.heap_of(process).begin.load(std::memory_order_relaxed);
  if (bytes < 0 || place >= static_cast<std::uint64_t>(end) || bytes > end - static_cast<std::int64_t>(place))
    return nullptr;
  return mapped.here.load(std::memory_order_relaxed) + place;
}

void PeerHeaps::unmap(Segment& segment) noexcept {
  const std::lock_guard lock(mutex_);
  for (int process = 0; process < segment.processes(); ++process) {
    Mapped& mapped = mapped_[process];
    char* const here = mapped.here.exchange(nullptr, std::memory_order_relaxed);
    if (here == nullptr) continue;
    segment.set_heap_mapped(process, 0);
    looked_at_[process].store(0, std::memory_order_relaxed);
    mapped.end.store(0, std::memory_order_release);
    munmap(here, static_cast<std::size_t>(mapped.reserved));
  }
}

}  // namespace gapless::wire
