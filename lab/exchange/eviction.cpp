#include "eviction.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace gapless::lab::exchange {
namespace {

constexpr std::size_t kMost = std::size_t{128} << 20;

// The largest cache of the first processor as the kernel describes it, or 0. (sysconf() multiplies a shared cache under
// some hypervisors: src/kernel/caches.cpp.)
std::size_t last_cache_bytes() {
  std::size_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    std::size_t kilobytes = 0;
    if (file >> kilobytes) largest = std::max(largest, kilobytes * 1024);
  }
  return largest;
}

}  // namespace

std::size_t eviction_bytes() {
  const std::size_t cache = last_cache_bytes();
  return cache == 0 ? kMost : std::min(2 * cache, kMost);
}

void Eviction::prepare() {
  if (memory_) return;
  memory_.emplace(eviction_bytes());
  memory_->fill(1);  // pages that were never written are all the same page of zeroes
}

void Eviction::walk() {
  if (!memory_) return;
  constexpr std::size_t kLine = 64;
  const volatile char* const first = memory_->data();
  char sum = 0;
  for (std::size_t at = 0; at < memory_->size(); at += kLine) sum = static_cast<char>(sum + first[at]);
  sum_ = sum;
}

}  // namespace gapless::lab::exchange
