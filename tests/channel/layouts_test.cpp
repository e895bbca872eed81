// What a message is made of, where it lies, and how long that is remembered.
#include "channel/layouts.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "channel/transfer.hpp"

namespace gapless::channel {
namespace {

namespace fabric = wire::fabric;

class Made {
 public:
  explicit Made(const std::string& text) {
    EXPECT_EQ(gapless_type_parse(text.c_str(), &type_), GAPLESS_SUCCESS) << gapless_last_error();
  }
  ~Made() { gapless_type_free(&type_); }
  operator gapless_type() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

class LayoutsTest : public testing::Test {
 protected:
  fabric::Endpoint endpoint{{"tcp", "", "127.0.0.1"}};
  fabric::Memory memory{endpoint, {}};
  Layouts layouts{memory};
  ShapePtr shape(const std::string& text, std::int64_t count = 1) { return layouts.shape_of(Made(text), count); }
  fabric::Fault fault_of(gapless_type type, std::int64_t count) {
    try {
      layouts.shape_of(type, count);
    } catch (const fabric::Failure& failure) {
      return failure.fault();
    }
    return fabric::Fault::kNone;
  }
  // Each run of the message lies in one of the ranges, which are in order and apart.
  void check(const Shape& shape, gapless_type type) {
    for (std::size_t k = 1; k < shape.ranges.size(); ++k)
      EXPECT_GT(shape.ranges[k].offset, shape.ranges[k - 1].offset + shape.ranges[k - 1].bytes);
    EXPECT_LE(shape.ranges.size(), kMostPlaces);
    Runs runs(type, shape.count, nullptr, shape.bytes);
    std::int64_t number = 0, shortest = INT64_MAX, bytes = 0;
    for (gapless_iov run = runs.rest(); run.length > 0; run = runs.rest()) {
      const auto offset = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(run.base));
      EXPECT_TRUE(std::ranges::any_of(shape.ranges, [&](const Range& range) {
        return offset >= range.offset && offset + run.length <= range.offset + range.bytes;
      })) << offset;
      ++number;
      shortest = std::min(shortest, run.length);
      bytes += run.length;
      runs.advance(run.length);
    }
    EXPECT_EQ(number, shape.runs);
    EXPECT_EQ(bytes, shape.bytes);
    if (number > 0) {
      EXPECT_EQ(shortest, shape.shortest);
    }
  }
};

TEST_F(LayoutsTest, Contiguous) {
  const ShapePtr one = shape("contiguous(10, int32)", 3);
  EXPECT_EQ(one->bytes, 120);
  EXPECT_EQ(one->runs, 1);
  EXPECT_EQ(one->shortest, 120);
  EXPECT_EQ(one->average(), 120);
  EXPECT_TRUE(one->is_contiguous);
  ASSERT_EQ(one->ranges.size(), 1U);
  EXPECT_EQ(one->ranges[0].offset, 0);
  EXPECT_EQ(one->ranges[0].bytes, 120);
}

TEST_F(LayoutsTest, Nothing) {
  for (const ShapePtr& none : {shape("int32", 0), shape("contiguous(0, int32)", 5), shape("hvector(0, 1, 9, byte)")}) {
    EXPECT_EQ(none->bytes, 0);
    EXPECT_EQ(none->runs, 0);
    EXPECT_EQ(none->shortest, 0);
    EXPECT_FALSE(none->is_contiguous);
    EXPECT_TRUE(none->ranges.empty());
    EXPECT_EQ(none->average(), 0);
    const PlacementPtr placement = layouts.placement_of(none, nullptr);
    layouts.make_ready(*placement);
    EXPECT_TRUE(placement->is_ready());
    EXPECT_EQ(placement->region_of(nullptr, 0), nullptr);
  }
}

TEST_F(LayoutsTest, RangesOfAllKinds) {
  struct Case {
    const char* text;
    std::int64_t count;
    std::int64_t runs, shortest;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  };
  const std::vector<Case> cases = {
      {"vector(3, 1, -2, int32)", 1, 3, 4, {{-16, 20}}},
      {"hvector(3, 4, -10000, byte)", 1, 3, 4, {{-20000, 4}, {-10000, 4}, {0, 4}}},
      {"hindexed([10, 10], [0, 4], byte)", 1, 2, 10, {{0, 14}}},
      {"hindexed([10, 10], [4, 0], byte)", 1, 2, 10, {{0, 14}}},
      {"hindexed([100, 2], [0, 10], byte)", 1, 2, 2, {{0, 100}}},
      {"hindexed([4, 4], [0, 4099], byte)", 1, 2, 4, {{0, 4103}}},          // less than a page apart
      {"hindexed([4, 4], [0, 4100], byte)", 1, 2, 4, {{0, 4}, {4100, 4}}},  // a page apart
      {"hindexed([4, 4, 4], [0, 9000, 4050], byte)", 1, 3, 4, {{0, 4054}, {9000, 4}}},
      {"hindexed([4, 4, 4], [0, 8100, 4050], byte)", 1, 3, 4, {{0, 8104}}},  // the last one joins the others
      {"resized(0, 8, int32)", 3, 3, 4, {{0, 20}}},
      {"resized(0, -8, int32)", 3, 3, 4, {{-16, 20}}},
      {"resized(0, 4, hindexed([4], [8], byte))", 5, 1, 20, {{8, 20}}},  // elements that touch are one run
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.text);
    const Made type(one.text);
    const ShapePtr made = layouts.shape_of(type, one.count);
    EXPECT_EQ(made->runs, one.runs);
    EXPECT_EQ(made->shortest, one.shortest);
    EXPECT_EQ(made->is_contiguous, one.runs == 1);
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
    for (const Range& range : made->ranges) ranges.emplace_back(range.offset, range.bytes);
    EXPECT_EQ(ranges, one.ranges);
    check(*made, type);
  }
}

TEST_F(LayoutsTest, ManyRangesBecomeFew) {
  for (const char* text :
       {"hvector(64, 4, 10000, byte)", "hvector(65, 4, 10000, byte)", "hvector(40000, 8, 10000, byte)",
        "hvector(3000, 8, -100000, byte)", "hvector(20000, 1, 1000000000, byte)"}) {
    SCOPED_TRACE(text);
    const Made type(text);
    check(*layouts.shape_of(type, 1), type);
  }
  EXPECT_EQ(shape("hvector(64, 4, 10000, byte)")->ranges.size(), 64U);
  EXPECT_LT(shape("hvector(65, 4, 10000, byte)")->ranges.size(), 65U);
  std::mt19937_64 random(5);
  for (int turn = 0; turn < 30; ++turn) {
    std::string lengths, places;
    for (int k = 0; k < 400; ++k) {
      lengths += (k > 0 ? ", " : "") + std::to_string(random() % 300);
      places += (k > 0 ? ", " : "") + std::to_string(static_cast<std::int64_t>(random() % 30'000'000) - 15'000'000);
    }
    const Made type("hindexed([" + lengths + "], [" + places + "], byte)");
    check(*layouts.shape_of(type, 1 + static_cast<std::int64_t>(random() % 3)), type);
  }
}

TEST_F(LayoutsTest, RefusesWhatIsNoMessage) {
  const Made type("contiguous(4611686018427387904, byte)");
  EXPECT_EQ(fault_of(type, 1), fabric::Fault::kNone);
  EXPECT_EQ(fault_of(type, 2), fabric::Fault::kOverflow);
  EXPECT_EQ(fault_of(type, -1), fabric::Fault::kArgument);
  EXPECT_EQ(fault_of(type, INT64_MIN), fabric::Fault::kArgument);
}

TEST_F(LayoutsTest, OneFormForAllItsDescriptions) {
  const ShapePtr one = shape("contiguous(4, int32)"), other = shape("vector(4, 1, 1, int32)"),
                 third = shape("int32", 4);
  EXPECT_EQ(one->form, other->form);
  EXPECT_NE(one->form, third->form) << "other counts, other extents";
  EXPECT_EQ(shape("contiguous(4, int32)"), one) << "the same shape again";
  EXPECT_NE(shape("resized(0, 20, contiguous(4, int32))")->form, one->form);
}

TEST_F(LayoutsTest, ManyFormsShareTheNumbers) {
  const auto strided = [](int k) { return "vector(3, 1, " + std::to_string(k) + ", int32)"; };
  const ShapePtr kept = shape(strided(2));
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen = {{kept->form->number, kept->form->generation}};
  std::vector<ShapePtr> all;
  for (int k = 3; k < 1000; ++k) {
    all.push_back(shape(strided(k)));
    const OwnForm& form = *all.back()->form;
    EXPECT_LT(form.number, kMostForms);
    EXPECT_TRUE(seen.insert({form.number, form.generation}).second) << "a number and generation mean one form only";
    EXPECT_EQ(shape(strided(2)), kept) << "what is used stays, after " << k;
  }
  // All generations of a number come one after the other.
  std::vector<std::uint32_t> last(kMostForms, 0);
  for (const ShapePtr& one : all) {
    EXPECT_LE(last[one->form->number], one->form->generation + 1);
    last[one->form->number] = one->form->generation + 1;
  }
  // What went is made again, as another form, and those that hold the old one still may.
  const ShapePtr again = shape(strided(3));
  EXPECT_NE(again, all[0]);
  EXPECT_EQ(all[0]->form->bytes, again->form->bytes);
  EXPECT_TRUE(seen.insert({again->form->number, again->form->generation}).second);
  EXPECT_EQ(all[0]->form->type.size(), 12);
  EXPECT_LT(layouts.memory_bytes(), 3'000'000);
}

TEST_F(LayoutsTest, RecentKeepsWhatIsUsed) {
  Recent<int, int, 4> recent;
  for (int k = 0; k < 100; ++k) {
    recent.insert(k, k);
    if (k >= 3) {
      for (int j = k - 3; j <= k; ++j) {
        ASSERT_NE(recent.find(j), nullptr) << "the last four";
        EXPECT_EQ(*recent.find(j), j);
      }
    }
    int entries = 0;
    recent.each([&](int) { ++entries; });
    EXPECT_LE(entries, 8);
  }
  EXPECT_EQ(recent.find(0), nullptr);
  recent.insert(99, 7);
  EXPECT_EQ(*recent.find(99), 7);
  recent.erase_if([](const auto& entry) { return entry.first == 99; });
  EXPECT_EQ(recent.find(99), nullptr);
}

TEST_F(LayoutsTest, RegistrationsAreShared) {
  std::vector<char> buffer(100'000);
  const ShapePtr whole = shape("contiguous(100000, byte)"), part = shape("hvector(3, 100, 5000, byte)");
  const PlacementPtr all = layouts.placement_of(whole, buffer.data());
  layouts.make_ready(*all);
  EXPECT_EQ(memory.counters().regions, 1);
  EXPECT_EQ(memory.counters().bytes, 100'000);
  const PlacementPtr inside = layouts.placement_of(part, buffer.data() + 500);
  layouts.make_ready(*inside);
  EXPECT_EQ(memory.counters().regions, 1) << "it lies in one that there is";
  ASSERT_EQ(inside->regions().size(), 3U);
  EXPECT_EQ(inside->regions()[2], all->regions()[0]);
  EXPECT_EQ(layouts.placement_of(whole, buffer.data()), all);
  EXPECT_EQ(all->uses, 2);
  // A piece has a region if it lies in one range.
  char* const base = buffer.data() + 500;
  EXPECT_NE(inside->region_of(base, 100), nullptr);
  EXPECT_NE(inside->region_of(base + 10099, 1), nullptr);
  EXPECT_EQ(inside->region_of(base + 10099, 2), nullptr);
  EXPECT_EQ(inside->region_of(base - 1, 1), nullptr);
  EXPECT_EQ(inside->region_of(base + 100, 1), nullptr);
  EXPECT_EQ(inside->region_of(base + 4999, 2), nullptr);
  // Further on it needs one of its own.
  layouts.make_ready(*layouts.placement_of(part, buffer.data() + 95'000));
  EXPECT_EQ(memory.counters().regions, 4 - 1);
}

TEST_F(LayoutsTest, WhatIsForgottenIsRegisteredAgain) {
  std::vector<char> buffer(100'000);
  const ShapePtr whole = shape("contiguous(100000, byte)"), part = shape("contiguous(100, byte)");
  PlacementPtr all = layouts.placement_of(whole, buffer.data());
  layouts.make_ready(*all);
  PlacementPtr inside = layouts.placement_of(part, buffer.data() + 500);
  layouts.make_ready(*inside);
  const std::weak_ptr<const fabric::Region> region = all->regions()[0];
  all.reset();
  inside.reset();
  layouts.forget(buffer.data() + 100'000, 1);
  EXPECT_FALSE(region.expired()) << "that was beside it";
  layouts.forget(buffer.data() + 90'000, 1);
  EXPECT_TRUE(region.expired()) << "all that hold the region have let it go, those of other bytes too";
  const PlacementPtr again = layouts.placement_of(whole, buffer.data());
  EXPECT_EQ(again->uses, 1);
  EXPECT_FALSE(again->is_ready());
  layouts.make_ready(*again);
  EXPECT_EQ(memory.counters().regions, 2);
}

TEST_F(LayoutsTest, TheThreadBesideRegisters) {
  std::vector<char> buffer(1 << 20);
  const ShapePtr part = shape("contiguous(1000, byte)");
  std::vector<PlacementPtr> all;
  for (int k = 0; k < 300; ++k) {
    all.push_back(layouts.placement_of(part, buffer.data() + 3000 * k));
    layouts.make_ready_aside(all.back());
    layouts.make_ready_aside(all.back());
  }
  for (const PlacementPtr& one : all)
    while (!one->is_ready()) usleep(100);
  EXPECT_EQ(memory.counters().aside, 300);
  EXPECT_EQ(memory.counters().regions, 300);
  for (const PlacementPtr& one : all) EXPECT_EQ(one->regions()[0]->base, one->base());
}

TEST_F(LayoutsTest, TheThreadBesideRegistersNothingThatIsForgotten) {
  fabric::Memory slow(endpoint, {2'000'000, 0});
  Layouts beside(slow);
  std::vector<char> buffer(1 << 20);
  const ShapePtr part = beside.shape_of(Made("contiguous(1000, byte)"), 1);
  std::vector<PlacementPtr> all;
  for (int k = 0; k < 100; ++k) {
    all.push_back(beside.placement_of(part, buffer.data() + 3000 * k));
    beside.make_ready_aside(all.back());
  }
  beside.forget(buffer.data(), static_cast<std::int64_t>(buffer.size()));
  const std::int64_t then = slow.counters().regions;
  EXPECT_LT(then, 100);
  usleep(20'000);
  EXPECT_EQ(slow.counters().regions, then) << "nothing is registered after it was forgotten";
}

TEST_F(LayoutsTest, EndsWhileTheThreadBesideHasWork) {
  std::vector<char> buffer(1 << 20);
  fabric::Memory slow(endpoint, {1'000'000, 0});
  const auto begin = std::chrono::steady_clock::now();
  {
    Layouts ending(slow);
    const ShapePtr part = ending.shape_of(Made("contiguous(1000, byte)"), 1);
    for (int k = 0; k < 300; ++k) ending.make_ready_aside(ending.placement_of(part, buffer.data() + 3000 * k));
  }
  EXPECT_LT(slow.counters().regions, 300) << "what is in the queue is left";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST_F(LayoutsTest, ReleasedAndRegisteredAgain) {
  std::vector<char> buffer(1000);
  const PlacementPtr one = layouts.placement_of(shape("contiguous(1000, byte)"), buffer.data());
  layouts.make_ready(*one);
  one->release();
  EXPECT_EQ(one->state(), Placement::State::kUnknown);
  layouts.make_ready(*one);
  EXPECT_TRUE(one->is_ready());
  EXPECT_EQ(memory.counters().regions, 2);
}

TEST_F(LayoutsTest, ChargesAreSpentAndCounted) {
  fabric::Memory charged(endpoint, {300'000, 100'000});
  std::vector<char> buffer(3 * 4096);
  char* const page = buffer.data() + (4096 - reinterpret_cast<std::uintptr_t>(buffer.data()) % 4096);
  EXPECT_EQ(charged.expected_ns(1), 0);
  const fabric::RegionPtr one = charged.reach(page, 4096);
  const std::int64_t first = charged.counters().ns;
  EXPECT_GE(first, 400'000);
  const fabric::RegionPtr two = charged.reach(page - 1, 4098);
  EXPECT_GE(charged.counters().ns - first, 600'000) << "three pages";
  EXPECT_EQ(charged.counters().regions, 2);
  EXPECT_GE(charged.expected_ns(1), 399'999) << "the fixed part, and a page; a line's rounding";
  EXPECT_GE(charged.expected_ns(409'600), 101 * (charged.expected_ns(4096 * 2) - charged.expected_ns(4096)));
  EXPECT_EQ(charged.reach(page, 10), one);
  EXPECT_EQ(charged.counters().regions, 2) << "of memory that is in a region no other is made";
  EXPECT_NE(charged.reach(page - 2, 2), two);
  EXPECT_EQ(charged.counters().regions, 3);
}

TEST(CostLine, TellsTheFixedPartFromThatOfEachUnit) {
  fabric::CostLine line;
  EXPECT_EQ(line.at(10), 0);
  line.add(8, 80);
  // One size says neither: the greater of both.
  EXPECT_DOUBLE_EQ(line.at(16), 160);
  EXPECT_DOUBLE_EQ(line.at(1), 80);
  for (const double size : {1.0, 2.0, 100.0, 3.0, 1.0}) line.add(size, 72 + size);
  EXPECT_NEAR(line.at(1), 73, 0.01);
  EXPECT_NEAR(line.at(1000), 1072, 0.01);
}

TEST(CostLine, NeitherPartIsBelowNothing) {
  fabric::CostLine falls, bends;
  for (const double size : {1.0, 2.0, 3.0, 4.0}) falls.add(size, 10 - size), bends.add(size, size * size);
  EXPECT_GT(falls.at(1000), 5);
  EXPECT_LT(falls.at(1000), 10) << "it does not fall";
  EXPECT_GE(bends.at(0), 0);
}

TEST(CostLine, FollowsWhatChangesAndNothingElse) {
  fabric::CostLine line;
  line.add(1, 1e6);  // interrupted
  for (int k = 0; k < 20; ++k) line.add(k % 10, 10);
  EXPECT_LT(line.at(5), 20);
  line.add(5, 1e6);
  EXPECT_LT(line.at(5), 20);
  for (int k = 0; k < 500; ++k) line.add(k % 10, 1000);
  EXPECT_GT(line.at(5), 500);
}

TEST(Runs, StepsOfAnyLength) {
  const Made type("hvector(200, 3, 7, byte)");
  std::mt19937_64 random(3);
  for (const std::int64_t bytes : {600 * 3, 600 * 3 - 1, 601, 64 * 3, 64 * 3 + 1, 1, 0}) {
    for (int turn = 0; turn < 50; ++turn) {
      char* const base = reinterpret_cast<char*>(std::uintptr_t{1} << 40);
      Runs runs(type, 3, base, bytes);
      std::int64_t position = 0;
      for (gapless_iov run = runs.rest(); run.length > 0; run = runs.rest()) {
        const std::int64_t element = position / 600, in = position % 600;
        // The extent is that from the first byte to the last one, and elements touch: at 1396.
        EXPECT_EQ(static_cast<char*>(run.base) - base, element * 1396 + in / 3 * 7 + in % 3);
        EXPECT_LE(position + run.length, bytes);
        const std::int64_t step = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(run.length));
        runs.advance(step);
        position += step;
        EXPECT_EQ(runs.position(), position);
      }
      EXPECT_EQ(position, bytes);
      EXPECT_EQ(runs.rest().base, nullptr);
    }
  }
}

}  // namespace
}  // namespace gapless::channel
