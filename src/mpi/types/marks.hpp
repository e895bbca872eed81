// Which handles were committed and are not registered yet: all that a commit leaves behind.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gapless::mpi {

// A set of handles with one bit each (used or not), of fixed size: no lock, no allocation, a cache line looked at.
// All functions are for any number of threads at once; what one thread added, a thread that knows of it finds.
class Marks {
 public:
  enum class Use { kUnknown, kFirst, kAgain };

  // The handle is committed, and not used since. False: no room for it (its line holds eight others).
  bool add(std::uint64_t key) noexcept {
    Line& line = line_of(key);
    for (;;) {
      std::atomic<std::uint64_t>* free = nullptr;
      for (auto& slot : line.slots) {
        const std::uint64_t here = slot.load(std::memory_order_relaxed);
        if ((here & ~kUsed) == key) {
          if (here != key) slot.store(key, std::memory_order_relaxed);
          return true;
        }
        if (here == 0 && free == nullptr) free = &slot;
      }
      if (free == nullptr) return false;
      std::uint64_t empty = 0;
      if (free->compare_exchange_strong(empty, key, std::memory_order_relaxed)) return true;
    }
  }

  // Marks a use: the first one, a later one, or of an unknown handle.
  Use use(std::uint64_t key) noexcept {
    for (auto& slot : line_of(key).slots) {
      std::uint64_t here = slot.load(std::memory_order_relaxed);
      if (here == 0 || (here & ~kUsed) != key) continue;
      if (here != key) return Use::kAgain;
      return slot.compare_exchange_strong(here, key | kUsed, std::memory_order_relaxed) ? Use::kFirst : Use::kAgain;
    }
    return Use::kUnknown;
  }

  // The handle is known, and was not used yet.
  bool is_unused(std::uint64_t key) const noexcept {
    for (const auto& slot : line_of(key).slots) {
      if (slot.load(std::memory_order_relaxed) == key) return key != 0;
    }
    return false;
  }

  bool has(std::uint64_t key) const noexcept {
    for (const auto& slot : line_of(key).slots) {
      const std::uint64_t here = slot.load(std::memory_order_relaxed);
      if (here != 0 && (here & ~kUsed) == key) return true;
    }
    return false;
  }

  void remove(std::uint64_t key) noexcept {
    // Two threads that committed the same handle at the same time may have left it twice.
    for (auto& slot : line_of(key).slots) {
      std::uint64_t here = slot.load(std::memory_order_relaxed);
      while (here != 0 && (here & ~kUsed) == key) {
        if (slot.compare_exchange_weak(here, 0, std::memory_order_relaxed)) break;
      }
    }
  }

  void clear() noexcept {
    for (Line& line : lines_)
      for (auto& slot : line.slots) {
        // A read first: the pages that nobody wrote to stay the kernel's zero page.
        if (slot.load(std::memory_order_relaxed) != 0) slot.store(0, std::memory_order_relaxed);
      }
  }

 private:
  // Handles are numbers of 32 bits or addresses, so the top bit is free; none is 0.
  static constexpr std::uint64_t kUsed = std::uint64_t{1} << 63;
  static constexpr std::size_t kLines = 4096;  // 256 KiB of zeros, of which a program touches what it uses
  struct alignas(64) Line {
    std::array<std::atomic<std::uint64_t>, 8> slots{};
  };
  static std::size_t line_index(std::uint64_t key) noexcept {
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 52);
  }
  Line& line_of(std::uint64_t key) noexcept { return lines_[line_index(key)]; }
  const Line& line_of(std::uint64_t key) const noexcept { return lines_[line_index(key)]; }
  std::array<Line, kLines> lines_{};
  static_assert(kLines == std::size_t{1} << (64 - 52));
};

}  // namespace gapless::mpi
