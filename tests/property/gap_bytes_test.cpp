// No byte outside the runs is written, not even with its old value: while one thread unpacks, another increments the
// bytes in the gaps, and no increment may be lost.
//
// usage: gap_bytes_test [GoogleTest's options] [--milliseconds N]   each race takes at least N (20)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "layout/layout.hpp"
#include "move/move.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "support/oracle.hpp"
#include "support/random_number.hpp"

namespace gapless::test {
namespace {

using layout::LayoutPtr;

constexpr std::int64_t kMargin = 64;  // [bytes] on either side of the runs, guarded like the gaps

LayoutPtr byte() {
  return layout::named(*layout::find_named("byte"));
}
LayoutPtr block(std::int64_t bytes) {
  return layout::contiguous(bytes, byte());
}

class Race {
 public:
  // The runs lie `shift` bytes further on in their lines.
  Race(const LayoutPtr& type, std::int64_t count, std::int64_t shift) : plan_(plan::compile(*type)), count_(count) {
    const std::vector<std::int64_t> bytes = Oracle(*type).byte_displacements(count);
    low_ = *std::min_element(bytes.begin(), bytes.end()) - kMargin - shift;
    const std::int64_t high = *std::max_element(bytes.begin(), bytes.end()) + 1 + kMargin;
    memory_.resize(static_cast<std::size_t>(high - low_));
    const std::set<std::int64_t> runs(bytes.begin(), bytes.end());
    for (std::int64_t at = low_; at < high; ++at) {
      if (!runs.contains(at)) gaps_.push_back(static_cast<std::size_t>(at - low_));
    }
    packed_.assign(bytes.size(), 0x5A);
  }

  // Both threads go on until each has done so many rounds beside the other, and long enough for the system to give
  // them a processor each.
  void run(std::int64_t unpacks, std::int64_t rounds, std::chrono::milliseconds least) {
    std::atomic<std::int64_t> rounds_done{0};
    std::atomic<bool> stop{false};
    std::thread other([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        for (const std::size_t gap : gaps_) {
          std::atomic_ref(memory_[gap]).fetch_add(1, std::memory_order_relaxed);
        }
        rounds_done.fetch_add(1, std::memory_order_relaxed);
      }
    });
    while (rounds_done.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
    const auto end = std::chrono::steady_clock::now() + least;
    const auto enough = [&](std::int64_t done) {
      return done >= unpacks && rounds_done.load(std::memory_order_relaxed) >= rounds &&
             std::chrono::steady_clock::now() >= end;
    };
    for (std::int64_t i = 0; !enough(i); ++i) {
      const auto size = static_cast<std::int64_t>(packed_.size());
      // Whole, and in two parts whose cut wanders through the message.
      const std::int64_t cut = i % 2 == 0 ? size : (i / 2) % (size + 1);
      move::unpack(*plan_, count_, memory_.data() - low_, 0, packed_.data(), cut);
      move::unpack(*plan_, count_, memory_.data() - low_, cut, packed_.data() + cut, size - cut);
    }
    stop = true;
    other.join();
    increments_ = rounds_done.load();
  }

  std::int64_t lost() const {
    return std::count_if(gaps_.begin(), gaps_.end(),
                         [&](std::size_t gap) { return memory_[gap] != static_cast<std::uint8_t>(increments_); });
  }

 private:
  plan::PlanPtr plan_;
  std::int64_t count_;
  std::int64_t low_ = 0;
  std::int64_t increments_ = 0;
  std::vector<std::uint8_t> memory_;
  std::vector<std::size_t> gaps_;
  std::vector<std::uint8_t> packed_;
};

std::chrono::milliseconds least_time{20};

void expect_no_loss(const LayoutPtr& type, std::int64_t count, std::int64_t shift = 0) {
  Race race(type, count, shift);
  race.run(500, 100, least_time);
  EXPECT_EQ(race.lost(), 0) << notation::print(*type).substr(0, 300) << ", count " << count << ", shift " << shift;
}

// The neighbour of a block lies in the same word, the same vector, the same line.
TEST(GapBytes, SurviveEveryBlockLength) {
  for (std::int64_t bytes = 1; bytes <= 64; ++bytes) {
    for (const std::int64_t gap : {1, 7}) {
      expect_no_loss(layout::hvector(21, 1, bytes + gap, block(bytes)), 1);
    }
  }
}

TEST(GapBytes, SurviveLongBlocks) {
  for (const std::int64_t bytes : {65, 96, 100, 127, 128, 129, 256, 1000}) {
    expect_no_loss(layout::hvector(9, 1, bytes + 1, block(bytes)), 1);
  }
}

// The records of real programs, many of them: what a kernel that shuffles or stores whole vectors is made for. As a
// vector, as elements, and as a list.
TEST(GapBytes, SurviveManyRecords) {
  struct Record {
    std::int64_t block, extent;  // [bytes]
  };
  constexpr std::int64_t kRecords = 700;
  for (const auto& [bytes, extent] :
       {Record{4, 8}, {4, 12}, {8, 12}, {8, 16}, {12, 16}, {12, 20}, {24, 32}, {40, 48}, {92, 100}}) {
    std::vector<std::int64_t> displacements;
    for (std::int64_t i = 0; i < kRecords; ++i)
      displacements.push_back(i * extent + static_cast<std::int64_t>(mixed(1, static_cast<std::uint64_t>(i)) % 2));
    for (const std::int64_t shift : {0, 4, 52}) {
      expect_no_loss(layout::hvector(kRecords, 1, extent, block(bytes)), 1, shift);
      expect_no_loss(layout::resized(0, extent, block(bytes)), kRecords, shift);
      expect_no_loss(layout::hindexed_block(bytes, displacements, byte()), 1, shift);
    }
  }
}

TEST(GapBytes, SurviveAMessageOfSmallElements) {
  for (const std::int64_t bytes : {1, 3, 4, 8, 12, 16}) {
    expect_no_loss(layout::resized(0, bytes + 1, block(bytes)), 70);
  }
}

TEST(GapBytes, SurvivePeriodicSequences) {
  const std::array<std::int64_t, 2> lengths{3, 5}, displacements{0, 4};
  expect_no_loss(layout::resized(0, 11, layout::hindexed(lengths, displacements, byte())), 40);
  expect_no_loss(layout::contiguous(40, layout::resized(0, 10, layout::hindexed(lengths, displacements, byte()))), 2);
}

TEST(GapBytes, SurviveTables) {
  for (const std::int64_t bytes : {1, 2, 4, 7, 8, 12, 16, 24, 32, 40}) {
    std::vector<std::int64_t> displacements;
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < 37; ++i) {
      displacements.push_back(at);
      at += bytes + 1 + (i * i) % 5;
    }
    expect_no_loss(layout::hindexed_block(bytes, displacements, byte()), 1);
    expect_no_loss(layout::hindexed_block(bytes, displacements, byte()), 5);
  }
}

// Columns: elements that interleave.
TEST(GapBytes, SurviveInterleavedElements) {
  for (const std::int64_t columns : {1, 5, 9}) {
    expect_no_loss(layout::resized(0, 4, layout::hvector(12, 1, 40, block(4))), columns);
  }
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3 && argv[1] == std::string_view("--milliseconds")) {
    gapless::test::least_time = std::chrono::milliseconds(std::atoi(argv[2]));
  } else if (argc != 1) {
    return 2;
  }
  return RUN_ALL_TESTS();
}
