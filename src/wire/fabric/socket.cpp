#include "wire/fabric/socket.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <system_error>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {

namespace {

bool are_same(const Address& a, const Address& b) noexcept {
  if (a.bytes == 0 || a.storage.ss_family != b.storage.ss_family || port_of(a) != port_of(b)) return false;
  if (a.storage.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(a.storage).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b.storage).sin_addr.s_addr;
  }
  return IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6&>(a.storage).sin6_addr,
                            &reinterpret_cast<const sockaddr_in6&>(b.storage).sin6_addr);
}

}  // namespace

void Descriptor::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));  // also if interrupted: Linux has freed the number by then
}

Place place_in(std::string_view where) {
  const auto refuse = [&](const char* why) -> Failure {
    return {Fault::kArgument, "the meeting is '" + std::string(where) + "', not HOST:PORT: " + why};
  };
  const std::size_t colon = where.rfind(':');
  if (colon == std::string_view::npos) throw refuse("there is no port");
  std::string_view host = where.substr(0, colon), port = where.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find_first_of(":[]") != std::string_view::npos) {
    throw refuse("an address of IPv6 stands in brackets, [::1]:7777");
  }
  if (host.empty()) throw refuse("there is no host");
  int number = 0;
  for (const char digit : port)
    number = digit < '0' || digit > '9' || number > 65535 ? 65536 : 10 * number + digit - '0';
  if (number < 1 || number > 65535) throw refuse("the port is a number from 1 to 65535");
  return {std::string(host), std::to_string(number)};
}

std::vector<Address> addresses_of(const std::string& host, const std::string& port) {
  addrinfo hints{}, *first = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &first);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(first, &freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* one = error == 0 ? first : nullptr; one != nullptr; one = one->ai_next) {
    if (one->ai_family != AF_INET && one->ai_family != AF_INET6) continue;
    Address address;
    std::memcpy(&address.storage, one->ai_addr, one->ai_addrlen);
    address.bytes = one->ai_addrlen;
    addresses.push_back(address);
  }
  if (addresses.empty()) {
    throw Failure(Fault::kArgument, "the host '" + host + "' has no address" +
                                        (error == 0 ? "" : std::string(": ") + gai_strerror(error)));
  }
  return addresses;
}

bool numeric_address(const std::string& host, std::uint16_t port, Address& address) noexcept {
  address = {};
  if (host.size() >= INET6_ADDRSTRLEN + IF_NAMESIZE || host.find('\0') != std::string::npos) return false;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.storage);
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.bytes = sizeof v4;
    return true;
  }
  char text[INET6_ADDRSTRLEN + IF_NAMESIZE] = "";
  const std::size_t percent = std::min(host.find('%'), host.size());
  std::copy_n(host.begin(), percent, text);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.storage);
  if (inet_pton(AF_INET6, text, &v6.sin6_addr) != 1) return false;
  // A link-local address: through which interface, which this machine may well number otherwise than its owner. 0 if it
  // has none of that name; connecting then fails.
  if (percent < host.size()) v6.sin6_scope_id = if_nametoindex(host.c_str() + percent + 1);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  address.bytes = sizeof v6;
  return true;
}

std::string host_of(const Address& address) {
  char text[NI_MAXHOST];
  if (getnameinfo(address.get(), address.bytes, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text;
}

std::uint16_t port_of(const Address& address) noexcept {
  if (address.storage.ss_family == AF_INET) {
    return ntohs(reinterpret_cast<const sockaddr_in&>(address.storage).sin_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_port);
}

bool is_wildcard(const Address& address) noexcept {
  if (address.storage.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr == htonl(INADDR_ANY);
  }
  return IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr);
}

Address own_address(int socket) noexcept {
  Address address;
  address.bytes = sizeof address.storage;
  if (getsockname(socket, address.get(), &address.bytes) != 0) address.bytes = 0;
  return address;
}

std::string error_text(int error) {
  return std::generic_category().message(error);
}

int milliseconds_until(std::int64_t until_ns) noexcept {
  if (until_ns < 0) return -1;
  const std::int64_t left = until_ns - base::now_ns();
  return left <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>((left - 1) / 1'000'000 + 1, INT_MAX));
}

bool is_over(std::int64_t until_ns) noexcept {
  return until_ns >= 0 && base::now_ns() >= until_ns;
}

std::int64_t earlier(std::int64_t a, std::int64_t b) noexcept {
  return a < 0 ? b : b < 0 ? a : std::min(a, b);
}

bool wait_for(int socket, short events, std::int64_t until_ns) noexcept {
  pollfd one{socket, events, 0};
  for (;;) {
    const int found = poll(&one, 1, milliseconds_until(until_ns));
    if (found > 0) return true;
    if (is_over(until_ns)) return false;
    // Without memory for the kernel's list of who waits: there may be some later.
    if (found < 0 && errno != EINTR) poll(nullptr, 0, 1);
  }
}

void sleep_until(std::int64_t until_ns) noexcept {
  while (!is_over(until_ns)) poll(nullptr, 0, milliseconds_until(until_ns));
}

Descriptor begin_to_connect(const Address& to) noexcept {
  Descriptor made(socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made) return {};
  // Interrupted, it goes on all the same.
  if (connect(made.number(), to.get(), to.bytes) != 0 && errno != EINPROGRESS && errno != EINTR) {
    const int error = errno;
    made.close();
    errno = error;
    return {};
  }
  // On one's own machine, where nobody listens at a port, the kernel may lend that very port to who connects to it, who
  // is then connected to itself. That is nobody, and keeps the port from who is to listen there.
  const Address own = own_address(made.number());
  if (are_same(own, to)) {
    made.close();
    errno = ECONNREFUSED;
    return {};
  }
  return made;
}

Descriptor connect_to(const Address& to, std::int64_t until_ns) noexcept {
  Descriptor made = begin_to_connect(to);
  if (!made) return {};
  int error = ETIMEDOUT;
  socklen_t bytes = sizeof error;
  if (wait_for(made.number(), POLLOUT, until_ns)) getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &error, &bytes);
  if (error != 0) made.close();
  errno = error;
  return made;
}

}  // namespace gapless::wire::fabric
