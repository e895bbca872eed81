// The meeting of a job: real processes and sockets, with strangers among them; and its messages from random bytes.
#include "wire/fabric/meeting.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"
#include "wire/fabric/meeting_message.hpp"

namespace gapless::wire::fabric {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string place(std::uint16_t port) {
  return "127.0.0.1:" + std::to_string(port);
}

Address address_of(std::uint16_t port) {
  Address address;
  EXPECT_TRUE(numeric_address("127.0.0.1", port, address));
  return address;
}

// Listens at a free port.
Descriptor listener(std::uint16_t port = 0) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  EXPECT_EQ(bind(made.number(), address_of(port).get(), sizeof(sockaddr_in)), 0);
  EXPECT_EQ(listen(made.number(), 10), 0);
  return made;
}

std::uint16_t free_port() {
  return port_of(own_address(listener().number()));
}

Meeting meeting(std::uint16_t port, int rank, int processes, double seconds = 3, const char* secret = "of the job") {
  return {place(port), rank, processes, secret_key(secret),
          base::now_ns() + static_cast<std::int64_t>(seconds * static_cast<double>(kSecond))};
}

Member member(int rank) {
  Member made{std::string(static_cast<std::size_t>(25 * rank), static_cast<char>(rank)), "127.0.0.1",
              static_cast<std::uint16_t>(1000 + rank), 12345678901u + static_cast<unsigned>(rank)};
  return made;
}

// What became of a meeting: "KEY" in hexadecimal, or "FAULT: text".
std::string outcome_of(const Meeting& meeting) {
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

Child begin(const Meeting& meeting) {
  return Child([&] { return outcome_of(meeting); });
}

bool is_key(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void expect_fault(const std::string& text, Fault fault, const std::vector<std::string>& parts) {
  EXPECT_EQ(text.find(std::to_string(static_cast<int>(fault)) + ": "), 0u) << text;
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
}

// All members, the first one last. Their job's key.
std::string meet(int processes) {
  const std::uint16_t port = free_port();
  std::vector<Child> children;
  for (int rank = processes - 1; rank >= 0; --rank) children.push_back(begin(meeting(port, rank, processes)));
  std::set<std::string> keys;
  for (Child& child : children) keys.insert(child.text());
  EXPECT_EQ(keys.size(), 1u);
  EXPECT_TRUE(is_key(*keys.begin())) << *keys.begin();
  return *keys.begin();
}

Descriptor connected(std::uint16_t port) {
  Descriptor made;
  for (int tries = 0; !made && tries < 2000; ++tries) {
    made = connect_to(address_of(port), base::now_ns() + kSecond);
    if (!made) usleep(1000);
  }
  EXPECT_TRUE(made);
  return made;
}

void say(const Descriptor& socket, View bytes) {
  send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// Up to `bytes`; fewer if the other side closes or is silent for a second.
Bytes hear(const Descriptor& socket, std::size_t bytes) {
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

Descriptor accepted(const Descriptor& listener) {
  EXPECT_TRUE(wait_for(listener.number(), POLLIN, base::now_ns() + 3 * kSecond));
  return Descriptor(accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

int open_descriptors() {
  DIR* folder = opendir("/proc/self/fd");
  int count = 0;
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

TEST(Meeting, AllMeetAndHaveAKeyOfTheirOwn) {
  std::set<std::string> keys;
  for (const int processes : {1, 2, 5, 2, 5, 20}) keys.insert(meet(processes));
  EXPECT_EQ(keys.size(), 6u);
  Meeting alone;
  alone.secret = secret_key("s");
  EXPECT_TRUE(is_key(outcome_of(alone))) << "one process needs no place";
}

TEST(Meeting, WhoIsLateIsWaitedFor) {
  const std::uint16_t port = free_port();
  Child first = begin(meeting(port, 0, 3)), second = begin(meeting(port, 1, 3));
  usleep(100'000);
  Child third = begin(meeting(port, 2, 3));
  const std::string key = first.text();
  EXPECT_TRUE(is_key(key));
  EXPECT_EQ(second.text(), key);
  EXPECT_EQ(third.text(), key);
}

TEST(Meeting, ByIPv6) {
  try {
    addresses_of("::1", "1");
    Meeting host{"[::1]:" + std::to_string(free_port()), 0, 2, secret_key("s"), base::now_ns() + kSecond};
    Room room(host);
    Child guest([&] {
      host.rank = 1;
      Room room(host);
      room.exchange(member(1));
      return room.own_host();
    });
    const Room::Outcome outcome = room.exchange(member(0));
    EXPECT_EQ(outcome.members[1], member(1));
    EXPECT_EQ(room.own_host(), "::1");
    EXPECT_EQ(guest.text(), "::1");
  } catch (const Failure& failure) {
    GTEST_SKIP() << "no IPv6: " << failure.what();
  }
}

TEST(Meeting, WhoHasAnotherSecretIsRefusedAndTheRightOneAwaited) {
  const std::uint16_t port = free_port();
  Child host = begin(meeting(port, 0, 2));
  expect_fault(outcome_of(meeting(port, 1, 2, 3, "of another")), Fault::kSecret, {"rank 1", "another secret"});
  const std::string key = outcome_of(meeting(port, 1, 2));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(host.text(), key);
}

TEST(Meeting, StrangersDelayNobody) {
  const std::uint16_t port = free_port();
  const std::int64_t began = base::now_ns();
  Child host = begin(meeting(port, 0, 3));
  std::vector<Descriptor> strangers;
  const Bytes hello = bytes_of(Hello{kFormat, 2, 3, draw_nonce()});
  for (int k = 0; k < 50; ++k) {
    const Descriptor& silent = strangers.emplace_back(connected(port));
    (void)silent;
    say(strangers.emplace_back(connected(port)), View(hello).first(30));
    say(strangers.emplace_back(connected(port)), hello);
    const std::string rubbish = "GET / HTTP/1.1\r\n\r\n";
    say(strangers.emplace_back(connected(port)), Bytes(rubbish.begin(), rubbish.end()));
    say(strangers.emplace_back(connected(port)), Bytes(100'000, 'G'));
    Bytes much = hello;
    much.resize(100'000);
    say(strangers.emplace_back(connected(port)), much);
    connected(port);
  }
  Child second = begin(meeting(port, 1, 3));
  const std::string key = outcome_of(meeting(port, 2, 3));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(second.text(), key);
  EXPECT_EQ(host.text(), key);
  EXPECT_LT(base::now_ns() - began, 2 * kSecond);
}

TEST(Meeting, StrangersAreCountedAndClosed) {
  const int before = open_descriptors();
  {
    const std::uint16_t port = free_port();
    Room room(meeting(port, 0, 2, 0.3));
    Child stranger([&] {
      const Descriptor one = connected(port), other = connected(port);
      say(one, Bytes(10, 'x'));
      say(other, bytes_of(Hello{7, 1, 2, draw_nonce()}));
      Frame frame;
      Refusal refusal;
      const Bytes heard = hear(other, kFrameBytes + kRefusalBytes);
      EXPECT_EQ(parse(heard, 100, frame), Reading::kGood);
      EXPECT_TRUE(parse(frame.body, refusal));
      EXPECT_EQ(refusal.reason, Reason::kFormat);
      EXPECT_EQ(refusal.a, kFormat);
      EXPECT_TRUE(wait_for(other.number(), POLLIN, base::now_ns() + kSecond / 10)) << "and its end";
      EXPECT_TRUE(hear(one, 1).empty());
      return "";
    });
    try {
      room.exchange(member(0));
      FAIL() << "nobody has come";
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.fault(), Fault::kTimeout);
      EXPECT_NE(std::string(failure.what()).find("2 connections proved nothing"), std::string::npos) << failure.what();
    }
    EXPECT_EQ(room.turned_away(), 2);
    stranger.text();
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(Meeting, MoreStrangersThanDescriptorsDelayNobody) {
  const std::uint16_t port = free_port();
  Child host([&] {
    const rlimit few{40, 40};
    setrlimit(RLIMIT_NOFILE, &few);
    return outcome_of(meeting(port, 0, 2));
  });
  std::vector<Descriptor> strangers;
  for (int k = 0; k < 200; ++k) strangers.push_back(connected(port));
  const std::string key = outcome_of(meeting(port, 1, 2));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(host.text(), key);
}

TEST(Meeting, MembersThatDoNotFitTogetherAreTold) {
  const std::uint16_t port = free_port();
  Child host = begin(meeting(port, 0, 3)), first = begin(meeting(port, 1, 3));
  expect_fault(outcome_of(meeting(port, 1, 4)), Fault::kArgument, {"waits for 3 processes", "says 4"});
  expect_fault(outcome_of(meeting(port, 7, 8)), Fault::kArgument, {"waits for 3 processes"});
  usleep(100'000);
  expect_fault(outcome_of(meeting(port, 1, 3)), Fault::kArgument, {"has a rank 1 already"});
  const std::string key = outcome_of(meeting(port, 2, 3));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(first.text(), key);
  EXPECT_EQ(host.text(), key);
}

TEST(Meeting, AMemberThatEndedMayComeAgain) {
  const std::uint16_t port = free_port();
  Child host = begin(meeting(port, 0, 3)), first = begin(meeting(port, 1, 3));
  usleep(100'000);
  first.end_by(SIGKILL);
  Child second = begin(meeting(port, 2, 3));  // the last, but not all are there any more
  usleep(100'000);
  second.end_by(SIGKILL);
  Child again = begin(meeting(port, 2, 3));
  usleep(50'000);
  const std::string key = outcome_of(meeting(port, 1, 3));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(again.text(), key);
  EXPECT_EQ(host.text(), key);
}

// Linux tries the ports that it may lend to who connects one after the other.
TEST(Meeting, NobodyIsConnectedToHimself) {
  int port = 40000;
  for (bool is_free = false; !is_free;) {
    const Descriptor tried(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    port += 2;
    is_free = bind(tried.number(), address_of(static_cast<std::uint16_t>(port)).get(), sizeof(sockaddr_in)) == 0;
  }
  const Address nobody = address_of(static_cast<std::uint16_t>(port));
  int connections = 0;
  for (int k = 0; k < 16000; ++k) connections += connect_to(nobody, base::now_ns() + kSecond) ? 1 : 0;
  EXPECT_EQ(connections, 0);
}

TEST(Meeting, WhoIsMissingIsNamed) {
  const std::uint16_t port = free_port();
  Child host = begin(meeting(port, 0, 6, 0.3)), third = begin(meeting(port, 3, 6, 2));
  expect_fault(host.text(), Fault::kTimeout, {"ranks 1, 2, 4, 5 of 6 have not come"});
  expect_fault(third.text(), Fault::kTimeout, {"4 processes have not come", "rank 1"});
  expect_fault(outcome_of(meeting(port, 1, 2, 0.1)), Fault::kTimeout, {"rank 0 at", "has not come"});
  EXPECT_EQ(ranks_text(std::vector{0, 1, 2, 5, 7, 8}), "0-2, 5, 7, 8");
}

TEST(Meeting, RankZeroThatEndsIsNoticed) {
  const std::uint16_t port = free_port();
  Child host = begin(meeting(port, 0, 3)), guest = begin(meeting(port, 1, 3));
  usleep(100'000);
  host.end_by(SIGKILL);
  expect_fault(guest.text(), Fault::kPeer, {"rank 0 at", "has ended"});
}

TEST(Meeting, PlacesThatAreNone) {
  const Descriptor taken = listener();
  const std::uint16_t port = port_of(own_address(taken.number()));
  expect_fault(outcome_of(meeting(port, 0, 2)), Fault::kArgument, {"in use"});
  Meeting other = meeting(1, 0, 2);
  for (const auto& [where, text] :
       std::vector<std::pair<std::string, std::string>>{{"127.0.0.1", "no port"},
                                                        {"", "no port"},
                                                        {":7", "no host"},
                                                        {"a:0", "1 to 65535"},
                                                        {"a:70000", "1 to 65535"},
                                                        {"a:4294967297", "1 to 65535"},
                                                        {"a:7x", "1 to 65535"},
                                                        {"a:", "1 to 65535"},
                                                        {"::1:7", "brackets"},
                                                        {"0.0.0.0:7777", "the address by which"},
                                                        {"192.0.2.1:7777", "no address of this machine"}}) {
    other.where = where;
    expect_fault(outcome_of(other), Fault::kArgument, {where, text});
  }
  for (const auto& [rank, processes] : std::vector<std::pair<int, int>>{{2, 2}, {-1, 2}, {0, 0}, {0, 65537}}) {
    expect_fault(outcome_of(meeting(port, rank, processes)), Fault::kArgument, {"1 to 65536"});
  }
}

// One who stands between a member and rank 0 and passes on what he hears. What the member has said.
Bytes record(std::uint16_t port, const Descriptor& listener) {
  Descriptor to_member = accepted(listener), to_host = connected(port);
  Bytes said;
  for (;;) {
    pollfd both[] = {{to_member.number(), POLLIN, 0}, {to_host.number(), POLLIN, 0}};
    if (poll(both, 2, 1000) <= 0) return said;
    std::uint8_t part[4096];
    for (int k = 0; k < 2; ++k) {
      if (both[k].revents == 0) continue;
      const ssize_t n = recv(both[k].fd, part, sizeof part, 0);
      if (n <= 0) return said;
      const View heard(part, static_cast<std::size_t>(n));
      if (k == 0) said.insert(said.end(), heard.begin(), heard.end());
      say(k == 0 ? to_host : to_member, heard);
    }
  }
}

TEST(Meeting, ARecordingIsRefused) {
  const std::uint16_t port = free_port();
  const Descriptor between = listener();
  Child host = begin(meeting(port, 0, 2));
  Child guest = begin(meeting(port_of(own_address(between.number())), 1, 2));
  const Bytes said = record(port, between);
  EXPECT_EQ(host.text(), guest.text());
  ASSERT_GT(said.size(), kHelloBytes + kFrameBytes);

  // At once, and message by message as a member speaks: both times it is an answer to another challenge.
  Child next = begin(meeting(port, 0, 2));
  for (const bool at_once : {true, false}) {
    const Descriptor replayed = connected(port);
    say(replayed, at_once ? View(said) : View(said).first(kHelloBytes));
    Frame challenge;
    const Bytes heard = hear(replayed, kFrameBytes + sizeof(Nonce));
    ASSERT_EQ(parse(heard, 100, challenge), Reading::kGood);
    EXPECT_EQ(challenge.kind, Kind::kChallenge);
    if (!at_once) say(replayed, View(said).subspan(kHelloBytes));
    Frame answer;
    Refusal refusal;
    const Bytes refused = hear(replayed, kFrameBytes + kRefusalBytes);
    ASSERT_EQ(parse(refused, 100, answer), Reading::kGood);
    EXPECT_EQ(answer.kind, Kind::kRefused);
    EXPECT_TRUE(parse(answer.body, refusal));
    EXPECT_EQ(refusal.reason, Reason::kSecret);
  }
  const std::string key = outcome_of(meeting(port, 1, 2));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(next.text(), key);
}

// Who listens at the place of rank 0 and does not know the secret.
TEST(Meeting, AMemberIsNotDeceived) {
  enum Way { kReflects, kGuesses, kRubbish, kNewer, kTooLong, kHasAnotherWelcome, kWays };
  for (int way = 0; way < kWays; ++way) {
    const Descriptor place = listener();
    Child guest = begin(meeting(port_of(own_address(place.number())), 1, 2, 2));
    const Descriptor socket = accepted(place);
    const Bytes said = hear(socket, kHelloBytes);
    Hello hello;
    ASSERT_EQ(parse(said, hello), Reading::kGood);
    if (way == kRubbish) {
      say(socket, Bytes(100, 'x'));
      expect_fault(guest.text(), Fault::kArgument, {"not rank 0 of a job"});
      continue;
    }
    if (way == kNewer) {
      say(socket, frame_of(Refusal{Reason::kFormat, 9, 0}));
      expect_fault(guest.text(), Fault::kArgument, {"another version", "by format 9", "by 1"});
      continue;
    }
    if (way == kTooLong) {
      say(socket, frame_of(Kind::kChallenge, {Bytes(1000)}));
      expect_fault(guest.text(), Fault::kArgument, {"not rank 0 of a job"});
      continue;
    }
    say(socket, frame_of(Kind::kChallenge, {hello.nonce}));
    const Bytes proof = hear(socket, kFrameBytes + bytes_of(member(1)).size() + sizeof(Key));
    Key mac{};
    if (way == kReflects) std::copy(proof.end() - sizeof mac, proof.end(), mac.begin());
    if (way == kHasAnotherWelcome) mac = host_proof(secret_key("of the job"), hello, draw_nonce());
    say(socket, frame_of(Kind::kWelcome, {mac}));
    expect_fault(guest.text(), Fault::kSecret, {"rank 1", "does not know"});
  }
}

// A member whose connection is closed before its answer has done nothing wrong.
TEST(Meeting, AMemberThatIsClosedComesAgain) {
  const std::uint16_t port = free_port();
  Child guest = begin(meeting(port, 1, 2));  // before there is a listener that it could inherit
  Descriptor place = listener(port);
  accepted(place).close();
  hear(accepted(place), kHelloBytes);
  place.close();
  const std::string key = outcome_of(meeting(port, 0, 2));
  EXPECT_TRUE(is_key(key)) << key;
  EXPECT_EQ(guest.text(), key);
}

TEST(Meeting, LongAddressesAndTheirLimit) {
  const std::uint16_t port = free_port();
  Member own = member(0);
  own.fabric_address.assign(kMaxAddressBytes, '\0');
  const auto run = [&](int rank) {
    Room room(meeting(port, rank, 2));
    return room.exchange(own).members;
  };
  Child guest([&] { return run(1)[0] == own ? "right" : "wrong"; });
  EXPECT_EQ(run(0)[1], own);
  EXPECT_EQ(guest.text(), "right");
  Room room(meeting(port, 0, 2));
  own.fabric_address += 'x';
  EXPECT_THROW(room.exchange(own), Failure);
  own = member(0);
  own.host = "localhost";
  EXPECT_THROW(room.exchange(own), Failure);
  own = member(0);
  own.life_port = 0;
  EXPECT_THROW(room.exchange(own), Failure);
}

// What is read must be what would be written; all else is refused, and nothing outside the bytes is touched
// (sanitizers).
TEST(Meeting, RandomBytesAreReadOrRefused) {
  std::vector<Member> members;
  std::vector<Nonce> nonces;
  for (int rank = 0; rank < 4; ++rank) members.push_back(member(rank)), nonces.push_back(draw_nonce());
  const std::vector<Bytes> right = {
      bytes_of(Hello{kFormat, 1, 4, nonces[1]}),
      frame_of(Refusal{Reason::kRank, 1, 2}),
      frame_of(Kind::kProof, {bytes_of(members[3]), nonces[2]}),
      bytes_of(members[2]),
      table_of(members, nonces),
  };
  int taken[5] = {};
  for (std::uint32_t seed = 0; seed < 10000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t end) { return random() % end; };
    Bytes drawn;
    if (below(4) == 0) {
      drawn.resize(below(300));
      for (std::uint8_t& byte : drawn) byte = static_cast<std::uint8_t>(random());
    } else {
      drawn = right[below(right.size())];
      for (std::size_t k = below(4); k > 0; --k) drawn[below(drawn.size())] = static_cast<std::uint8_t>(random());
      if (below(4) == 0) drawn.resize(below(drawn.size() + 20));
    }
    const Bytes bytes(drawn.begin(), drawn.end());  // without room behind them
    Hello hello;
    if (parse(bytes, hello) == Reading::kGood && hello.format == kFormat) {
      ++taken[0];
      ASSERT_EQ(bytes_of(hello), Bytes(bytes.begin(), bytes.begin() + kHelloBytes)) << seed;
    }
    Frame frame;
    const std::size_t limit = below(2) == 0 ? kMaxProofBytes : 40;
    if (parse(bytes, limit, frame) == Reading::kGood) {
      ++taken[1];
      ASSERT_LE(frame.body.size(), limit) << seed;
      const Bytes again = frame_of(frame.kind, {frame.body});
      ASSERT_EQ(again, Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(again.size()))) << seed;
      Refusal refusal;
      if (parse(frame.body, refusal)) {
        ++taken[2];
        ASSERT_EQ(frame_of(refusal), frame_of(Kind::kRefused, {frame.body})) << seed;
      }
    }
    Member one;
    if (parse(bytes, one)) {
      ++taken[3];
      ASSERT_TRUE(is_sound(one)) << seed;
      ASSERT_EQ(bytes_of(one), bytes) << seed;
    }
    std::vector<Member> some;
    std::vector<Nonce> their;
    if (parse(bytes, 4, some, their)) {
      ++taken[4];
      ASSERT_EQ(table_of(some, their), bytes) << seed;
    }
  }
  for (const int times : taken) EXPECT_GT(times, 100);
}

}  // namespace
}  // namespace gapless::wire::fabric
