// Neither pack nor unpack touches memory beyond the first and the last byte of a message: both buffers lie flush with
// pages that cannot be read or written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "layout/layout.hpp"
#include "move/move.hpp"
#include "move/past.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "property/guarded_buffer.hpp"
#include "support/oracle.hpp"

namespace gapless::test {
namespace {

using layout::LayoutPtr;

constexpr std::size_t kMaxBytes = 1 << 16;

using Pack = std::int64_t (*)(const plan::Plan&, std::int64_t, const void*, std::int64_t, void*, std::int64_t) noexcept;
constexpr Pack kPacks[] = {move::pack, move::pack_past};

class GuardPages : public ::testing::Test {
 protected:
  // Packs and unpacks the part of a message that begins at `position`, in all four positions of the two buffers.
  void expect_in_bounds(const LayoutPtr& type, std::int64_t count, std::int64_t position = 0) {
    const std::vector<std::int64_t> bytes = Oracle(*type).byte_displacements(count);
    const auto [low, high] = std::minmax_element(bytes.begin() + position, bytes.end());
    const std::int64_t span = *high + 1 - *low, size = static_cast<std::int64_t>(bytes.size()) - position;
    ASSERT_LE(span, static_cast<std::int64_t>(kMaxBytes));
    const plan::PlanPtr plan = plan::compile(*type);
    for (const Edge user_edge : {Edge::kFront, Edge::kBack}) {
      for (const Edge packed_edge : {Edge::kFront, Edge::kBack}) {
        std::byte* user = user_.place(span, user_edge) - *low;
        std::byte* packed = packed_.place(size, packed_edge);
        for (std::int64_t i = 0; i < size; ++i) packed[i] = static_cast<std::byte>(i * 7 + 1);
        ASSERT_EQ(move::unpack(*plan, count, user, position, packed, size), size);
        for (const auto pack : kPacks) {
          std::memset(packed, 0, static_cast<std::size_t>(size));
          ASSERT_EQ(pack(*plan, count, user, position, packed, size), size);
          for (std::int64_t i = 0; i < size; ++i) {
            ASSERT_EQ(packed[i], static_cast<std::byte>(i * 7 + 1)) << notation::print(*type) << ", byte " << i;
          }
        }
      }
    }
  }

  static LayoutPtr block(std::int64_t bytes) {
    return layout::contiguous(bytes, layout::named(*layout::find_named("byte")));
  }

 private:
  GuardedBuffer user_{kMaxBytes}, packed_{kMaxBytes};
};

TEST_F(GuardPages, EveryBlockLengthStrideAndTail) {
  for (std::int64_t bytes = 1; bytes <= 72; ++bytes) {
    for (const std::int64_t gap : {1, 3, 8, 61}) {
      for (std::int64_t count = 1; count <= 19; ++count) {
        expect_in_bounds(layout::hvector(count, 1, bytes + gap, block(bytes)), 1);
      }
    }
  }
}

TEST_F(GuardPages, BackwardsAndNested) {
  for (std::int64_t bytes = 1; bytes <= 40; ++bytes) {
    const LayoutPtr row = layout::hvector(5, 1, -(bytes + 2), block(bytes));
    expect_in_bounds(row, 1);
    expect_in_bounds(layout::hvector(20, 1, 7 * (bytes + 2), row), 1);
  }
}

TEST_F(GuardPages, CountsOfSmallElements) {
  for (std::int64_t bytes = 1; bytes <= 40; ++bytes) {
    for (const std::int64_t count : {1, 2, 3, 5, 8, 33, 70}) {
      expect_in_bounds(layout::resized(0, bytes + 1, block(bytes)), count);
    }
  }
}

TEST_F(GuardPages, Tables) {
  for (std::int64_t bytes = 1; bytes <= 72; ++bytes) {
    for (const std::int64_t count : {3, 4, 5, 6, 7, 11}) {
      std::vector<std::int64_t> displacements;
      std::int64_t at = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        displacements.push_back(at);
        at += bytes + 1 + (i * i) % 7;
      }
      const LayoutPtr table = layout::hindexed_block(bytes, displacements, layout::named(*layout::find_named("byte")));
      expect_in_bounds(table, 1);
      expect_in_bounds(table, 6);
    }
  }
}

TEST_F(GuardPages, RestsOfAMessage) {
  for (const std::int64_t bytes : {1, 4, 5, 8, 16, 31, 64}) {
    const LayoutPtr type = layout::hvector(6, 1, bytes + 3, block(bytes));
    for (std::int64_t position = 0; position < 12 * bytes; ++position) expect_in_bounds(type, 2, position);
  }
}

}  // namespace
}  // namespace gapless::test
