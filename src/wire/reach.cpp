#include "wire/reach.hpp"

#include <cerrno>

namespace gapless::wire {

bool read_memory(std::int64_t pid, std::span<const iovec> here, std::span<const iovec> there) noexcept {
  std::size_t bytes = 0;
  for (const iovec& entry : there) bytes += entry.iov_len;
  ssize_t done;
  do done = process_vm_readv(static_cast<pid_t>(pid), here.data(), here.size(), there.data(), there.size(), 0);
  while (done < 0 && errno == EINTR);
  if (done >= 0) errno = EFAULT;  // in case that it is less
  return done >= 0 && static_cast<std::size_t>(done) == bytes;
}

}  // namespace gapless::wire
