// Bytes over a socket that does not block. Interrupted calls are repeated; a dead peer raises no SIGPIPE.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

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

// Sends a byte, and with it the descriptor unless that is -1. Returns false as send_all() does.
inline bool send_descriptor(int socket, int descriptor, int milliseconds) noexcept {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  for (;;) {
    if (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) return true;
    if (errno == EINTR) continue;
    if (message.msg_control != nullptr && errno != EAGAIN && errno != EWOULDBLOCK) {
      // Too many descriptors on their way, for instance: the byte is waited for all the same.
      message.msg_control = nullptr;
      message.msg_controllen = 0;
      continue;
    }
    if ((errno != EAGAIN && errno != EWOULDBLOCK) || wait_for(socket, POLLOUT, milliseconds) == 0) return false;
  }
}

// Receives that byte; sets the descriptor, to -1 if there came none. Returns as receive_some() does.
inline ssize_t receive_descriptor(int socket, int& descriptor) noexcept {
  char byte;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof descriptor)];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  descriptor = -1;
  ssize_t n;
  do n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : kBroken;
  const cmsghdr* const head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
      head->cmsg_len == CMSG_LEN(sizeof descriptor)) {
    std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  }
  return n == 0 ? kBroken : n;
}

}  // namespace gapless::preload
