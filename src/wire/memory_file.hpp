// What files in memory need that processes share: limits, descriptors out of a program's way.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

namespace gapless::wire {

// True if this process may not have so many bytes of it.
inline bool is_limited(__rlimit_resource_t resource, std::int64_t bytes) noexcept {
  rlimit limit;
  return getrlimit(resource, &limit) != 0 ||
         (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < static_cast<rlim_t>(bytes));
}

// The file by a high number, if it can have one: programs count on small ones.
inline int with_high_number(int descriptor) noexcept {
  constexpr int kLowest = 200;
  const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, kLowest);
  if (high < 0) return descriptor;
  close(descriptor);
  return high;
}

// Which file a descriptor is of: a program that closes descriptors which are not its own may have given the number to a
// file of its own.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  bool operator==(const FileIdentity&) const = default;
  static FileIdentity of(int descriptor) noexcept {
    struct stat file{};
    if (fstat(descriptor, &file) != 0) return {};
    return {file.st_dev, file.st_ino};
  }
};

}  // namespace gapless::wire
