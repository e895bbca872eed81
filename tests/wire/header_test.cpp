// The header of a message: what is one, and what is data.
#include "wire/header.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "wire/node.hpp"
#include "wire/pool.hpp"

namespace gapless::wire::test {

namespace {

// A message that this process has sent to the other one and nobody has received, and its header.
struct Sent {
  Segment& segment;
  Sealed sealed;
  Header header{};
};

void with_message(const std::function<void(Sent&)>& body) {
  std::string why;
  Segment segment;
  ASSERT_TRUE(segment.attach(Segment::make(2, 64 * kMega, why), 0, why)) << why;
  Pool pool(segment);
  Lease lease;
  ASSERT_TRUE(pool.take(1, 1, lease));
  segment.record(0, lease.record).occupy(1);
  segment.record(0, lease.record).serial.store(7);
  Sent sent{segment, {{0, lease.record, 50'000, 50'000}, 7, std::nullopt}};
  write_header(sent.header, segment, sent.sealed);
  body(sent);
}

bool is_header(Sent& sent, const void* bytes) {
  Sealed found;
  return read_header(bytes, sent.segment, found);
}

}  // namespace

TEST(Header, IsReadFromAnyAddress) {
  with_message([](Sent& sent) {
    std::vector<char> memory(kHeaderBytes + 3);
    std::memcpy(memory.data() + 3, &sent.header, kHeaderBytes);
    Sealed found;
    ASSERT_TRUE(read_header(memory.data() + 3, sent.segment, found));
    EXPECT_EQ(found.ticket.bytes, 50'000);
    EXPECT_EQ(found.ticket.part_bytes, 50'000);
    EXPECT_EQ(found.ticket.record, sent.sealed.ticket.record);
    EXPECT_EQ(found.serial, 7u);
  });
}

// A library that moves long doubles may leave out the six bytes behind their ten.
TEST(Header, SurvivesTheGapsOfLongDoubles) {
  with_message([](Sent& sent) {
    std::vector<char> memory(kHeaderBytes, 'x');
    for (std::int64_t at = 0; at < kHeaderBytes; at += 16) {
      std::memcpy(memory.data() + at, reinterpret_cast<const char*>(&sent.header) + at, 10);
    }
    EXPECT_TRUE(is_header(sent, memory.data()));
  });
}

TEST(Header, EndsInsideNoBasicType) {
  for (const std::int64_t bytes : {1, 2, 4, 6, 8, 12, 16, 20, 24, 32}) EXPECT_EQ(kHeaderBytes % bytes, 0) << bytes;
}

TEST(Header, OfAnotherMessageOrNoneIsData) {
  with_message([](Sent& sent) {
    ASSERT_TRUE(is_header(sent, &sent.header));
    for (const int word : {0, 2, 4, 6, 8, 10, 12}) {
      for (const std::uint64_t wrong :
           {std::uint64_t{1} << 40, std::uint64_t{INT64_MAX}, ~std::uint64_t{0}, std::uint64_t{0}}) {
        Header changed = sent.header;
        if (changed.words[word] == wrong) continue;
        changed.words[word] = wrong;
        EXPECT_FALSE(is_header(sent, &changed)) << "word " << word << " is " << wrong;
      }
    }
    // The trial and the kind of its stores, of which 0 is one.
    for (const auto& [word, wrong] : {std::pair<int, std::uint64_t>{14, 4},
                                      {14, ~std::uint64_t{0}},
                                      {16, StoresKind::kAll},
                                      {16, std::uint64_t{1} << 32}}) {
      Header changed = sent.header;
      changed.words[word] = wrong;
      EXPECT_FALSE(is_header(sent, &changed)) << "word " << word << " is " << wrong;
    }
  });
}

TEST(Header, OfAMessageThatIsGoneIsData) {
  with_message([](Sent& sent) {
    auto& record = sent.segment.record(0, sent.sealed.ticket.record);
    record.serial.store(8);
    EXPECT_FALSE(is_header(sent, &sent.header)) << "of the message before";
    record.serial.store(7);
    ASSERT_TRUE(is_header(sent, &sent.header));
    record.give_back();
    EXPECT_FALSE(is_header(sent, &sent.header)) << "of one that was received";
  });
}

// Who announces and then sees that it is accepted is seen by who declines and then looks.
TEST(Acceptance, IsSaidAndCounted) {
  with_message([](Sent& sent) {
    EXPECT_FALSE(sent.segment.accepts(0)) << "before it is said";
    sent.segment.accept(true);
    EXPECT_TRUE(sent.segment.accepts(0));
    EXPECT_FALSE(sent.segment.accepts(1));
    sent.segment.announce(0);
    sent.segment.announce(0);
    sent.segment.withdraw(0);
    EXPECT_EQ(sent.segment.announced_here(), 1u);
    sent.segment.accept(false);
    EXPECT_FALSE(sent.segment.accepts(0));
  });
}

}  // namespace gapless::wire::test
