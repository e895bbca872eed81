#include "wire/fabric/life.hpp"

#include <linux/tcp.h>  // <netinet/tcp.h> of glibc lacks tcpi_bytes_acked
#include <netinet/in.h>
#include <poll.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <utility>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {

namespace {

constexpr std::int64_t kPauseNs = 100'000'000;

void set(const Descriptor& socket, int level, int option, int value) noexcept {
  setsockopt(socket.number(), level, option, &value, sizeof value);
}

// True if the peer's kernel has kept the connection: it has acknowledged more than that it was asked for. Of a kernel
// that does not tell, it is taken for granted.
bool was_complete(const Descriptor& socket) noexcept {
  tcp_info info{};
  socklen_t bytes = sizeof info;
  if (getsockopt(socket.number(), IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return true;
  return bytes < offsetof(tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked || info.tcpi_bytes_acked > 1;
}

}  // namespace

Life::Life(const std::string& own_host) {
  Address address;
  if (!numeric_address(own_host, 0, address)) {
    throw Failure(Fault::kArgument, "'" + own_host + "' is no numeric address of this machine");
  }
  listener_ = Descriptor(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!listener_) throw Failure(Fault::kNoMemory, "no socket to be known alive by: " + error_text(errno));
  // The kernel cuts the number to what it allows.
  if (bind(listener_.number(), address.get(), address.bytes) != 0 || listen(listener_.number(), INT_MAX) != 0) {
    throw Failure(Fault::kArgument, "cannot listen at " + own_host + ": " + error_text(errno));
  }
  port_ = port_of(own_address(listener_.number()));
}

void Life::watch(int rank, const Member& member) {
  Peer peer;
  if (!numeric_address(member.host, member.life_port, peer.address)) {
    throw Failure(Fault::kArgument, "rank " + std::to_string(rank) + " has no numeric address: '" + member.host + "'");
  }
  if (peers_.contains(rank)) return;
  connect(peer);
  if (peer.state == State::kPausing && (errno == EMFILE || errno == ENFILE)) {
    throw Failure(Fault::kNoMemory,
                  "no socket to watch rank " + std::to_string(rank) + " by: " + error_text(errno) + " (ulimit -n)");
  }
  look(peer);
  peers_.emplace(rank, std::move(peer));
}

bool Life::is_gone(int rank) noexcept {
  const auto found = peers_.find(rank);
  if (found == peers_.end()) return false;
  look(found->second);
  return found->second.state == State::kGone;
}

void Life::connect(Peer& peer) noexcept {
  peer.socket = begin_to_connect(peer.address);
  if (!peer.socket) return end(peer, errno);
  peer.state = State::kConnecting;
  set(peer.socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(peer.socket, IPPROTO_TCP, TCP_KEEPIDLE, kSilenceMs / 2000);
  set(peer.socket, IPPROTO_TCP, TCP_KEEPINTVL, kSilenceMs / 4000);
  set(peer.socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kSilenceMs);
}

// Without a connection: the peer has ended if its machine says that nobody listens. All else says nothing of it.
void Life::end(Peer& peer, int error) noexcept {
  peer.socket.close();
  peer.state = error == ECONNREFUSED ? State::kGone : State::kPausing;
  peer.again_ns = base::now_ns() + kPauseNs;
  errno = error;
}

void Life::look(Peer& peer) noexcept {
  if (peer.state == State::kPausing && is_over(peer.again_ns)) connect(peer);
  if (peer.state == State::kPausing || peer.state == State::kGone) return;
  const bool is_connected = peer.state == State::kConnected;
  const short events = is_connected ? POLLRDHUP : POLLRDHUP | POLLOUT;
  pollfd one{peer.socket.number(), events, 0};
  if (poll(&one, 1, 0) <= 0) return;
  if ((one.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0) {
    // The byte that tells a completed connection; there is always room for the first.
    if (send(peer.socket.number(), "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) peer.state = State::kConnected;
    return;
  }
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(peer.socket.number(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (is_connected && was_complete(peer.socket)) error = ECONNREFUSED;
  // Who was reset before its byte arrived asks at once whether anybody listens; but not again and again.
  const bool may_ask = is_over(peer.again_ns);
  end(peer, error);
  if (may_ask && (error == ECONNRESET || error == EPIPE || error == 0)) connect(peer);
}

}  // namespace gapless::wire::fabric
