// Elements in one place: a stride or an extent of 0, which a sender may use.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "gapless/gapless.h"

namespace {

constexpr std::int64_t kCount = 100;

// Two words, the second one `apart` bytes behind the first, as often as kCount says.
class OnePlace : public testing::TestWithParam<std::int64_t> {
 protected:
  OnePlace() : memory_(static_cast<std::size_t>(GetParam()) + 4), packed_(8 * kCount) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<char>(i);
    const std::int64_t lengths[] = {1, 1}, displacements[] = {0, GetParam()};
    EXPECT_EQ(gapless_type_named("int32", &word_), GAPLESS_SUCCESS);
    EXPECT_EQ(gapless_type_hindexed(2, lengths, displacements, word_, &pair_), GAPLESS_SUCCESS);
  }
  ~OnePlace() override {
    gapless_type_free(&repeated_);
    gapless_type_free(&pair_);
    gapless_type_free(&word_);
  }

  void pack_and_compare(std::int64_t count) {
    std::int64_t moved = 0;
    ASSERT_EQ(gapless_pack(memory_.data(), count, repeated_, 0, packed_.data(),
                           static_cast<std::int64_t>(packed_.size()), &moved),
              GAPLESS_SUCCESS);
    ASSERT_EQ(moved, 8 * kCount);
    for (std::size_t i = 0; i < packed_.size(); i += 8) {
      EXPECT_EQ(std::memcmp(&packed_[i], &memory_[0], 4), 0) << i;
      EXPECT_EQ(std::memcmp(&packed_[i + 4], &memory_[static_cast<std::size_t>(GetParam())], 4), 0) << i;
    }
  }

  std::vector<char> memory_, packed_;
  gapless_type word_ = nullptr, pair_ = nullptr, repeated_ = nullptr;
};

TEST_P(OnePlace, Stride) {
  ASSERT_EQ(gapless_type_hvector(kCount, 1, 0, pair_, &repeated_), GAPLESS_SUCCESS);
  pack_and_compare(1);
}

TEST_P(OnePlace, Extent) {
  ASSERT_EQ(gapless_type_resized(0, 0, pair_, &repeated_), GAPLESS_SUCCESS);
  pack_and_compare(kCount);
}

INSTANTIATE_TEST_SUITE_P(Apart, OnePlace, testing::Range<std::int64_t>(8, 68, 4));

}  // namespace
