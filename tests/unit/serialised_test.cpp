// The serialised form byte by byte, as docs/serialised.md has it, and what a reader refuses: one case a rule.
#include "serial/serial.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "notation/parse.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "support/serialised_bytes.hpp"

namespace gapless::test {
namespace {

using base::Status;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();

SerialisedBytes serialised(const std::string& text) {
  const layout::LayoutPtr type = notation::parse(text);
  return serial::serialise(plan::compile(*type)->form(), type->lb, type->extent);
}

std::string read(const SerialisedBytes& bytes) {
  return notation::print(*serial::deserialise(bytes).type);
}

void expect_refused(const SerialisedBytes& bytes, const std::string& reason, Status status = Status::kInvalidArgument) {
  try {
    FAIL() << "read as " << notation::abridged(*serial::deserialise(bytes).type) << ", not refused: " << reason;
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    EXPECT_EQ(error.status(), status) << error.what();
  }
}

// The beginning of a form of `size` bytes at 0, up to its nodes.
SerialisedWriter form(std::uint64_t size, std::uint64_t nodes) {
  return SerialisedWriter().number(size).signed_number(0).signed_number(100).signed_number(0).number(nodes);
}

// The writer of the tests agrees byte by byte: it is made from the page, not from the engine.
TEST(Serialised, EachKindOfNodeAsThePageSays) {
  EXPECT_EQ(serialised("vector(1000, 2, 4, int32)"),
            (SerialisedBytes{0x47, 0x41, 0x50, 0x01, 0xc0, 0x3e, 0x00, 0xf0, 0xf9, 0x01, 0x00, 0x02,
                             0x01, 0x08, 0x02, 0xe8, 0x07, 0x20, 0x00, 0x90, 0xc5, 0xaf, 0x20}));
  EXPECT_EQ(serialised("resized(-8, 16, contiguous(0, int32))"),
            SerialisedWriter().number(0).signed_number(-8).signed_number(16).sealed());
  EXPECT_EQ(serialised("hvector(3, 1, -12, int32)"), SerialisedWriter()
                                                         .number(12)
                                                         .signed_number(-24)
                                                         .signed_number(28)
                                                         .signed_number(0)
                                                         .number(2)
                                                         .run(4)
                                                         .loop(3, -12, 0)
                                                         .sealed());
  // Steps in units of 8 bytes, the first block at 24.
  EXPECT_EQ(serialised("indexed_block(1, [3, 9, 1, 20], double)"), SerialisedWriter()
                                                                       .number(32)
                                                                       .signed_number(8)
                                                                       .signed_number(160)
                                                                       .signed_number(24)
                                                                       .number(2)
                                                                       .run(8)
                                                                       .raw(3)
                                                                       .number(4)
                                                                       .number(0)
                                                                       .number(8)
                                                                       .signed_number(6)
                                                                       .signed_number(-8)
                                                                       .signed_number(19)
                                                                       .sealed());
}

TEST(Serialised, EqualLayoutsHaveEqualBytes) {
  const SerialisedBytes bytes = serialised("vector(10, 2, 4, int32)");
  EXPECT_EQ(serialised("resized(0, 152, hvector(10, 1, 16, double))"), bytes);
  EXPECT_EQ(serialised("struct([(1, 0, vector(9, 8, 16, byte)), (1, 144, double)])"), bytes);
  EXPECT_NE(serialised("resized(0, 160, vector(10, 2, 4, int32))"), bytes);
}

// By content: these two are different objects.
TEST(Serialised, EqualNodesAreWrittenOnce) {
  const auto pair = [](std::int64_t apart) { return normal::make_loop(2, apart, normal::make_run(3)); };
  normal::Node node;
  node.kind = normal::Kind::kSequence;
  node.parts = {{0, pair(5)}, {100, pair(7)}, {1000, pair(5)}};
  EXPECT_EQ(serial::serialise({8, normal::finish(node)}, 0, 2000), SerialisedWriter()
                                                                       .number(18)
                                                                       .signed_number(0)
                                                                       .signed_number(2000)
                                                                       .signed_number(8)
                                                                       .number(4)
                                                                       .run(3)
                                                                       .loop(2, 5, 0)
                                                                       .loop(2, 7, 0)
                                                                       .sequence({{0, 1}, {100, 2}, {900, 1}})
                                                                       .sealed());
}

TEST(Serialised, FormsThatNoReaderTakesAreNotWritten) {
  normal::NodePtr node = normal::make_run(1);
  for (std::int64_t level = 1; level < 513; ++level) {
    normal::Node next;
    next.kind = normal::Kind::kSequence;
    next.parts = {{0, node}, {2 * level, normal::make_run(1)}};
    node = normal::finish(next);
    if (level == 511) {
      EXPECT_NO_THROW(serial::serialise({0, node}, 0, 2000));
    }
  }
  try {
    serial::serialise({0, node}, 0, 2000);
    FAIL() << "written";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "the type cannot be serialised: its normal form is 513 levels deep; a reader takes 512");
  }
}

TEST(Serialised, WhatIsReadHasTheBoundsAndIsMadeOfBytes) {
  EXPECT_EQ(read(serialised("vector(3, 2, 4, int32)")), "resized(0, 40, hvector(3, 1, 16, contiguous(8, byte)))");
  EXPECT_EQ(read(serialised("resized(-8, 16, contiguous(0, int32))")), "resized(-8, 16, contiguous(0, byte))");
  EXPECT_EQ(read(serialised("hindexed([1], [40], int32)")),
            "resized(40, 4, hindexed_block(1, [40], contiguous(4, byte)))");
}

TEST(Serialised, ExtremesOfTheRange) {
  for (const char* text :
       {"hindexed([1, 1, 1], [-4611686018427387904, 7, 4611686018427387000], int32)",
        "hindexed([1, 2, 1], [4611686018427387000, -4611686018427387904, 9], byte)",
        "resized(-9223372036854775808, 9223372036854775807, byte)", "hindexed([1], [-9223372036854775808], byte)",
        "contiguous(9223372036854775807, byte)", "hvector(2, 1, -9223372036854775806, byte)"}) {
    const SerialisedBytes bytes = serialised(text);
    const serial::Deserialised again = serial::deserialise(bytes);
    EXPECT_EQ(serial::serialise(again.message.one, again.type->lb, again.type->extent), bytes) << text;
  }
}

TEST(SerialisedReader, RefusesWhatIsNoForm) {
  expect_refused({}, "byte 0: 0 bytes are too few");
  expect_refused({'G', 'A', 'P', 1, 0, 0, 0}, "7 bytes are too few");
  SerialisedBytes bytes = serialised("double");
  bytes[1] = 'a';
  reseal(bytes);
  expect_refused(bytes, "byte 0: it does not begin with 'GAP'");
  bytes = serialised("double");
  bytes[3] = 2;
  reseal(bytes);
  expect_refused(bytes, "byte 3: it has format version 2; this engine reads version 1");
  bytes = serialised("double");
  bytes.back() ^= 1;
  expect_refused(bytes, "the checksum is that of other bytes");
}

TEST(SerialisedReader, RefusesNumbersThatAreNone) {
  expect_refused(SerialisedWriter().raw(0x80).raw(0).sealed(), "byte 4: the size has more bytes than it needs");
  SerialisedWriter wide;
  for (int i = 0; i < 9; ++i) wide.raw(0xFF);
  expect_refused(SerialisedWriter(wide).raw(2).sealed(), "byte 4: the size does not fit into 64 bits");
  expect_refused(SerialisedWriter(wide).raw(1).sealed(), "byte 4: the size does not fit into 63 bits",
                 Status::kOverflow);
  expect_refused(SerialisedWriter().number(0).raw(0xFF).sealed(), "byte 6: it ends where the lower bound should stand");
  expect_refused(SerialisedWriter().number(0).signed_number(1).signed_number(kMax).sealed(), "lower bound + extent",
                 Status::kOverflow);
}

TEST(SerialisedReader, RefusesWrongCounts) {
  expect_refused(form(1, 0).sealed(), "the number of nodes must be at least 1, not 0");
  expect_refused(form(1, 200).run(1).sealed(), "the number of nodes is 200, more than the 2 bytes behind it can hold");
  SerialisedWriter many = form(1, 65'537);
  for (int i = 0; i < 65'537; ++i) many.run(1);
  expect_refused(many.sealed(), "the number of nodes is 65537, beyond the limit of 65536");
  expect_refused(form(1, 1).run(0).sealed(), "the length of a run must be at least 1, not 0");
  expect_refused(form(1, 2).run(1).loop(1, 8, 0).sealed(), "the count of a loop must be at least 2, not 1");
  expect_refused(form(1, 2).run(1).table(0, {}).sealed(), "the count of a table must be at least 2, not 1");
  expect_refused(form(1, 2).run(1).sequence({{0, 0}}).sealed(), "the count of a sequence must be at least 2, not 1");
  expect_refused(form(1, 1).blocks({1}, {}).sealed(), "the count of blocks must be at least 2, not 1");
  expect_refused(form(3, 1).blocks({3, 0}, {8}).sealed(), "a length must be at least 1, not 0");
  // A list of 2^60 entries is refused before there is memory for it.
  for (const std::uint8_t kind : {3, 4, 5})
    expect_refused(form(3, 2).run(1).raw(kind).number(std::uint64_t{1} << 60).raw(0).raw(0).raw(0).sealed(),
                   "more than the 3 bytes behind it can hold");
  expect_refused(form(2, 2).run(1).raw(3).number(2).number(0).number(0).signed_number(8).sealed(),
                 "the unit of the steps must be at least 1, not 0");
  expect_refused(form(3, 1).raw(4).number(2).number(0).number(1).number(2).number(1).signed_number(8).sealed(),
                 "the unit of the lengths must be at least 1, not 0");
}

TEST(SerialisedReader, RefusesWrongNodes) {
  expect_refused(form(1, 1).raw(0).raw(0).sealed(), "node 0: there is no kind 0");
  expect_refused(form(1, 1).raw(6).raw(0).sealed(), "node 0: there is no kind 6");
  expect_refused(form(2, 2).run(1).loop(2, 8, 1).sealed(), "node 1 refers to node 1, which does not stand before it");
  expect_refused(form(2, 2).loop(2, 8, 1).run(1).sealed(), "node 0 refers to node 1, which does not stand before it");
  expect_refused(form(2, 3).run(1).run(2).loop(2, 8, 0).sealed(), "no node refers to node 1");
  expect_refused(form(2, 2).run(1).loop(2, 8, 0).run(1).sealed(), "2 bytes behind the last node");
  expect_refused(form(3, 2).run(1).loop(2, 8, 0).sealed(), "the size is said to be 3 bytes, but the nodes have 2");
  expect_refused(SerialisedWriter().number(0).signed_number(0).signed_number(0).raw(0).sealed(), "1 bytes behind");
}

TEST(SerialisedReader, RefusesWhatOverflows) {
  const Status overflow = Status::kOverflow;
  expect_refused(form(1, 2).run(kMax).loop(2, 8, 0).sealed(), "node 1: size of the type", overflow);
  expect_refused(form(6, 2).run(2).loop(3, kMax / 2, 0).sealed(), "node 1: displacement + upper bound", overflow);
  expect_refused(form(3, 2).run(1).table(0, {kMax, 1}).sealed(), "an offset does not fit into 64 bits", overflow);
  expect_refused(form(2, 2).run(1).raw(3).number(2).number(0).number(kMax).signed_number(2).sealed(),
                 "an offset does not fit into 64 bits", overflow);
  expect_refused(form(2, 1).raw(4).number(2).number(kMax).number(2).number(1).number(1).signed_number(0).sealed(),
                 "an offset does not fit into 64 bits", overflow);
  expect_refused(form(2, 2).run(1).sequence({{0, 0}, {kLeast, 0}}).sealed(), "node 1: true extent", overflow);
  expect_refused(
      SerialisedWriter().number(2).signed_number(0).signed_number(2).signed_number(kMax).number(1).run(2).sealed(),
      "the place of the first byte: displacement", overflow);
  // Fifty doublings twice over.
  SerialisedWriter doubled = form(1, 101).run(1);
  for (std::uint64_t i = 0; i < 100; ++i) doubled.sequence({{0, i}, {1, i}});
  expect_refused(doubled.sealed(), "node 63: ", overflow);
}

TEST(SerialisedReader, RefusesWhatIsTooDeep) {
  // Each level adds a byte, far behind what is there.
  const auto nested = [](std::uint64_t levels) {
    SerialisedWriter bytes = form(levels, levels).run(1);
    for (std::uint64_t i = 1; i < levels; ++i) bytes.sequence({{0, i - 1}, {static_cast<std::int64_t>(3 * i * i), 0}});
    return bytes.sealed();
  };
  EXPECT_EQ(serial::deserialise(nested(512)).type->size, 512);
  expect_refused(nested(513), "node 512: deeper than the limit of 512 levels");
}

TEST(SerialisedReader, RefusesWhatTakesTooMuchWork) {
  // Found among random ones: nodes that share each other.
  Random random(8090511091005709339u);
  const SerialisedBytes bytes = hostile_form(random, 300);
  EXPECT_LE(bytes.size(), 300u);
  expect_refused(bytes, "byte 4: the nodes: it takes too much work to normalise");
}

}  // namespace
}  // namespace gapless::test
