// The meeting of a job with strangers among its members; and its messages from random bytes.
#include <sys/resource.h>

#include <random>

#include "channel/meeting_members.hpp"

namespace gapless::wire::fabric {
namespace {

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
