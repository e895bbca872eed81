#include "preload/policy/roll_call.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/settings.hpp"
#include "preload/policy/sockets.hpp"

namespace gapless::preload {

namespace {

constexpr int kConnectMs = 2000, kAnswerMs = 10000;
constexpr std::size_t kMaxLineBytes = 4096;

std::int64_t now_ms() noexcept {
  return base::now_ns() / 1'000'000;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0, to; from <= text.size(); from = to + 1) {
    to = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, to - from));
  }
  return parts;
}

// Returns the socket of a connection that is being made, or -1.
int begin_connection(const std::string& address, int port) noexcept {
  sockaddr_storage at{};
  socklen_t length;
  auto& four = reinterpret_cast<sockaddr_in&>(at);
  auto& six = reinterpret_cast<sockaddr_in6&>(at);
  if (inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1) {
    at.ss_family = AF_INET;
    four.sin_port = htons(static_cast<std::uint16_t>(port));
    length = sizeof four;
  } else if (inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1) {
    at.ss_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    length = sizeof six;
  } else {
    return -1;
  }
  const int made = socket(at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  if (connect(made, reinterpret_cast<const sockaddr*>(&at), length) == 0 || errno == EINPROGRESS || errno == EINTR) {
    return made;
  }
  close(made);
  return -1;
}

// A peer whose machine is gone sends nothing: the kernel finds out.
void keep_alive(int socket) noexcept {
  const int on = 1, idle = 10, interval = 5, count = 3;
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Returns the first connection whose peer sends the greeting, of several that are being made, and closes the others.
// The same address may be another machine's here (a network of containers), so nothing is sent to a peer that has not
// greeted.
int find_greeted(std::vector<int>& sockets, const std::string& greeting) {
  std::vector<std::string> heard(sockets.size());
  const std::int64_t began = now_ms();
  bool is_any_up = false;
  int found = -1;
  while (found < 0 && now_ms() - began < (is_any_up ? kAnswerMs : kConnectMs)) {
    std::vector<pollfd> waiting;
    for (const int one : sockets) waiting.push_back({one, POLLIN, 0});  // negative ones are left out
    if (std::all_of(sockets.begin(), sockets.end(), [](int one) { return one < 0; })) break;
    if (poll(waiting.data(), waiting.size(), 100) < 0 && errno != EINTR) break;
    for (std::size_t k = 0; k < sockets.size() && found < 0; ++k) {
      if (sockets[k] < 0) continue;
      sockaddr_storage peer{};
      socklen_t length = sizeof peer;
      is_any_up = is_any_up || getpeername(sockets[k], reinterpret_cast<sockaddr*>(&peer), &length) == 0;
      if (waiting[k].revents == 0) continue;
      char part[256];
      const ssize_t n = receive_some(sockets[k], part, sizeof part);
      if (n > 0) heard[k].append(part, static_cast<std::size_t>(n));
      if (heard[k] == greeting) {
        found = sockets[k];
      } else if (n < 0 || heard[k].size() >= greeting.size()) {
        close(sockets[k]);
        sockets[k] = -1;
      }
    }
  }
  for (const int one : sockets) {
    if (one >= 0 && one != found) close(one);
  }
  return found;
}

}  // namespace

bool RollCall::tell(const std::string& job, std::string& why) {
  const char* const text = base::setting_text("GAPLESS_ROLL_CALL");
  if (text == nullptr) {
    why = "not started by gapless run";
    return false;
  }
  const std::vector<std::string> parts = split(text, '/');  // port, greeting, secret, addresses
  why = "GAPLESS_ROLL_CALL cannot be read";
  if (parts.size() != 4) return false;
  std::vector<int> sockets;
  for (const std::string& address : split(parts[3], ',')) {
    sockets.push_back(begin_connection(address, std::atoi(parts[0].c_str())));
  }
  socket_ = find_greeted(sockets, parts[1] + '\n');
  why = "gapless run cannot be reached from here";
  if (socket_ < 0) return false;
  keep_alive(socket_);
  std::string answer;
  if (send_line("tell " + parts[2] + ' ' + job) && receive_line(answer, kAnswerMs, nullptr) && answer == "told") {
    return true;
  }
  why = "gapless run did not answer";
  leave();
  return false;
}

Agreement RollCall::ask(int world_size, std::uint64_t facts, const std::vector<int>& ranks, Meanwhile meanwhile) {
  Agreement answer;
  answer.why = "the connection to gapless run was lost";
  char hex[20];
  std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(facts));
  std::string line = "ask " + std::to_string(world_size) + ' ' + hex + ' ';
  for (std::size_t k = 0; k < ranks.size(); ++k) line += (k == 0 ? "" : ",") + std::to_string(ranks[k]);
  std::string reply;
  if (!send_line(line) || !receive_line(reply, -1, meanwhile)) return answer;
  if (reply.rfind("all ", 0) == 0) {
    // All nodes that told have asked; when each has acknowledged that, the final line follows. If the connection breaks
    // now, or memory runs out, the answer stays: no other node gets a different one.
    answer.why = reply;
    answer.agreed = true;
    try {
      if (!send_line("heard") || !receive_line(reply, -1, meanwhile)) return answer;
    } catch (...) {
      return answer;
    }
  }
  if (reply.rfind("no ", 0) == 0) answer = {false, reply.substr(3), {}};
  return answer;
}

bool RollCall::send_line(const std::string& line) noexcept {
  return send_all(socket_, line.data(), line.size(), kAnswerMs) && send_all(socket_, "\n", 1, kAnswerMs);
}

bool RollCall::receive_line(std::string& line, int milliseconds, Meanwhile meanwhile) {
  const std::int64_t began = now_ms();
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return true;
    }
    char part[256];
    const ssize_t n = receive_some(socket_, part, sizeof part);
    if (n == kBroken || received_.size() > kMaxLineBytes) return false;
    if (n > 0) {
      received_.append(part, static_cast<std::size_t>(n));
      continue;
    }
    if (milliseconds >= 0 && now_ms() - began > milliseconds) return false;
    if (meanwhile != nullptr) meanwhile();
    wait_for(socket_, POLLIN, meanwhile != nullptr ? 1 : 50);
  }
}

void RollCall::leave() noexcept {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
  received_.clear();
}

}  // namespace gapless::preload
