// Another process's memory, read by the kernel (process_vm_readv). It takes the lock of that process's map, and pins
// pages, for each entry of `there`: half a microsecond or more, so entries must be long. Entries of `here` cost little.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>

namespace gapless::wire {

// The kernel takes no more of either at a time.
inline constexpr std::size_t kMaxEntries = 1024;

// Both lists have the same number of bytes in all. False: not all of them could be read (no permission, the process has
// ended, memory that the kernel cannot pin), as errno says; then what `here` names holds anything.
bool read_memory(std::int64_t pid, std::span<const iovec> here, std::span<const iovec> there) noexcept;

}  // namespace gapless::wire
