// A peer that knows the job's key and answers the channel's sends as no receiver does: nothing outside of what it named
// is written, and what is right goes on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "channel/lone.hpp"

namespace gapless::test {
namespace {

using channel::Clear;
using channel::Header;
using channel::Kind;
using channel::Place;
using channel::Transfer;
using channel::Way;
using wire::fabric::Fault;
using Bytes = Lone::Bytes;

// Two parts may be sent without credit.
Clear two_parts(Clear::Where where, std::uint64_t part, const std::vector<Place>& places) {
  Clear clear;
  clear.where = where;
  clear.part = part;
  clear.parts = 2;
  clear.places = places;
  return clear;
}

// The channel sends 100 runs of 100 bytes, 200 apart, or all of it in one; the peer has said nothing yet.
class Sending {
 public:
  explicit Sending(Lone& lone, const char* text = "hvector(100, 100, 200, byte)") : lone_(lone) {
    gapless_type_parse(text, &type_);
    for (std::size_t k = 0; k < memory.size(); ++k) memory[k] = static_cast<char>(k * 7 % 251);
    transfer = lone.channel().send(memory.data(), 1, type_, 1);
    const std::optional<Bytes> request = lone.next(Kind::kRequest);
    EXPECT_TRUE(request);
    if (request) asked = Lone::header_of(*request);
  }
  ~Sending() { gapless_type_free(&type_); }

  Header header(Way way) const {
    Header made;
    made.kind = Kind::kClear;
    made.way = way;
    made.message = asked.message;
    made.bytes = asked.bytes;
    return made;
  }
  void answer(const Clear& clear, Way way) { answer(clear, header(way)); }
  void answer(const Clear& clear, const Header& header) {
    Bytes body(channel::kEagerBytes);
    body.resize(channel::write(clear, body.data()));
    lone_.say(header, body);
  }
  void credit(std::uint32_t number) {
    Header header;
    header.kind = Kind::kCredit;
    header.message = asked.message;
    header.number = number;
    lone_.say(header);
  }
  void show(const std::string& text, std::uint32_t number, std::uint32_t generation, std::uint32_t total_more = 0) {
    gapless_type shown = nullptr;
    ASSERT_EQ(gapless_type_parse(text.c_str(), &shown), GAPLESS_SUCCESS);
    const std::string bytes = channel::Type::bytes_of(shown);
    gapless_type_free(&shown);
    Bytes body(channel::kEagerBytes);
    const channel::Form form{number, generation, static_cast<std::uint32_t>(bytes.size()) + total_more, 0,
                             std::as_bytes(std::span(bytes))};
    body.resize(channel::write(form, body.data()));
    Header header;
    header.kind = Kind::kForm;
    lone_.say(header, body);
  }
  // Memory of the peer that it may write to, with margins that it must not.
  struct Reachable {
    std::vector<char> bytes;
    wire::fabric::Registration registration;
    Place place(std::size_t offset, std::size_t length) const {
      return {registration.base + offset, registration.key, reinterpret_cast<std::uint64_t>(bytes.data()) + offset,
              length};
    }
  };
  Reachable reachable(std::size_t bytes) {
    Reachable made{std::vector<char>(bytes, 'M'), {}};
    made.registration = lone_.endpoint().make_reachable(made.bytes.data(), bytes, true);
    return made;
  }
  bool is_over() {
    return lone_.turn_until([&] { return transfer->is_done; });
  }

  Transfer* transfer = nullptr;
  Header asked;
  std::vector<char> memory = std::vector<char>(20'000);

 private:
  Lone& lone_;
  gapless_type type_ = nullptr;
};

TEST(Hostile, ClearsThatAreRight) {
  for (const Clear::Where where : {Clear::Where::kMemory, Clear::Where::kLayout, Clear::Where::kRing}) {
    Lone lone(Lone::of_rank_0(Way::kLists));
    Sending sending(lone);
    EXPECT_EQ(sending.asked.bytes, 10'000U);
    const bool is_ring = where == Clear::Where::kRing;
    Sending::Reachable there = sending.reachable(30'000);
    Clear clear;
    clear.where = where;
    clear.places = {there.place(5000, 20'000)};
    clear.base = clear.places[0].here + 100;
    clear.count = 1;
    if (is_ring) clear.part = 5000, clear.parts = 2;
    sending.show("hvector(50, 200, 300, byte)", 3, 9);
    clear.form = 3;
    clear.form_generation = 9;
    sending.answer(clear, is_ring ? Way::kHost : Way::kLists);
    ASSERT_TRUE(sending.is_over());
    EXPECT_EQ(sending.transfer->fault, Fault::kNone) << sending.transfer->text;
    EXPECT_EQ(lone.refused(), 0);
    lone.turn_until([] { return false; }, 200);
    for (std::size_t k = 0; k < 10'000; ++k) {
      const std::size_t at = where == Clear::Where::kLayout ? 5100 + k / 200 * 300 + k % 200 : 5000 + k;
      ASSERT_EQ(there.bytes[at], sending.memory[k / 100 * 200 + k % 100]) << k << " of " << static_cast<int>(where);
    }
    for (std::size_t k = 0; k < 5000; ++k) ASSERT_EQ(there.bytes[k], 'M');
    for (std::size_t k = 25'000; k < 30'000; ++k) ASSERT_EQ(there.bytes[k], 'M');
  }
}

TEST(Hostile, ALayoutThatLeavesThePlacesIsRefused) {
  // By one byte before, by one behind, by a gap between two places, by a wrap.
  for (int kind = 0; kind < 5; ++kind) {
    SCOPED_TRACE(kind);
    Lone lone(Lone::of_rank_0(Way::kLists));
    Sending sending(lone);
    Sending::Reachable there = sending.reachable(30'000);
    Clear clear;
    clear.where = Clear::Where::kLayout;
    clear.places = {there.place(5000, 14'900)};
    clear.base = clear.places[0].here;
    clear.count = 1;
    clear.form = 0;
    if (kind == 0) clear.places = {there.place(5001, 14'899)};
    if (kind == 1) clear.places[0].bytes -= 1;
    if (kind == 2) clear.places = {there.place(5000, 7000), there.place(12'001, 7899)};
    if (kind == 3) clear.base = UINT64_MAX - 100;
    if (kind == 4) clear.places.clear();
    sending.show("hvector(50, 200, 300, byte)", 0, 0);
    sending.answer(clear, Way::kLists);
    ASSERT_TRUE(sending.is_over());
    EXPECT_EQ(sending.transfer->fault, Fault::kFabric);
    EXPECT_NE(sending.transfer->text.find("outside of the memory that it names"), std::string::npos)
        << sending.transfer->text;
  }
}

TEST(Hostile, ClearsThatFitNoMessage) {
  struct Case {
    const char* what;
    void (*change)(Clear&, Header&);
    bool is_left;  // the message goes on waiting
  };
  const Case cases[] = {
      {"too little memory", [](Clear& clear, Header&) { clear.places[0].bytes = 9999; }, false},
      {"another message", [](Clear&, Header& header) { header.message += 1; }, true},
      {"another length", [](Clear&, Header& header) { header.bytes += 1; }, true},
      {"a layout that was not shown",
       [](Clear& clear, Header&) { clear.where = Clear::Where::kLayout, clear.form = 7, clear.count = 1; }, false},
      {"a layout of another generation",
       [](Clear& clear, Header&) {
         clear.where = Clear::Where::kLayout, clear.form = 5, clear.form_generation = 1, clear.count = 10;
       },
       false},
      {"a layout that is too short",
       [](Clear& clear, Header&) {
         clear.where = Clear::Where::kLayout, clear.form = 5, clear.form_generation = 2, clear.count = 9;
       },
       false},
      {"a layout whose count is beyond 63 bits",
       [](Clear& clear, Header&) {
         clear.where = Clear::Where::kLayout, clear.form = 5, clear.form_generation = 2, clear.count = INT64_MAX;
       },
       false},
      {"chunks that are longer than may be packed",
       [](Clear& clear, Header&) {
         clear.where = Clear::Where::kSegments, clear.part = channel::kLongestPart + 1, clear.parts = 1,
         clear.places.clear();
       },
       false},
      {"parts that are longer than may be packed",
       [](Clear& clear, Header&) {
         clear.where = Clear::Where::kRing, clear.part = channel::kLongestPart + 1, clear.parts = 1;
         clear.places[0].bytes = clear.part;
       },
       false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    Lone lone(Lone::of_rank_0(Way::kLists));
    Sending sending(lone);
    Sending::Reachable there = sending.reachable(30'000);
    Clear clear;
    clear.where = Clear::Where::kMemory;
    clear.places = {there.place(5000, 20'000)};
    clear.base = clear.places[0].here;
    sending.show("contiguous(1000, byte)", 5, 2);
    Header header = sending.header(Way::kLists);
    one.change(clear, header);
    sending.answer(clear, header);
    EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
    EXPECT_EQ(sending.transfer->is_done, !one.is_left);
    if (!one.is_left) {
      EXPECT_EQ(sending.transfer->fault, Fault::kFabric);
    }
    for (const char byte : there.bytes) ASSERT_EQ(byte, 'M');
  }
}

TEST(Hostile, ClearsTwice) {
  Lone lone(Lone::of_rank_0(Way::kHost));
  Sending sending(lone);
  Sending::Reachable there = sending.reachable(30'000);
  sending.answer(two_parts(Clear::Where::kRing, 1000, {there.place(5000, 2000)}), Way::kHost);
  lone.turn_until([] { return false; }, 500);
  EXPECT_EQ(lone.refused(), 0);
  sending.answer(two_parts(Clear::Where::kRing, 1000, {there.place(5000, 2000)}), Way::kHost);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  EXPECT_FALSE(sending.transfer->is_done);
  // Two parts were written, and no more without credit; credits for what was not written are none.
  EXPECT_EQ(lone.channel().counters().writes, 2);
  sending.credit(3);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 2; }));
  EXPECT_EQ(lone.channel().counters().writes, 2);
  // A refusal of what is moving is none either.
  Header refusal;
  refusal.kind = Kind::kRefuse;
  refusal.message = sending.asked.message;
  lone.say(refusal);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 3; }));
  for (std::uint32_t freed = 1; freed <= 10; ++freed) sending.credit(freed);
  ASSERT_TRUE(sending.is_over());
  EXPECT_EQ(sending.transfer->fault, Fault::kNone);
  for (std::size_t k = 0; k < there.bytes.size(); ++k)
    ASSERT_EQ(there.bytes[k] == 'M', k < 5000 || k >= 7000 || there.bytes[k] == 'M') << k;
}

TEST(Hostile, CreditsThatGoBack) {
  Lone lone(Lone::of_rank_0(Way::kHost));
  Sending sending(lone);
  Sending::Reachable there = sending.reachable(30'000);
  sending.answer(two_parts(Clear::Where::kRing, 1000, {there.place(5000, 2000)}), Way::kHost);
  sending.credit(2);
  lone.turn_until([&] { return lone.channel().counters().writes == 4; });
  sending.credit(1);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  EXPECT_EQ(lone.channel().counters().writes, 4);
}

TEST(Hostile, FormsInPieces) {
  Lone lone(Lone::of_rank_0(Way::kLists));
  Sending sending(lone);
  Header header;
  header.kind = Kind::kForm;
  Bytes body(channel::kEagerBytes);
  const Bytes part(100);
  const auto say = [&](channel::Form form) {
    form.part = part;
    lone.say(header, std::span(body).first(channel::write(form, body.data())));
  };
  say({1, 0, 300, 0, {}});
  EXPECT_EQ(lone.refused(), 0);
  say({1, 0, 300, 200, {}});  // the middle is missing
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  say({1, 0, 300, 100, {}});  // it was given up
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 2; }));
  say({1, 0, 300, 0, {}});
  say({1, 1, 300, 100, {}});  // of another generation
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 3; }));
  say({1, 0, 300, 0, {}});
  say({1, 0, 301, 100, {}});  // of another length
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 4; }));
  say({1, 0, 200, 0, {}});
  say({1, 0, 200, 100, {}});  // whole, and no layout
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 5; }));
}

// Segments, too, are sent no further than there are receives for.
TEST(Hostile, ChunksWithoutCredit) {
  Lone lone(Lone::of_rank_0(Way::kSegments));
  Sending sending(lone);
  sending.answer(two_parts(Clear::Where::kSegments, 100, {}), Way::kSegments);
  lone.turn_until([] { return false; }, 500);
  EXPECT_EQ(lone.channel().counters().writes, 2);
  sending.credit(3);
  EXPECT_TRUE(lone.turn_until([&] { return lone.refused() == 1; }));
  sending.credit(2);
  EXPECT_TRUE(lone.turn_until([&] { return lone.channel().counters().writes == 4; }));
  lone.turn_until([] { return false; }, 500);
  EXPECT_EQ(lone.channel().counters().writes, 4);
  EXPECT_FALSE(sending.transfer->is_done);
}

}  // namespace
}  // namespace gapless::test
