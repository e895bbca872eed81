// The meeting of a job: real processes and sockets.
#include "channel/meeting_members.hpp"

namespace gapless::wire::fabric {
namespace {

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

}  // namespace
}  // namespace gapless::wire::fabric
