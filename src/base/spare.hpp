// Memory that is given up where there is none for something that must not fail.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace gapless::base {

// Address space alone, until it is asked for: no page of it is touched. Thread-safe.
class Spare {
 public:
  explicit constexpr Spare(std::int64_t bytes) noexcept : bytes_(bytes) {}
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;

  // Maps it, unless it is there. False: there is no room for it.
  bool keep() noexcept {
    if (is_kept()) return true;
    void* const made =
        mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return false;
    void* none = nullptr;
    if (!kept_.compare_exchange_strong(none, made)) unmap(made);
    return true;
  }
  bool is_kept() const noexcept { return kept_.load(std::memory_order_relaxed) != nullptr; }
  // True if it was there: what had no memory may try again.
  bool give_up() noexcept {
    void* const had = kept_.exchange(nullptr);
    if (had == nullptr) return false;
    unmap(had);
    return true;
  }

 private:
  void unmap(void* place) const noexcept { munmap(place, static_cast<std::size_t>(bytes_)); }
  const std::int64_t bytes_;
  std::atomic<void*> kept_{nullptr};
};

}  // namespace gapless::base
