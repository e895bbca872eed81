// Other processes, by their numbers.
#pragma once

#include <cstdint>
#include <string>

namespace gapless::base {

// The whole text of /proc/PID/`name`; empty if there is none. May throw bad_alloc.
std::string process_text(std::int64_t pid, const char* name);

// The start time of a process in ticks since the machine's; 0 if there is no such process. Tells processes apart that
// had the same number. May throw bad_alloc.
std::uint64_t beginning_of(std::int64_t pid);

// False if the process with this number that began then has ended, a zombie included. Cost: a file of /proc is read.
bool is_running(std::int64_t pid, std::uint64_t began) noexcept;

}  // namespace gapless::base
