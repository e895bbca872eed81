// A peer that knows the job's key and is hostile: what it sends is refused, harms nothing, and what is right goes on.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "channel/lone.hpp"

namespace gapless::test {
namespace {

using channel::Clear;
using channel::Header;
using channel::Kind;
using channel::Transfer;
using channel::Way;
using wire::fabric::Fault;
using Bytes = Lone::Bytes;

std::string text_in(const std::vector<char>& buffer, std::size_t bytes) {
  return {buffer.data(), bytes};
}

// The channel receives up to 100 bytes from rank 1.
struct Receiving {
  explicit Receiving(Lone& lone) : transfer(lone.channel().receive(buffer.data(), 100, lone.byte(), 1)) {}
  std::vector<char> buffer = std::vector<char>(100);
  Transfer* transfer;
};

TEST(Hostile, AFrameThatIsRightIsTaken) {
  Lone lone;
  Receiving one(lone);
  lone.eager(1, "hello");
  ASSERT_TRUE(lone.turn_until([&] { return one.transfer->is_done; }));
  EXPECT_EQ(one.transfer->bytes, 5);
  EXPECT_EQ(text_in(one.buffer, 5), "hello");
  EXPECT_EQ(lone.refused(), 0);
}

TEST(Hostile, EachBitOfASealedFrameCounts) {
  Lone lone;
  Receiving one(lone);
  Header header;
  header.kind = Kind::kRequest;
  header.message = 1;
  header.bytes = 50;
  const std::array<std::byte, sizeof(channel::Request)> body{};
  const Bytes right = lone.frame(header, body);
  std::int64_t wrong = 0;
  for (std::size_t bit = 0; bit < right.size() * 8; bit += 5) {
    Bytes changed = right;
    changed[bit / 8] ^= std::byte(1 << bit % 8);
    lone.put(changed);
    ++wrong;
  }
  ASSERT_TRUE(lone.turn_until([&] { return lone.refused() == wrong; })) << lone.refused() << " of " << wrong;
  EXPECT_EQ(one.transfer->bytes, 0) << "nothing was taken";
  lone.put(right);
  EXPECT_TRUE(lone.next(Kind::kClear));
}

TEST(Hostile, FramesThatAreRepeatedOrSkippedAreRefused) {
  Lone lone;
  Receiving one(lone), two(lone);
  Header header;
  header.kind = Kind::kEager;
  header.message = 1;
  header.bytes = 1;
  const Bytes first = lone.frame(header, std::as_bytes(std::span("a", 1)));
  lone.put(first);
  ASSERT_TRUE(lone.turn_until([&] { return one.transfer->is_done; }));
  lone.put(first);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  // The same message by the next frame.
  lone.eager(1, "b");
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 2; }));
  // One is left out.
  ++lone.sequence();
  lone.eager(2, "c");
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 3; }));
  lone.sequence() -= 2;
  EXPECT_FALSE(two.transfer->is_done);
  lone.eager(2, "d");
  ASSERT_TRUE(lone.turn_until([&] { return two.transfer->is_done; }));
  EXPECT_EQ(two.buffer[0], 'd');
  lone.eager(4, "message 3 was left out");
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 4; }));
}

TEST(Hostile, NobodySpeaksForAnother) {
  Lone lone(Lone::of_rank_0(), 4);
  Header header;
  header.kind = Kind::kEager;
  header.message = 1;
  std::int64_t wrong = 0;
  for (const std::uint32_t from : {0U, 2U, 3U, 4U, 65536U, UINT32_MAX}) {
    Bytes frame = lone.frame(header, {});
    header.from = from;
    header.sequence = 1;
    lone.seal(frame, header);
    lone.put(frame);
    ++wrong;
  }
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == wrong; })) << lone.refused();
  // And no more than a pointer was spent on them: nobody else is known, but for this process itself.
  Header first;
  Lone other(Lone::of_rank_0(), 4);
  EXPECT_EQ(lone.channel().counters().memory_bytes, other.channel().counters().memory_bytes);
}

TEST(Hostile, NoMoreMessagesThanTheWindow) {
  Lone lone;
  for (std::uint32_t k = 1; k <= channel::kWindow; ++k) lone.eager(k, "x");
  lone.turn_until([] { return false; }, 100);
  EXPECT_EQ(lone.refused(), 0);
  lone.eager(channel::kWindow + 1, "y");
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
}

TEST(Hostile, SaysThatItReceivedWhatWasNotSent) {
  Lone lone;
  Header header;
  header.kind = Kind::kMatched;
  header.matched = 1;
  lone.say(header);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  header.matched = UINT32_MAX;
  --lone.sequence();
  lone.say(header);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 2; }));
}

// The channel receives a long message, into a ring or by segments; the peer says that parts have come.
class Asked {
 public:
  explicit Asked(Lone& lone, std::size_t bytes, std::size_t room, std::optional<Way> way = Way::kHost)
      : memory(2 * room, 'M'), lone_(lone) {
    gapless_type_parse(("hvector(" + std::to_string(room) + ", 1, 2, byte)").c_str(), &type_);
    transfer = lone.channel().receive(memory.data(), 1, type_, 1);
    Header header;
    header.kind = Kind::kRequest;
    header.way = way.value_or(Way::kHost);
    header.message = ++messages_;
    header.bytes = bytes;
    Bytes body(channel::kEagerBytes);
    lone.say(header, std::span(body).first(channel::write(channel::Request{1}, body.data())));
    const std::optional<Bytes> answer = lone.next(Kind::kClear);
    EXPECT_TRUE(answer);
    if (answer) clear = channel::read_clear(Lone::body_of(*answer));
    EXPECT_TRUE(clear);
  }
  ~Asked() { gapless_type_free(&type_); }
  void write(std::uint32_t target, std::uint32_t generation, std::uint32_t part, char fill = 'w',
             std::size_t bytes = 4096) {
    std::vector<char> from(bytes, fill);
    wire::fabric::Operation operation;
    operation.kind = wire::fabric::Operation::Kind::kWrite;
    const wire::fabric::Local local{from.data(), from.size(), nullptr};
    const wire::fabric::Remote remote{clear->places[0].address + part % clear->parts * clear->part, bytes,
                                      clear->places[0].key};
    while (lone_.endpoint().write(lone_.address(), {&local, 1}, {&remote, 1}, true,
                                  channel::Immediate{target, generation, part}.word(), operation) != 0)
      lone_.turn();
    lone_.turn_until([] { return false; }, 200);
  }

  std::vector<char> memory;
  Transfer* transfer = nullptr;
  std::optional<Clear> clear;

 private:
  Lone& lone_;
  gapless_type type_ = nullptr;
  std::uint32_t messages_ = 0;
};

TEST(Hostile, PartsThatHaveNotBeenAskedFor) {
  channel::Settings small = Lone::of_rank_0(Way::kHost);
  small.part = 4096;
  small.parts = 3;
  small.targets = 2;
  Lone lone(small);
  Asked one(lone, 20'000, 24'000);
  ASSERT_EQ(one.clear->where, Clear::Where::kRing);
  ASSERT_EQ(one.clear->parts, 3U);
  const std::uint32_t target = one.clear->target, generation = one.clear->generation;
  one.write(target ^ 1, generation, 0);  // a target that nobody uses
  one.write(33, generation, 0);          // none at all
  one.write(target, generation + 1, 0);
  one.write(target, generation - 1, 0);
  one.write(target, generation, 3);  // not yet in the ring
  one.write(target, generation, 65535);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 6; })) << lone.refused();
  one.write(target, generation, 1);
  one.write(target, generation, 1);  // twice
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 7; })) << lone.refused();
  EXPECT_FALSE(one.transfer->is_done);
  one.write(target, generation, 0);
  one.write(target, generation, 0);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 8; })) << lone.refused();
  EXPECT_FALSE(one.transfer->is_done) << "it is not done before all its parts have come";
  for (const std::uint32_t part : {2U, 3U, 4U}) one.write(target, generation, part);
  ASSERT_TRUE(lone.turn_until([&] { return one.transfer->is_done; }));
  for (std::size_t k = 0; k < one.memory.size(); ++k)
    ASSERT_EQ(one.memory[k], k % 2 == 0 && k / 2 < 20'000 ? 'w' : 'M') << k;
  one.write(target, generation, 0);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 9; })) << "a write after the end of its message";
}

// A chunk has its receive before the peer knows that it may send it, and all together leave room for frames.
TEST(Hostile, SegmentsAreAskedForAsTheyAreAwaited) {
  channel::Settings few = Lone::of_rank_0(Way::kSegments);
  few.targets = 32;
  Lone lone(few);
  Asked one(lone, 3000, 4000, Way::kSegments);
  ASSERT_EQ(one.clear->where, Clear::Where::kSegments);
  const auto window = static_cast<std::uint32_t>(lone.endpoint().most_receives() / 2 / 32);
  ASSERT_EQ(one.clear->parts, window);
  ASSERT_GT(window, 3U);
  const auto most = static_cast<std::uint32_t>(one.clear->part);
  std::vector<char> from(most, 'w');
  std::vector<wire::fabric::Operation> operations(window);
  for (std::uint32_t k = 0; k < window / 2; ++k) {
    operations[k].kind = wire::fabric::Operation::Kind::kChunkOut;
    const wire::fabric::Local local{from.data(), most, nullptr};
    const std::uint64_t tag = static_cast<std::uint64_t>(one.clear->target << 10 | one.clear->generation) << 32 | k;
    while (lone.endpoint().send_chunk(lone.address(), {&local, 1}, tag, operations[k]) != 0) lone.turn();
  }
  const std::optional<Bytes> credit = lone.next(Kind::kCredit);
  ASSERT_TRUE(credit);
  EXPECT_EQ(Lone::header_of(*credit).number, window / 2);
  EXPECT_EQ(Lone::header_of(*credit).message, 1U);
}

TEST(Hostile, AMessageThatIsTooLongIsRefusedOnBothSides) {
  Lone lone;
  Receiving one(lone);
  Header header;
  header.kind = Kind::kRequest;
  header.message = 1;
  header.bytes = INT64_MAX;
  lone.say(header, {});
  const std::optional<Bytes> refusal = lone.next(Kind::kRefuse);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(Lone::header_of(*refusal).bytes, 100U);
  EXPECT_EQ(Lone::header_of(*refusal).message, 1U);
  EXPECT_EQ(one.transfer->fault, Fault::kTruncated);
}

// Its request has come, then it ended, then the receive is made.
TEST(Hostile, ARequestOfWhoHasEnded) {
  Lone lone;
  Header header;
  header.kind = Kind::kRequest;
  header.message = 1;
  header.bytes = 50;
  const std::array<std::byte, sizeof(channel::Request)> body{};
  lone.say(header, body);
  lone.turn_until([] { return false; }, 100);
  EXPECT_EQ(lone.refused(), 0);
  std::vector<char> memory(20'000);
  Transfer* sent = lone.channel().send(memory.data(), 20'000, lone.byte(), 1);
  lone.end_peer();
  ASSERT_TRUE(lone.channel().wait(sent, 5'000'000'000));
  EXPECT_EQ(sent->fault, Fault::kPeer);
  Receiving one(lone);
  EXPECT_TRUE(lone.channel().wait(one.transfer, 1'000'000'000)) << "it waits for who has ended";
  EXPECT_EQ(one.transfer->fault, Fault::kPeer);
}

TEST(Hostile, StrangersFramesOfAllLengths) {
  Lone lone;
  Receiving one(lone), two(lone);
  lone.eager(1, "here");
  ASSERT_TRUE(lone.turn_until([&] { return one.transfer->is_done; }));
  // Who is no member of the job, and has the address. One that is longer than any frame costs him his connection.
  wire::fabric::Endpoint stranger({"tcp", "", "127.0.0.1"});
  const std::uint64_t address = stranger.add(lone.channel_address());
  std::int64_t wrong = 0;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, sizeof(Header) - 1, sizeof(Header),
                                  channel::kFrameBytes, channel::kFrameBytes + 1}) {
    Bytes frame(std::max<std::size_t>(bytes, 1), std::byte{0x41});
    wire::fabric::Operation operation;
    wire::fabric::Completion completion;
    while (stranger.send(address, {frame.data(), bytes, nullptr}, operation) != 0) {
      stranger.poll(&completion, 1);
      lone.turn();
    }
    ++wrong;
    EXPECT_TRUE(lone.turn_until([&] {
      stranger.poll(&completion, 1);
      return lone.refused() == wrong;
    })) << bytes;
  }
  lone.eager(2, "still here");
  ASSERT_TRUE(lone.turn_until([&] { return two.transfer->is_done; }));
  EXPECT_EQ(text_in(two.buffer, 10), "still here");
}

TEST(Hostile, KeysOfRegisteredMemoryCannotBeGuessed) {
  wire::fabric::Endpoint endpoint({"tcp", "", "127.0.0.1"});
  std::vector<char> memory(4096);
  const wire::fabric::Registration one = endpoint.make_reachable(memory.data(), 4096, true);
  const wire::fabric::Registration two = endpoint.make_reachable(memory.data(), 4096, true);
  EXPECT_GT(one.key ^ two.key, 0xFFFFFFFFU);
  EXPECT_GT(one.key, 0xFFFFU);
}

}  // namespace
}  // namespace gapless::test
