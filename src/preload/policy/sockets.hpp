// Bytes over a socket that does not block. Interrupted calls are repeated; a dead peer raises no SIGPIPE.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace gapless::preload {

inline constexpr int kBroken = -1;

// Waits for `events`, `milliseconds` at most. Returns what has happened, or 0.
inline int wait_for(int socket, short events, int milliseconds) noexcept {
  pollfd one{socket, events, 0};
  return poll(&one, 1, milliseconds) > 0 ? one.revents : 0;
}

// Returns the number of bytes that came: 0 if none did as yet, kBroken if none will.
inline ssize_t receive_some(int socket, void* to, std::size_t size) noexcept {
  ssize_t n;
  do n = recv(socket, to, size, MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  if (n > 0) return n;
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : kBroken;
}

// Returns false if it broke, or if nothing was sent for `milliseconds`.
inline bool send_all(int socket, const void* from, std::size_t size, int milliseconds) noexcept {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t n = send(socket, at, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      at += n;
      size -= static_cast<std::size_t>(n);
    } else if (n < 0 && errno != EINTR) {
      if ((errno != EAGAIN && errno != EWOULDBLOCK) || wait_for(socket, POLLOUT, milliseconds) == 0) return false;
    }
  }
  return true;
}

}  // namespace gapless::preload
