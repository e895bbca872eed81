#include "preload/policy/leftovers.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>

#include "base/process.hpp"

namespace gapless::preload {

namespace {

constexpr int kOldS = 60;

// The layout of those tables: kMaxEntries entries behind three counters.
struct Entry {
  std::int64_t pid;
  std::uint64_t began, facts;
};
constexpr off_t kFirstEntry = 16;
constexpr int kMaxEntries = 1024;

bool has_live_process(int table) {
  Entry entry;
  for (int k = 0; k < kMaxEntries; ++k) {
    const off_t at = kFirstEntry + k * static_cast<off_t>(sizeof entry);
    if (pread(table, &entry, sizeof entry, at) != sizeof entry || (entry.pid == 0 && entry.began == 0)) return false;
    if (entry.began != 0 && entry.began == base::beginning_of(entry.pid)) return true;
  }
  return false;
}

bool is_stale(int folder, const char* name) {
  const int table = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (table < 0) return false;
  struct stat found{};
  const bool stale = fstat(table, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
                     time(nullptr) - found.st_mtime > kOldS && !has_live_process(table);
  close(table);
  return stale;
}

}  // namespace

void sweep_leftovers() noexcept {
  DIR* const folder = opendir("/dev/shm");
  if (folder == nullptr) return;
  char prefix[32];
  const auto length =
      static_cast<std::size_t>(std::snprintf(prefix, sizeof prefix, "gapless-%u-", static_cast<unsigned>(geteuid())));
  try {
    while (const dirent* const entry = readdir(folder)) {
      const char* const name = entry->d_name;
      const bool is_table = std::strncmp(name, prefix, length) == 0 && std::strlen(name) == length + 16 &&
                            std::strspn(name + length, "0123456789abcdef") == 16;
      if (is_table && is_stale(dirfd(folder), name)) unlinkat(dirfd(folder), name, 0);
    }
  } catch (const std::bad_alloc&) {
  }
  closedir(folder);
}

}  // namespace gapless::preload
