// Typed copy: what it refuses, and the cases that random pairs do not single out.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gapless/gapless.h"

namespace {

class Copy : public ::testing::Test {
 protected:
  gapless_type parsed(const char* text) {
    gapless_type type = nullptr;
    EXPECT_EQ(gapless_type_parse(text, &type), GAPLESS_SUCCESS) << gapless_last_error();
    types_.push_back(type);
    return type;
  }
  void TearDown() override {
    for (gapless_type type : types_) gapless_type_free(&type);
  }
  static std::vector<int> numbers(std::size_t count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 1);
    return all;
  }

  std::int64_t moved = -1;

 private:
  std::vector<gapless_type> types_;
};

TEST_F(Copy, RefusesWhatCannotBe) {
  const gapless_type four = parsed("vector(4, 1, 2, int32)"), five = parsed("vector(5, 1, 2, int32)");
  std::vector<int> from(20), to(20, -1);
  const auto copy = [&](std::int64_t count, gapless_type type, std::int64_t position, std::int64_t budget) {
    return gapless_copy(from.data(), 1, four, to.data(), count, type, position, budget, &moved);
  };
  EXPECT_EQ(copy(1, five, 0, 16), GAPLESS_ERR_ARG);
  EXPECT_STREQ(gapless_last_error(), "the source has 16 bytes of data, the destination 20");
  EXPECT_EQ(copy(-1, four, 0, 16), GAPLESS_ERR_ARG);
  EXPECT_EQ(copy(1, four, -1, 16), GAPLESS_ERR_ARG);
  EXPECT_EQ(copy(1, four, 0, -1), GAPLESS_ERR_ARG);
  EXPECT_EQ(copy(1, nullptr, 0, 16), GAPLESS_ERR_ARG);
  EXPECT_EQ(copy(INT64_MAX / 2, four, 0, 16), GAPLESS_ERR_OVERFLOW);
  EXPECT_EQ(moved, -1);
  EXPECT_EQ(to, std::vector<int>(20, -1));
}

TEST_F(Copy, OfNothingTouchesNothing) {
  const gapless_type type = parsed("vector(4, 1, 2, int32)"), none = parsed("contiguous(0, int32)");
  EXPECT_EQ(gapless_copy(nullptr, 0, type, nullptr, 3, none, 0, 100, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 0);
  std::vector<int> from(20), to(20);
  EXPECT_EQ(gapless_copy(from.data(), 1, type, to.data(), 1, type, 16, 100, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 0);
}

TEST_F(Copy, TransposesIntoAWiderMatrix) {
  constexpr int kRows = 37, kColumns = 29, kWide = 40;
  const gapless_type rows = parsed("vector(37, 29, 29, int32)");
  const gapless_type columns = parsed("hvector(37, 1, 4, vector(29, 1, 40, int32))");
  const std::vector<int> from = numbers(kRows * kColumns);
  std::vector<int> to(kColumns * kWide, -1);
  ASSERT_EQ(gapless_copy(from.data(), 1, rows, to.data(), 1, columns, 0, INT64_MAX, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 4 * kRows * kColumns);
  for (int i = 0; i < kColumns; ++i)
    for (int j = 0; j < kWide; ++j)
      EXPECT_EQ(to[static_cast<std::size_t>(i * kWide + j)],
                j < kRows ? from[static_cast<std::size_t>(j * kColumns + i)] : -1);
}

TEST_F(Copy, WithinOneBufferReadsFirst) {
  const gapless_type type = parsed("vector(8, 1, 2, int32)");
  std::vector<int> memory = numbers(20), expected = memory;
  for (std::size_t i = 0; i < 8; ++i) expected[2 + 2 * i] = memory[2 * i];
  ASSERT_EQ(gapless_copy(memory.data(), 1, type, memory.data() + 2, 1, type, 0, INT64_MAX, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(memory, expected);
}

// More pairs than a thread remembers, types that come and go at the same addresses, and two threads.
TEST_F(Copy, RemembersNoPairThatIsGone) {
  const auto work = [] {
    for (int round = 0; round < 300; ++round) {
      const int n = 3 + round % 50, stride = 2 + round % 3;
      const auto made = [&](int apart) {
        const std::string text = "vector(" + std::to_string(n) + ", 1, " + std::to_string(apart) + ", int32)";
        gapless_type type = nullptr;
        EXPECT_EQ(gapless_type_parse(text.c_str(), &type), GAPLESS_SUCCESS);
        return type;
      };
      gapless_type from_type = made(stride), to_type = made(5);
      const std::vector<int> from = numbers(static_cast<std::size_t>(n * stride));
      std::vector<int> to(static_cast<std::size_t>(5 * n), -1);
      std::int64_t bytes = 0;
      EXPECT_EQ(gapless_copy(from.data(), 1, from_type, to.data(), 1, to_type, 0, INT64_MAX, &bytes), GAPLESS_SUCCESS);
      for (std::size_t i = 0; i < to.size(); ++i)
        EXPECT_EQ(to[i], i % 5 == 0 ? from[i / 5 * static_cast<std::size_t>(stride)] : -1);
      gapless_type_free(&from_type);
      gapless_type_free(&to_type);
    }
  };
  std::thread other(work);
  work();
  other.join();
}

}  // namespace
