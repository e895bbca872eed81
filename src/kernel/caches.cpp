#include "kernel/caches.hpp"

#include <unistd.h>
#include <cstdio>

#include "base/settings.hpp"

namespace gapless::kernel {
namespace {

// The size of a cache of the first processor as the kernel describes it, or 0. It takes precedence over sysconf(),
// which under some hypervisors multiplies a shared cache by the number of processors that share it on the host.
std::int64_t described(int level) noexcept {
  for (int index = 0; index < 8; ++index) {
    char path[96];
    long found = 0, kilobytes = 0;
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", index);
    if (std::FILE* file = std::fopen(path, "re")) {
      if (std::fscanf(file, "%ld", &found) != 1) found = 0;
      std::fclose(file);
    }
    if (found != level) continue;
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    if (std::FILE* file = std::fopen(path, "re")) {
      if (std::fscanf(file, "%ldK", &kilobytes) != 1) kilobytes = 0;
      std::fclose(file);
    }
    if (kilobytes > 0 && level > 1) return static_cast<std::int64_t>(kilobytes) * 1024;
  }
  return 0;
}

// The size of a cache as the C library reports it, or 0; some C libraries do not report it.
std::int64_t known(int level) noexcept {
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  return sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#else
  return 0 * level;
#endif
}

std::int64_t first_positive(std::int64_t a, std::int64_t b, std::int64_t c) noexcept {
  return a > 0 ? a : b > 0 ? b : c;
}

std::int64_t second_level() noexcept {
  return first_positive(described(2), known(2), std::int64_t{1} << 20);
}

}  // namespace

std::int64_t far_bytes() noexcept {
  static const std::int64_t bytes = [] {
    const std::int64_t last = first_positive(described(3), known(3), 0);
    // Without a third level, the second is the last. One process does not have more than 64 MB of cache for itself.
    const std::int64_t measured = last > 0 ? last : second_level();
    return base::setting_bytes("GAPLESS_NT_BYTES",
                               measured < (std::int64_t{64} << 20) ? measured : std::int64_t{64} << 20);
  }();
  return bytes;
}

}  // namespace gapless::kernel
