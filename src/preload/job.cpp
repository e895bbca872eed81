#include "preload/job.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "base/settings.hpp"
#include "preload/front_to_backend.hpp"

namespace gapless::preload {

namespace {

struct Entry {
  std::atomic<std::int64_t> pid;
  std::uint64_t began;  // of the process, as the kernel counts: a number is given to processes again and again
  std::uint64_t facts;
};

enum Verdict : std::uint32_t { kOpen, kComplete, kIncomplete };

constexpr std::uint32_t kMostEntries = 1024;

// When a process began, in ticks since the machine did; 0 if it is no more.
std::uint64_t beginning_of(std::int64_t pid) noexcept {
  char path[48], text[1024];
  std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(pid));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  ::close(file);
  if (length <= 0) return 0;
  text[length] = '\0';
  // Field 22; the second one is a name in parentheses and may hold anything.
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) at = std::strchr(at + 1, ' ');
  return at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
}

// Names the job by the process manager's process on this node, which is at the other end of the socket that it left to
// each of its processes (PMI 1 and 2), or by its own name for the job and the folder that it made for it (PMIx). Empty:
// there is none that is known. What is spawned shares a manager with its parents, and is not named.
std::string job_name() {
  if (base::setting_on("PMI_SPAWNED")) return "";
  if (const char* const space = base::setting_text("PMIX_NAMESPACE"); space != nullptr) {
    std::string name = std::string("x ") + space;
    struct statx folder{};
    const char* const path = base::setting_text("PMIX_SERVER_TMPDIR");
    if (path != nullptr && statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &folder) == 0) {
      name += ' ' + std::to_string(folder.stx_ino) + ' ' + std::to_string(folder.stx_btime.tv_sec) + ' ' +
              std::to_string(folder.stx_btime.tv_nsec);
    }
    return name;
  }
  const char* const socket_text = base::setting_text("PMI_FD");
  if (socket_text == nullptr) return "";
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(std::atoi(socket_text), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0) return "";
  const std::uint64_t began = beginning_of(peer.pid);
  return began == 0 ? "" : "p " + std::to_string(peer.pid) + ' ' + std::to_string(began);
}

}  // namespace

// FNV-1a.
std::uint64_t hash_of(const std::string& text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Zero is how it begins.
struct Job::Table {
  std::atomic<std::uint32_t> verdict, entered, asked;
  Entry entries[kMostEntries];
};

void Job::enter(std::uint64_t facts) noexcept {
  std::string job;
  try {
    job = job_name();
    // Another build's table may be another one.
    if (!job.empty()) job += ' ' + std::to_string(kInterfaceVersion) + ' ' + std::to_string(sizeof(Table));
  } catch (...) {
    return;
  }
  if (job.empty() || table_ != nullptr) return;
  std::snprintf(name_, sizeof name_, "/dev/shm/gapless-%u-%016llx", static_cast<unsigned>(geteuid()),
                static_cast<unsigned long long>(hash_of(job)));
  const int file = open(name_, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  struct stat found{};
  void* mapped = MAP_FAILED;
  // Ours, nobody else's under another name; and with memory behind it, or a write to it would end the program.
  if (fstat(file, &found) == 0 && found.st_uid == geteuid() && S_ISREG(found.st_mode) && found.st_nlink <= 1 &&
      (found.st_size == 0 || found.st_size == sizeof(Table)) && posix_fallocate(file, 0, sizeof(Table)) == 0) {
    mapped = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  ::close(file);
  if (mapped == MAP_FAILED) return;
  table_ = static_cast<Table*>(mapped);
  place_ = table_->entered.fetch_add(1);
  if (place_ >= kMostEntries) return;  // it is never complete then
  Entry& mine = table_->entries[place_];
  mine.began = beginning_of(getpid());
  mine.facts = facts;
  mine.pid.store(getpid(), std::memory_order_release);
}

bool Job::is_complete(int size) noexcept {
  if (table_ == nullptr) return false;
  std::uint32_t verdict = table_->verdict.load();
  if (verdict == kOpen) {
    const std::uint32_t entered = table_->entered.load();
    bool complete = entered == static_cast<std::uint32_t>(size) && entered <= kMostEntries;
    const std::uint64_t facts = table_->entries[0].facts;
    for (std::uint32_t k = 0; complete && k < entered; ++k) {
      const Entry& entry = table_->entries[k];
      const std::int64_t pid = entry.pid.load(std::memory_order_acquire);
      complete = pid != 0 && entry.facts == facts && entry.began != 0 && entry.began == beginning_of(pid);
    }
    std::uint32_t open = kOpen;
    const std::uint32_t mine = complete ? kComplete : kIncomplete;
    verdict = table_->verdict.compare_exchange_strong(open, mine) ? mine : open;
    // Who comes later finds a table that will never be complete, either.
    if (verdict == kIncomplete) unlink(name_);
  }
  if (place_ >= static_cast<std::uint32_t>(size)) verdict = kIncomplete;
  // When all have asked, nobody will look for the file again.
  if (table_->asked.fetch_add(1) + 1 == static_cast<std::uint32_t>(size) && verdict == kComplete) unlink(name_);
  if (verdict == kComplete) close();
  return verdict == kComplete;
}

void Job::leave() noexcept {
  if (table_ != nullptr) close();
}

void Job::close() noexcept {
  munmap(table_, sizeof(Table));
  table_ = nullptr;
}

}  // namespace gapless::preload
