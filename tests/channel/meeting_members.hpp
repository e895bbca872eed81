// Members of a meeting, each a process of its own, and sockets that are no members.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"
#include "wire/fabric/meeting.hpp"
#include "wire/fabric/meeting_message.hpp"

namespace gapless::wire::fabric {

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline std::string place(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

inline Address address_of(std::uint16_t port) {
  Address address;
  EXPECT_TRUE(numeric_address("127.0.0.1", port, address));
  return address;
}

// Listens at a free port.
inline Descriptor listener(std::uint16_t port = 0) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  EXPECT_EQ(bind(made.number(), address_of(port).get(), sizeof(sockaddr_in)), 0);
  EXPECT_EQ(listen(made.number(), 10), 0);
  return made;
}

inline std::uint16_t free_port() {
  return port_of(own_address(listener().number()));
}

inline Meeting meeting(std::uint16_t port, int rank, int processes, double seconds = 3,
                       const char* secret = "of the job") {
  return {place(port), rank, processes, secret_key(secret),
          base::now_ns() + static_cast<std::int64_t>(seconds * static_cast<double>(kSecond))};
}

inline Member member(int rank) {
  Member made{std::string(static_cast<std::size_t>(25 * rank), static_cast<char>(rank)), "127.0.0.1",
              static_cast<std::uint16_t>(1000 + rank), 12345678901u + static_cast<unsigned>(rank)};
  return made;
}

// What became of a meeting: "KEY" in hexadecimal, or "FAULT: text".
inline std::string outcome_of(const Meeting& meeting) {
  try {
    Room room(meeting);
    EXPECT_EQ(room.own_host(), "127.0.0.1");
    const Room::Outcome outcome = room.exchange(member(meeting.rank));
    for (int rank = 0; rank < meeting.processes; ++rank) {
      if (outcome.members.at(static_cast<std::size_t>(rank)) != member(rank)) return "other members";
    }
    std::string key;
    for (const std::uint8_t byte : outcome.job)
      key += "0123456789abcdef"[byte >> 4], key += "0123456789abcdef"[byte & 15];
    return key;
  } catch (const Failure& failure) {
    return std::to_string(static_cast<int>(failure.fault())) + ": " + failure.what();
  }
}

// A process that runs a function and tells its text.
class Child {
 public:
  explicit Child(const std::function<std::string()>& action) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    read_ = Descriptor(ends[0]);
    const Descriptor write_end(ends[1]);
    pid_ = fork();
    if (pid_ != 0) return;
    const std::string text = action();
    const bool is_whole = write(write_end.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    std::_Exit(is_whole && !testing::Test::HasFailure() ? 0 : 1);
  }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), read_(std::move(other.read_)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pid_ > 0) end_by(SIGKILL);
  }
  void end_by(int signal) {
    kill(pid_, signal);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  std::string text() {
    std::string text;
    char part[4096];
    for (ssize_t n; (n = read(read_.number(), part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
    int status = -1;
    waitpid(std::exchange(pid_, -1), &status, 0);
    EXPECT_EQ(status, 0);
    return text;
  }

 private:
  pid_t pid_ = -1;
  Descriptor read_;
};

inline Child begin(const Meeting& meeting) {
  return Child([&] { return outcome_of(meeting); });
}

inline bool is_key(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

inline void expect_fault(const std::string& text, Fault fault, const std::vector<std::string>& parts) {
  EXPECT_EQ(text.find(std::to_string(static_cast<int>(fault)) + ": "), 0u) << text;
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

// All members, the first one last. Their job's key.
inline std::string meet(int processes) {
  const std::uint16_t port = free_port();
  std::vector<Child> children;
  for (int rank = processes - 1; rank >= 0; --rank) children.push_back(begin(meeting(port, rank, processes)));
  std::set<std::string> keys;
  for (Child& child : children) keys.insert(child.text());
  EXPECT_EQ(keys.size(), 1u);
  EXPECT_TRUE(is_key(*keys.begin())) << *keys.begin();
  return *keys.begin();
}

inline Descriptor connected(std::uint16_t port) {
  Descriptor made;
  for (int tries = 0; !made && tries < 2000; ++tries) {
    made = connect_to(address_of(port), base::now_ns() + kSecond);
    if (!made) usleep(1000);
  }
  EXPECT_TRUE(made);
  return made;
}

inline void say(const Descriptor& socket, View bytes) {
  send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Up to `bytes`; fewer if the other side closes or is silent for a second.
inline Bytes hear(const Descriptor& socket, std::size_t bytes) {
  Bytes heard(bytes);
  std::size_t have = 0;
  while (have < bytes && wait_for(socket.number(), POLLIN, base::now_ns() + kSecond)) {
    const ssize_t n = recv(socket.number(), heard.data() + have, bytes - have, 0);
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  heard.resize(have);
  return heard;
}

inline Descriptor accepted(const Descriptor& listener) {
  EXPECT_TRUE(wait_for(listener.number(), POLLIN, base::now_ns() + 3 * kSecond));
  return Descriptor(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

inline int open_descriptors() {
  DIR* folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

}  // namespace gapless::wire::fabric
