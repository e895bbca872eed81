// Whether a peer's process has ended: real processes, and listeners that behave as an overloaded kernel does.
#include "wire/fabric/life.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Member member_at(std::uint16_t port) {
  return {.fabric_address = "", .host = "127.0.0.1", .life_port = port, .pid = 0};
}

bool becomes_gone(Life& life, int rank, std::int64_t within_ns) {
  const std::int64_t until = base::now_ns() + within_ns;
  while (!life.is_gone(rank)) {
    if (is_over(until)) return false;
    usleep(500);
  }
  return true;
}

// A process that can be watched and does nothing else.
class Peer {
 public:
  explicit Peer(const std::string& host = "127.0.0.1") {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_ = fork();
    if (pid_ == 0) {
      std::signal(SIGUSR1, [](int) { std::_Exit(0); });
      const Life life(host);
      const std::uint16_t port = life.port();
      if (write(ends[1], &port, sizeof port) != sizeof port) std::_Exit(1);
      for (;;) pause();
    }
    EXPECT_EQ(read(ends[0], &member_.life_port, 2), 2);
    member_.host = host;
    close(ends[0]);
    close(ends[1]);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { end_by(SIGKILL); }
  const Member& member() const { return member_; }
  void send(int signal) const { kill(pid_, signal); }
  void end_by(int signal) {
    if (pid_ <= 0) return;
    kill(pid_, signal);
    waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
  Member member_;
};

// What a peer's kernel keeps, by hand.
class Listener {
 public:
  explicit Listener(int backlog) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    Address address;
    EXPECT_TRUE(numeric_address("127.0.0.1", 0, address));
    EXPECT_EQ(bind(socket_.number(), address.get(), address.bytes), 0);
    EXPECT_EQ(listen(socket_.number(), backlog), 0);
    member_ = member_at(port_of(own_address(socket_.number())));
  }
  const Member& member() const { return member_; }
  Descriptor take() { return Descriptor(accept(socket_.number(), nullptr, nullptr)); }
  void close() { socket_.close(); }

 private:
  Descriptor socket_;
  Member member_;
};

void reset(Descriptor socket) {
  const linger at_once{1, 0};
  setsockopt(socket.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

TEST(Life, NoticesWhoIsKilled) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    try {
      const Life has_address(host);
    } catch (const Failure&) {
      continue;  // a machine without IPv6
    }
    Peer peer(host);
    Life life(host);
    life.watch(1, peer.member());
    EXPECT_FALSE(life.is_gone(1));
    EXPECT_FALSE(life.is_gone(2)) << "who is not watched";
    peer.end_by(SIGKILL);
    EXPECT_TRUE(becomes_gone(life, 1, kSecond));
    EXPECT_TRUE(life.is_gone(1));
    life.watch(1, peer.member());
    EXPECT_TRUE(life.is_gone(1)) << "watched again";
  }
}

TEST(Life, NoticesWhoExits) {
  Peer peer;
  Life life("127.0.0.1");
  life.watch(1, peer.member());
  EXPECT_FALSE(becomes_gone(life, 1, kSecond / 50));
  peer.end_by(SIGUSR1);
  EXPECT_TRUE(becomes_gone(life, 1, kSecond));
}

TEST(Life, NoticesWhoHadEndedBefore) {
  Peer peer;
  peer.end_by(SIGKILL);
  Life life("127.0.0.1");
  life.watch(1, peer.member());
  EXPECT_TRUE(becomes_gone(life, 1, kSecond));
}

TEST(Life, NoticesWhoEndsBeforeAnybodyLooks) {
  Peer peer;
  Life life("127.0.0.1");
  life.watch(1, peer.member());
  peer.end_by(SIGKILL);
  EXPECT_TRUE(becomes_gone(life, 1, kSecond));
}

TEST(Life, WhoDoesNothingLives) {
  Peer peer;
  std::deque<Life> others;
  for (int k = 0; k < 100; ++k) others.emplace_back("127.0.0.1").watch(1, peer.member());
  peer.send(SIGSTOP);
  Life life("127.0.0.1");
  life.watch(1, peer.member());
  EXPECT_FALSE(becomes_gone(life, 1, kSecond / 10));
  for (Life& other : others) EXPECT_FALSE(other.is_gone(1));
  peer.end_by(SIGKILL);
  // At once: all had been let in. Others would notice when the kernel asks again, after a second.
  const std::int64_t soon = base::now_ns() + kSecond / 2;
  EXPECT_TRUE(becomes_gone(life, 1, kSecond / 2));
  for (Life& other : others) EXPECT_TRUE(becomes_gone(other, 1, soon - base::now_ns()));
}

TEST(Life, WhoHasNoRoomLeftLives) {
  Listener full(0);
  std::deque<Life> lives;
  for (int k = 0; k < 5; ++k) lives.emplace_back("127.0.0.1").watch(1, full.member());
  for (Life& life : lives) EXPECT_FALSE(becomes_gone(life, 1, kSecond / 50));
  // Those that were let in notice at once, the others when the kernel asks again, after a second.
  full.close();
  for (Life& life : lives) EXPECT_TRUE(becomes_gone(life, 1, 3 * kSecond));
}

TEST(Life, AConnectionThatIsResetAfterItsByteWasOne) {
  Listener listener(10);
  Life life("127.0.0.1");
  life.watch(1, listener.member());
  EXPECT_FALSE(life.is_gone(1));
  reset(listener.take());
  EXPECT_TRUE(becomes_gone(life, 1, kSecond)) << "whoever listens there now is another process";
}

TEST(Life, AConnectionThatWasNeverCompleteSaysNothing) {
  Listener full(0);
  Life first("127.0.0.1"), second("127.0.0.1");
  first.watch(1, full.member());
  second.watch(1, full.member());
  // The second one's connection is made when its kernel asks again, and reset before its byte is sent: as if the peer's
  // kernel had forgotten it.
  const Descriptor of_first = full.take();
  reset(full.take());
  EXPECT_FALSE(becomes_gone(second, 1, kSecond / 10));
  Descriptor again = full.take();
  char byte;
  EXPECT_EQ(recv(again.number(), &byte, 1, 0), 1);
  EXPECT_FALSE(first.is_gone(1));
  full.close();
  EXPECT_FALSE(second.is_gone(1));
  reset(std::move(again));
  EXPECT_TRUE(becomes_gone(second, 1, kSecond));
}

TEST(Life, WhoCannotBeReachedMayLive) {
  Life life("127.0.0.1");
  Member member = member_at(7);
  member.host = "fe80::1%nowhere";  // connecting fails, but is not refused
  life.watch(1, member);
  EXPECT_FALSE(becomes_gone(life, 1, kSecond / 7));  // longer than its pause
}

TEST(Life, RefusesWhatIsNoAddress) {
  const auto fault_of = [](auto&& action) {
    try {
      action();
    } catch (const Failure& failure) {
      return failure.fault();
    }
    return Fault::kNone;
  };
  EXPECT_EQ(fault_of([] { Life("localhost"); }), Fault::kArgument);
  EXPECT_EQ(fault_of([] { Life("192.0.2.1"); }), Fault::kArgument) << "of no machine";
  Life life("127.0.0.1");
  EXPECT_EQ(fault_of([&] { life.watch(0, {.fabric_address = "", .host = "nobody", .life_port = 1, .pid = 0}); }),
            Fault::kArgument);
}

}  // namespace
}  // namespace gapless::wire::fabric
