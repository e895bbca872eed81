// Memory on page boundaries, and the caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace gapless::bench {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::int64_t kLineBytes = 64;

// Whole pages, written once: no page fault is left for the first measurement.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::size_t size_;
  std::unique_ptr<char, Free> data_;
};

// Size of the largest data cache of this processor [bytes]; 32 MB where the system does not say.
std::int64_t last_cache_bytes();

// Leaves nothing of `pages` in any cache: with the processor's instruction for it, or else by reading through twice
// the last cache.
void flush(const Pages& pages);

}  // namespace gapless::bench
