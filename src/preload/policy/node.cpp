#include "preload/policy/node.hpp"

#include <fcntl.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "preload/front_to_backend.hpp"
#include "preload/policy/job.hpp"
#include "preload/policy/sockets.hpp"

namespace gapless::preload {

namespace {

constexpr int kMaxMembers = 4096, kMaxListeners = 32;
constexpr int kEnterMs = 2000, kSendMs = 2000;
constexpr std::uint32_t kMaxReasonBytes = 1000;

// What the leader sends; the text of `why` and the ranks follow.
struct Header {
  std::uint32_t agreed, why_bytes, ranks;
};

// An abstract socket's: a name without a file.
struct Address {
  sockaddr_un at{};
  socklen_t length = 0;
  Address(const std::string& name, int number) noexcept {
    at.sun_family = AF_UNIX;
    const int written = std::snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s-%d", name.c_str(), number);
    length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)) + 1 + static_cast<socklen_t>(written);
  }
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&at); }
};

int new_socket() noexcept {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Any user may bind or connect to the name; another user's process is no part of the job.
bool is_own_user(int socket) noexcept {
  ucred peer{};
  socklen_t length = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

// The number of connections that may wait at one socket: 128 with older kernels.
int queue_length() noexcept {
  char text[16] = "";
  const int file = open("/proc/sys/net/core/somaxconn", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) < 0) text[0] = '\0';
    ::close(file);
  }
  return std::clamp(std::atoi(text), 128, kMaxMembers);
}

// Connects to the first of the leader's sockets that has room. Returns 0 or the value of errno.
int connect_to(int socket, const std::string& name) noexcept {
  int why = EAGAIN;
  for (int k = 0; k < kMaxListeners && why == EAGAIN; ++k) {
    const Address address(name, k);
    do why = connect(socket, address.get(), address.length) == 0 ? 0 : errno;
    while (why == EINTR);
  }
  return why;
}

}  // namespace

bool Node::lead(int first, const std::string& name) {
  const int queue = queue_length();
  listeners_.reserve(kMaxListeners);
  listeners_.push_back(first);
  if (listen(first, queue) != 0) return false;
  for (int k = 1; k < std::min(kMaxListeners, kMaxMembers / queue); ++k) {
    const Address address(name, k);
    const int more = new_socket();
    if (more >= 0) listeners_.push_back(more);
    if (more < 0 || bind(more, address.get(), address.length) != 0 || listen(more, queue) != 0) break;
  }
  return true;
}

bool Node::enter(const std::string& job, Member mine) {
  char name[64];
  std::snprintf(name, sizeof name, "gapless-%d-%u-%016llx", kInterfaceVersion, static_cast<unsigned>(geteuid()),
                static_cast<unsigned long long>(hash_of(job)));
  mine_ = mine;
  // Between the leader's bind and its listen, and where it has just ended, neither works: try again.
  for (int tries = 0; tries < kEnterMs * 10; ++tries) {
    const int own = new_socket();
    if (own < 0) return false;
    const Address address(name, 0);
    if (bind(own, address.get(), address.length) == 0) {
      if (lead(own, name)) return true;
      leave();
      return false;
    }
    const int why = connect_to(own, name);
    if (why == 0 && is_own_user(own) && send_all(own, &mine_, sizeof mine_, kSendMs)) {
      leader_ = own;
      return true;
    }
    ::close(own);
    if (why != ECONNREFUSED) return false;
    const timespec pause{0, 100'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

std::vector<Member> Node::collect() {
  std::vector<Member> all{mine_};
  for (const int listener : listeners_) {
    for (;;) {
      members_.reserve(members_.size() + 1);
      const int one = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (one < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (one < 0) break;
      Member member;
      char more;
      // One that ended has closed its end.
      if (is_own_user(one) && receive_some(one, &member, sizeof member) == sizeof member &&
          receive_some(one, &more, sizeof more) == 0) {
        members_.push_back(one);
        all.push_back(member);
      } else {
        ::close(one);
      }
    }
  }
  return all;
}

void Node::announce(const Agreement& answer, int descriptor) noexcept {
  const Header header{answer.agreed, std::min(static_cast<std::uint32_t>(answer.why.size()), kMaxReasonBytes),
                      static_cast<std::uint32_t>(answer.ranks.size())};
  for (const int member : members_) {
    // A member that does not take it has ended.
    if (send_all(member, &header, sizeof header, kSendMs) &&
        send_all(member, answer.why.data(), header.why_bytes, kSendMs) &&
        send_all(member, answer.ranks.data(), answer.ranks.size() * sizeof(int), kSendMs)) {
      send_descriptor(member, descriptor, kSendMs);
    }
  }
}

Agreement Node::await(Meanwhile meanwhile, int& descriptor) {
  descriptor = -1;
  const auto receive_by = [&](std::size_t size, auto&& some) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t n = some(done);
      if (n == kBroken) return false;
      if (n == 0) {
        meanwhile();
        wait_for(leader_, POLLIN, 1);
      } else {
        done += static_cast<std::size_t>(n);
      }
    }
    return true;
  };
  const auto receive = [&](void* to, std::size_t size) {
    return receive_by(
        size, [&](std::size_t done) { return receive_some(leader_, static_cast<char*>(to) + done, size - done); });
  };
  Header header{};
  if (!receive(&header, sizeof header)) return {false, "the process that speaks for this node gave no answer", {}};
  Agreement answer;
  answer.agreed = header.agreed != 0;  // whatever becomes of the rest
  try {
    answer.why.resize(header.why_bytes);
    answer.ranks.resize(header.ranks);
    if (!receive(answer.why.data(), header.why_bytes) || !receive(answer.ranks.data(), header.ranks * sizeof(int))) {
      answer.ranks.clear();
    } else {
      receive_by(1, [&](std::size_t) { return receive_descriptor(leader_, descriptor); });
    }
  } catch (...) {
    answer.ranks.clear();
  }
  return answer;
}

void Node::leave() noexcept {
  for (const int listener : listeners_) ::close(listener);
  for (const int member : members_) ::close(member);
  if (leader_ >= 0) ::close(leader_);
  listeners_.clear();
  members_.clear();
  leader_ = -1;
}

}  // namespace gapless::preload
