// A heap of this process that the other processes of its node can map, so that messages in it are copied by loads and
// stores: what MPI_Alloc_mem hands out under the layer.
//
// One file without a name, with holes as long as the address space that is kept for it: memory is what is touched, as
// with any heap. Peers open it by this process's descriptor (/proc/PID/fd), and map as much of it as was ever handed
// out; where that lies in the file never changes, so what is freed and handed out again is theirs at once.
//
// fork must give the child a copy of the memory, not a share in it. So when a process forks, what it has there becomes
// private: the same pages, but from the first store on copies. No other process sees what it stores there any more. The
// pages of the file stay, so in time it has twice the memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "wire/segment.hpp"

namespace gapless::wire {

class Heap {
 public:
  // True if it could be made, and the others know of it; else why not. Once in a process.
  bool make(Segment& segment, std::string& why);

  // Zeroed memory of whole pages, or nullptr: there is no room, or the process has forked.
  void* allocate(std::int64_t bytes) noexcept;
  // False: it is none of this heap's. The memory goes back to the system.
  bool release(void* base) noexcept;
  std::int64_t allocated_bytes() noexcept;

  // True once memory became private, because the process forked; and of such memory: what others have mapped there is
  // not what it has.
  bool has_forked() const noexcept { return is_private_.load(std::memory_order_acquire); }
  bool is_private(std::uint64_t address) const noexcept;
  // True if `process` has mapped all of these bytes.
  bool is_mapped_by(int process, std::uint64_t address, std::int64_t bytes) const noexcept;
  // To be held from asking that until another process has stored into this heap: it does not become private meanwhile.
  std::shared_lock<std::shared_mutex> lend() { return std::shared_lock(lending_); }

 private:
  bool is_shared() const noexcept { return is_shared_.load(std::memory_order_acquire); }
  std::int64_t place_for(std::int64_t bytes) noexcept;
  void become_private() noexcept;
  bool is_own_descriptor() const noexcept;
  static void watch_forks() noexcept;

  Segment* segment_ = nullptr;
  char* begin_ = nullptr;
  std::int64_t reserved_ = 0;
  int descriptor_ = -1;
  FileIdentity file_;
  std::atomic<bool> is_shared_{false}, is_private_{false};
  std::shared_mutex lending_;
  std::mutex mutex_;
  std::map<std::int64_t, std::int64_t> used_;  // offset → bytes, whole pages
  std::int64_t end_ = 0;                       // of all that was ever handed out
};

// What this process has mapped of the heaps of its peers.
class PeerHeaps {
 public:
  // Maps what is new in that of `process`, and lets it know. Cost without anything new: two loads.
  void look_at(Segment& segment, int process) noexcept {
    if (segment.heap_of(process).end.load(std::memory_order_acquire) >
        looked_at_[process].load(std::memory_order_relaxed))
      map(segment, process);
  }
  // Where these bytes of its heap are here; nullptr: not mapped as a whole.
  char* find(Segment& segment, int process, std::uint64_t address, std::int64_t bytes) const noexcept;
  // All of them; their owners know, and may end before this process does.
  void unmap(Segment& segment) noexcept;

 private:
  void map(Segment& segment, int process) noexcept;
  struct Mapped {
    std::atomic<char*> here{nullptr};
    std::atomic<std::int64_t> end{0};  // accessible
    std::int64_t reserved = 0;
  };
  std::mutex mutex_;
  Mapped mapped_[kMaxProcesses];
  std::atomic<std::int64_t> looked_at_[kMaxProcesses] = {};  // also of what cannot be mapped
};

}  // namespace gapless::wire
