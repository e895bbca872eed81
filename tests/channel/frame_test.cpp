// The readers of frames refuse what no peer writes: each field at its limits.
#include "channel/frame.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>

namespace gapless::channel {
namespace {

using Bytes = std::vector<std::byte>;

Bytes frame_of(const Header& header, std::size_t body) {
  Bytes frame(sizeof header + body);
  std::memcpy(frame.data(), &header, sizeof header);
  return frame;
}

bool reads(const std::function<void(Header&)>& change, std::size_t body = 0) {
  Header header;
  header.body = static_cast<std::uint32_t>(body);
  change(header);
  return read_header(frame_of(header, body)).has_value();
}

TEST(Frame, HeaderIsReadAsItIsWritten) {
  Header header;
  header.kind = Kind::kCredit;
  header.way = Way::kSegments;
  header.is_ready = 1;
  header.from = 7;
  header.sequence = 0xFFFFFFFF;
  header.matched = 3;
  header.message = 4;
  header.bytes = INT64_MAX;
  header.body = 5;
  header.number = 6;
  header.seal = 0x0123456789ABCDEF;
  const std::optional<Header> read = read_header(frame_of(header, 5));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::memcmp(&*read, &header, sizeof header), 0);
}

TEST(Frame, HeadersAtTheirLimits) {
  EXPECT_TRUE(reads([](Header&) {}));
  EXPECT_FALSE(reads([](Header& header) { header.magic ^= 1; }));
  EXPECT_FALSE(reads([](Header& header) { header.kind = Kind{0}; }));
  EXPECT_TRUE(reads([](Header& header) { header.kind = Kind::kBye; }));
  EXPECT_FALSE(reads([](Header& header) { header.kind = Kind{10}; }));
  EXPECT_FALSE(reads([](Header& header) { header.kind = Kind{255}; }));
  EXPECT_TRUE(reads([](Header& header) { header.way = Way::kSegments; }));
  EXPECT_FALSE(reads([](Header& header) { header.way = Way{3}; }));
  EXPECT_TRUE(reads([](Header& header) { header.bytes = INT64_MAX; }));
  EXPECT_FALSE(reads([](Header& header) { header.bytes = std::uint64_t{INT64_MAX} + 1; }));
  EXPECT_TRUE(reads([](Header&) {}, kEagerBytes));
  EXPECT_FALSE(reads([](Header& header) { ++header.body; }, 10));
  EXPECT_FALSE(reads([](Header& header) { --header.body; }, 10));
  const auto eager = [](std::uint64_t bytes) {
    return [bytes](Header& header) { header.kind = Kind::kEager, header.bytes = bytes; };
  };
  EXPECT_TRUE(reads(eager(10), 10));
  EXPECT_FALSE(reads(eager(9), 10)) << "an eager message is its body";
  EXPECT_FALSE(reads(eager(11), 10));
  EXPECT_TRUE(reads(eager(0), 0));
  const Bytes frame = frame_of(Header(), 0);
  for (std::size_t length = 0; length < frame.size(); ++length)
    EXPECT_FALSE(read_header(std::span(frame).first(length))) << length;
}

Clear sound_clear(Clear::Where where) {
  Clear clear;
  clear.where = where;
  clear.part = 4096;
  clear.parts = 4;
  clear.places.push_back({.address = 0x1000, .key = 9, .here = 0x7000, .bytes = 4 * 4096});
  if (where == Clear::Where::kSegments) clear.places.clear();
  return clear;
}

std::optional<Clear> read_again(const Clear& clear, std::ptrdiff_t more = 0) {
  Bytes body(kEagerBytes + 4096);
  const std::size_t bytes = write(clear, body.data());
  return read_clear(std::span(body).first(bytes + static_cast<std::size_t>(more)));
}

constexpr std::array kAllPlaces = {Clear::Where::kRing, Clear::Where::kMemory, Clear::Where::kLayout,
                                   Clear::Where::kSegments};

TEST(Frame, ClearIsReadAsItIsWritten) {
  for (const Clear::Where where : kAllPlaces) {
    Clear clear = sound_clear(where);
    clear.target = Immediate::kTargets - 1;
    clear.generation = 1023;
    clear.form = kMostForms - 1;
    clear.form_generation = 77;
    clear.count = INT64_MAX;
    clear.base = UINT64_MAX;
    if (where == Clear::Where::kLayout) clear.places.resize(kMostPlaces, clear.places[0]);
    const std::optional<Clear> read = read_again(clear);
    ASSERT_TRUE(read) << static_cast<int>(where);
    EXPECT_EQ(read->where, clear.where);
    EXPECT_EQ(read->target, clear.target);
    EXPECT_EQ(read->generation, clear.generation);
    EXPECT_EQ(read->part, clear.part);
    EXPECT_EQ(read->parts, clear.parts);
    EXPECT_EQ(read->form, clear.form);
    EXPECT_EQ(read->form_generation, clear.form_generation);
    EXPECT_EQ(read->count, clear.count);
    EXPECT_EQ(read->base, clear.base);
    ASSERT_EQ(read->places.size(), clear.places.size());
    for (std::size_t k = 0; k < clear.places.size(); ++k)
      EXPECT_EQ(std::memcmp(&read->places[k], &clear.places[k], sizeof(Place)), 0);
    EXPECT_FALSE(read_again(clear, -1));
    EXPECT_FALSE(read_again(clear, 1)) << "bytes behind the last place";
  }
}

TEST(Frame, ClearsAtTheirLimits) {
  for (const Clear::Where where : kAllPlaces) {
    const auto reads = [&](const std::function<void(Clear&)>& change) {
      Clear clear = sound_clear(where);
      change(clear);
      return read_again(clear).has_value();
    };
    const bool is_ring = where == Clear::Where::kRing, in_parts = is_ring || where == Clear::Where::kSegments;
    const bool one_place = is_ring || where == Clear::Where::kMemory;
    SCOPED_TRACE(static_cast<int>(where));
    EXPECT_TRUE(reads([](Clear&) {}));
    EXPECT_FALSE(reads([](Clear& clear) { clear.where = Clear::Where{0}; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.where = Clear::Where{5}; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.target = Immediate::kTargets; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.target = UINT32_MAX; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.form = kMostForms; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.count = -1; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.count = INT64_MIN; }));
    EXPECT_EQ(reads([](Clear& clear) { clear.part = 0; }), !in_parts) << "a part of nothing";
    EXPECT_EQ(reads([](Clear& clear) { clear.part = UINT64_MAX; }), !in_parts);
    EXPECT_EQ(reads([](Clear& clear) { clear.parts = 0; }), !in_parts) << "nothing would ever be sent";
    EXPECT_EQ(reads([](Clear& clear) { clear.parts = 5; }), !is_ring) << "more parts than fit into the place";
    EXPECT_EQ(reads([](Clear& clear) { clear.part = 4097; }), !is_ring);
    EXPECT_EQ(reads([](Clear& clear) { clear.parts = UINT32_MAX; }), !in_parts);
    EXPECT_EQ(reads([](Clear& clear) { clear.places.clear(); }), !one_place);
    EXPECT_EQ(reads([](Clear& clear) { clear.places.resize(2); }), !one_place);
    EXPECT_EQ(reads([](Clear& clear) { clear.places.resize(kMostPlaces); }), !one_place);
    EXPECT_FALSE(reads([](Clear& clear) { clear.places.resize(kMostPlaces + 1); }));
    if (!one_place && where != Clear::Where::kLayout) continue;
    EXPECT_FALSE(reads([](Clear& clear) { clear.places[0].bytes = std::uint64_t{INT64_MAX} + 1; }));
    EXPECT_FALSE(reads([](Clear& clear) { clear.places[0].address = UINT64_MAX - 16382; })) << "it wraps";
    EXPECT_FALSE(reads([](Clear& clear) { clear.places[0].here = UINT64_MAX - 16382; }));
    EXPECT_TRUE(reads([](Clear& clear) { clear.places[0].here = UINT64_MAX - 16384; }));
  }
  // As many parts as an immediate can tell apart twice over.
  Clear clear = sound_clear(Clear::Where::kRing);
  clear.part = 1;
  clear.places[0].bytes = 1 << 20;
  clear.parts = Immediate::kParts / 2 - 1;
  EXPECT_TRUE(read_again(clear));
  clear.parts = Immediate::kParts / 2;
  EXPECT_FALSE(read_again(clear));
}

TEST(Frame, AListOfPlacesThatIsShorterThanItSays) {
  Bytes body(kEagerBytes);
  Clear clear = sound_clear(Clear::Where::kLayout);
  clear.places.resize(8, clear.places[0]);
  const std::size_t bytes = write(clear, body.data());
  for (std::size_t length = 0; length < bytes; ++length) EXPECT_FALSE(read_clear(std::span(body).first(length)));
  // The number of places is the last word before them; one that wraps when it is multiplied is no small list.
  const std::size_t at = bytes - 8 * sizeof(Place) - 8;
  const std::uint64_t wrapping = (UINT64_MAX / sizeof(Place)) + 1 + 8;
  std::memcpy(body.data() + at, &wrapping, sizeof wrapping);
  EXPECT_FALSE(read_clear(std::span(body).first(bytes)));
}

TEST(Frame, FormsAtTheirLimits) {
  const Bytes text(kFormPart, std::byte{7});
  const auto read_again = [&](Form form, std::size_t part) {
    Bytes body(kEagerBytes);
    form.part = std::span(text).first(part);
    const std::size_t bytes = write(form, body.data());
    const std::optional<Form> read = read_form(std::span(body).first(bytes));
    if (!read) return false;
    EXPECT_EQ(read->number, form.number);
    EXPECT_EQ(read->generation, form.generation);
    EXPECT_EQ(read->total, form.total);
    EXPECT_EQ(read->offset, form.offset);
    EXPECT_EQ(read->part.size(), part);
    return true;
  };
  EXPECT_TRUE(read_again({kMostForms - 1, UINT32_MAX, 100, 0, {}}, 100));
  EXPECT_FALSE(read_again({kMostForms, 0, 100, 0, {}}, 100));
  EXPECT_FALSE(read_again({0, 0, 0, 0, {}}, 0));
  EXPECT_FALSE(read_again({0, 0, 100, 0, {}}, 0)) << "a part of nothing";
  EXPECT_FALSE(read_again({0, 0, 100, 0, {}}, 101));
  EXPECT_TRUE(read_again({0, 0, 100, 99, {}}, 1));
  EXPECT_FALSE(read_again({0, 0, 100, 99, {}}, 2));
  EXPECT_FALSE(read_again({0, 0, 100, 100, {}}, 1));
  EXPECT_FALSE(read_again({0, 0, 100, 101, {}}, 1));
  EXPECT_FALSE(read_again({0, 0, 100, UINT32_MAX, {}}, 2)) << "offset and part together wrap";
  EXPECT_TRUE(read_again({0, 0, kMostFormBytes, kMostFormBytes - 1, {}}, 1));
  EXPECT_FALSE(read_again({0, 0, kMostFormBytes + 1, 0, {}}, 1));
  for (std::size_t length = 0; length <= 16; ++length) EXPECT_FALSE(read_form(std::span(text).first(length)));
}

TEST(Frame, RequestsAreOfOneLength) {
  Bytes body(kEagerBytes);
  const std::size_t bytes = write(Request{42}, body.data());
  ASSERT_TRUE(read_request(std::span(body).first(bytes)));
  EXPECT_EQ(read_request(std::span(body).first(bytes))->shortest, 42U);
  EXPECT_FALSE(read_request(std::span(body).first(bytes - 1)));
  EXPECT_FALSE(read_request(std::span(body).first(bytes + 1)));
  EXPECT_FALSE(read_request({}));
}

TEST(Frame, ImmediatesKeepTheirThreeNumbersApart) {
  for (const std::uint32_t target : {0U, 1U, 63U})
    for (const std::uint32_t generation : {0U, 1U, 1023U})
      for (const std::uint32_t part : {0U, 1U, 65535U}) {
        const Immediate read = Immediate::of(Immediate{target, generation, part}.word());
        EXPECT_EQ(read.target, target);
        EXPECT_EQ(read.generation, generation);
        EXPECT_EQ(read.part, part);
      }
  EXPECT_EQ(Immediate::of(Immediate{1, 1024 + 5, 65536 + 7}.word()).target, 1U) << "what is too long spills nowhere";
  EXPECT_EQ(Immediate::of(Immediate{1, 1024 + 5, 65536 + 7}.word()).generation, 5U);
}

// Any bytes: nothing is read outside of them (the address sanitizer looks), and what is read keeps its promises.
TEST(Frame, RandomBytes) {
  std::mt19937_64 random(1);
  int taken = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    Bytes body(kEagerBytes);
    Clear clear = sound_clear(kAllPlaces[random() % 4]);
    std::size_t bytes = write(clear, body.data());
    for (std::uint64_t k = random() % 4; k > 0; --k) body[random() % bytes] = std::byte(random() % 256);
    if (random() % 8 == 0) bytes = random() % (bytes + 1);
    const Bytes exact(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(bytes));
    if (const std::optional<Clear> read = read_clear(exact)) {
      ++taken;
      EXPECT_LE(read->places.size(), kMostPlaces);
      if (read->where == Clear::Where::kRing) {
        EXPECT_LE(read->part * read->parts, read->places[0].bytes);
        EXPECT_GT(read->part, 0U);
      }
    }
    (void)read_form(exact);
    (void)read_header(exact);
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace gapless::channel
