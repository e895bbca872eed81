#include "base/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace gapless::base {

namespace {

// Where field `wanted` of a process's state begins; npos if there is no such field. Fields are counted from 1; the
// second one is a name in parentheses and may hold anything.
std::size_t field(const std::string& state, int wanted) {
  std::size_t at = state.rfind(')');
  for (int k = 2; at != std::string::npos && k < wanted; ++k) at = state.find(' ', at + 1);
  return at == std::string::npos ? at : at + 1;
}

// Of its first thread, which began with it: qemu answers an emulated process that asks for its own `stat` itself, and
// with another beginning than others see.
std::string state_of(std::int64_t pid) {
  char name[40];
  std::snprintf(name, sizeof name, "task/%lld/stat", static_cast<long long>(pid));
  return process_text(pid, name);
}

std::uint64_t beginning_in(const std::string& state) {
  const std::size_t at = field(state, 22);
  return at == std::string::npos ? 0 : std::strtoull(state.c_str() + at, nullptr, 10);
}

}  // namespace

std::string process_text(std::int64_t pid, const char* name) {
  char path[80], part[1024];
  std::snprintf(path, sizeof path, "/proc/%lld/%s", static_cast<long long>(pid), name);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string text;
  ssize_t n;
  while ((n = read(file, part, sizeof part)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
  }
  close(file);
  return text;
}

std::uint64_t beginning_of(std::int64_t pid) {
  return beginning_in(state_of(pid));
}

bool is_running(std::int64_t pid, std::uint64_t began) noexcept {
  try {
    errno = 0;
    const std::string state = state_of(pid);
    // Without a descriptor or memory to ask it is asked again later.
    if (state.empty() && errno != 0 && errno != ENOENT && errno != ESRCH) return true;
    // Who cannot see itself (no /proc any more, or a part of it) cannot see others.
    if (state.empty()) return beginning_of(getpid()) == 0;
    const std::size_t at = field(state, 3), threads = field(state, 20);
    if (at == std::string::npos || beginning_in(state) != began || state[at] == 'X') return false;
    // The first thread of a process may have ended before the others.
    return state[at] != 'Z' || std::atoi(state.c_str() + threads) > 1;
  } catch (...) {
    return true;
  }
}

}  // namespace gapless::base
