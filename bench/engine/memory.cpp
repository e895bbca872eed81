#include "memory.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <new>
#include <string>
#include <vector>

namespace gapless::bench {

Pages::Pages(std::size_t bytes) : size_((std::max<std::size_t>(bytes, 1) + kPageBytes - 1) / kPageBytes * kPageBytes) {
  data_.reset(static_cast<char*>(std::aligned_alloc(kPageBytes, size_)));
  if (!data_) throw std::bad_alloc();
  std::memset(data_.get(), 1, size_);
}

// From the kernel's tables: sysconf() of glibc 2.36 says 320 MB for the 32 MB of a virtual AMD EPYC 9004.
std::int64_t last_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::int64_t size = 0;
    char unit = '\0';
    if (!(file >> size)) continue;
    if (file >> unit) size *= unit == 'M' ? 1 << 20 : 1 << 10;
    largest = std::max(largest, size);
  }
  return largest > 0 ? largest : std::int64_t{32} << 20;
}

void flush(const Pages& pages) {
#if defined(__x86_64__)
  for (std::size_t at = 0; at < pages.size(); at += kLineBytes)
    asm volatile("clflush %0" : : "m"(pages.data()[at]) : "memory");
  asm volatile("mfence" : : : "memory");
#else
  static const std::vector<char> other(static_cast<std::size_t>(2 * last_cache_bytes()), 1);
  for (std::size_t at = 0; at < other.size(); at += kLineBytes) asm volatile("" : : "r"(other[at]) : "memory");
  (void)pages;
#endif
}

}  // namespace gapless::bench
