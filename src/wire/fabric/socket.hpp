// Sockets, for meeting.hpp and life.hpp: addresses, waiting until a time, connections that begin without blocking.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gapless::wire::fabric {

// An open file descriptor, or none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~Descriptor() { close(); }
  void close() noexcept;
  explicit operator bool() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }

 private:
  int number_ = -1;
};

struct Address {
  sockaddr_storage storage{};
  socklen_t bytes = 0;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

struct Place {
  std::string host, port;
};
// Of HOST:PORT or [HOST]:PORT. Throws Failure(kArgument).
Place place_in(std::string_view where);

// Never empty: throws Failure(kArgument) if there are none. A name is looked up, which has no time limit of its own.
std::vector<Address> addresses_of(const std::string& host, const std::string& port);
// Of a numeric host alone, without looking up anything. False if it is none.
bool numeric_address(const std::string& host, std::uint16_t port, Address& address) noexcept;
std::string host_of(const Address& address);
std::uint16_t port_of(const Address& address) noexcept;
bool is_wildcard(const Address& address) noexcept;
// That a socket is bound to; of no bytes if there is none.
Address own_address(int socket) noexcept;

std::string error_text(int error);

// [ms] for poll; rounded up, so that nobody who waits again at once spins. until_ns < 0: never.
int milliseconds_until(std::int64_t until_ns) noexcept;
bool is_over(std::int64_t until_ns) noexcept;
// The earlier of two times, each of which may be < 0: never.
std::int64_t earlier(std::int64_t a, std::int64_t b) noexcept;
// True if one of the events, or an error, is there; false if the time is over.
bool wait_for(int socket, short events, std::int64_t until_ns) noexcept;
void sleep_until(std::int64_t until_ns) noexcept;

// A connection that is made or under way; errno says why there is none.
Descriptor begin_to_connect(const Address& to) noexcept;
// Waits until it is made; errno says why there is none.
Descriptor connect_to(const Address& to, std::int64_t until_ns) noexcept;

}  // namespace gapless::wire::fabric
