// The C interface: what it refuses, what it leaves alone then, and that its handles do what the engine does.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gapless/gapless.h"

namespace {

class CApi : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(gapless_type_named("int32", &int32_), GAPLESS_SUCCESS); }
  void TearDown() override { EXPECT_EQ(gapless_type_free(&int32_), GAPLESS_SUCCESS); }

  static void expect_error(gapless_status got, gapless_status expected, const std::string& part) {
    EXPECT_EQ(got, expected);
    EXPECT_NE(std::string(gapless_last_error()).find(part), std::string::npos) << gapless_last_error();
  }

  gapless_type int32_ = nullptr;
};

TEST_F(CApi, PacksAndUnpacksFromAnyPosition) {
  gapless_type column = nullptr;
  ASSERT_EQ(gapless_type_vector(5, 2, 4, int32_, &column), GAPLESS_SUCCESS);
  std::vector<std::int32_t> matrix(20), packed(10, -1), back(20, -1);
  std::iota(matrix.begin(), matrix.end(), 0);
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_pack(matrix.data(), 1, column, 0, packed.data(), 40, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 40);
  EXPECT_EQ(packed, (std::vector<std::int32_t>{0, 1, 4, 5, 8, 9, 12, 13, 16, 17}));
  const char* bytes = reinterpret_cast<const char*>(packed.data());
  for (std::int64_t position = 0; position < 40; position += moved)
    ASSERT_EQ(gapless_unpack(bytes + position, 7, position, back.data(), 1, column, &moved), GAPLESS_SUCCESS);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(back[i], i % 4 < 2 ? i : -1) << i;
  EXPECT_EQ(gapless_type_free(&column), GAPLESS_SUCCESS);
  EXPECT_EQ(column, nullptr);
}

TEST_F(CApi, TypesOutliveThePartsTheyWereMadeFrom) {
  gapless_type inner = nullptr, outer = nullptr;
  ASSERT_EQ(gapless_type_vector(2, 1, 2, int32_, &inner), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_type_contiguous(3, inner, &outer), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_type_free(&inner), GAPLESS_SUCCESS);
  std::int64_t size = 0, lb = -1, extent = 0, true_lb = -1, true_extent = 0;
  EXPECT_EQ(gapless_type_size(outer, &size), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_extent(outer, &lb, &extent), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_true_extent(outer, &true_lb, &true_extent), GAPLESS_SUCCESS);
  EXPECT_EQ(size, 24);
  EXPECT_EQ(lb, 0);
  EXPECT_EQ(extent, 36);
  EXPECT_EQ(true_lb, 0);
  EXPECT_EQ(true_extent, 36);
  EXPECT_EQ(gapless_type_free(&outer), GAPLESS_SUCCESS);
}

TEST_F(CApi, RefusesBadArgumentsAndSetsNoOutput) {
  gapless_type untouched = reinterpret_cast<gapless_type>(&int32_), type = untouched;
  expect_error(gapless_type_contiguous(-1, int32_, &type), GAPLESS_ERR_ARG, "-1");
  expect_error(gapless_type_vector(2, -3, 1, int32_, &type), GAPLESS_ERR_ARG, "-3");
  expect_error(gapless_type_named("quaternion", &type), GAPLESS_ERR_ARG, "quaternion");
  expect_error(gapless_type_dup(nullptr, &type), GAPLESS_ERR_ARG, "NULL");
  expect_error(gapless_type_indexed_block(1, 1, nullptr, int32_, &type), GAPLESS_ERR_ARG, "displacements");
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max() / 2;
  expect_error(gapless_type_contiguous(huge, int32_, &type), GAPLESS_ERR_OVERFLOW, std::to_string(huge));
  const gapless_distribution unknown = static_cast<gapless_distribution>(7);
  const std::int64_t one[] = {1};
  expect_error(gapless_type_darray(1, 0, 1, one, &unknown, one, one, GAPLESS_ORDER_C, int32_, &type), GAPLESS_ERR_ARG,
               "7");
  expect_error(gapless_type_darray(1, 0, 1, one, nullptr, one, one, GAPLESS_ORDER_C, int32_, &type), GAPLESS_ERR_ARG,
               "distributions");
  expect_error(gapless_type_bucket(2, 4, nullptr, int32_, &type), GAPLESS_ERR_ARG, "counts");
  EXPECT_EQ(type, untouched);

  std::int64_t moved = 77;
  char packed[4], buffer[4];
  expect_error(gapless_pack(buffer, -1, int32_, 0, packed, 4, &moved), GAPLESS_ERR_ARG, "count");
  expect_error(gapless_pack(buffer, 1, int32_, -1, packed, 4, &moved), GAPLESS_ERR_ARG, "position");
  expect_error(gapless_pack(buffer, 1, nullptr, 0, packed, 4, &moved), GAPLESS_ERR_ARG, "type");
  expect_error(gapless_unpack(packed, -4, 0, buffer, 1, int32_, &moved), GAPLESS_ERR_ARG, "budget");
  EXPECT_EQ(moved, 77);
}

TEST_F(CApi, EveryConstructorIsReachable) {
  const std::int64_t lengths[] = {1, 2}, places[] = {0, 16}, sizes[] = {4, 6}, subsizes[] = {2, 3}, starts[] = {1, 2};
  const gapless_type types[] = {int32_, int32_};
  struct Made {
    gapless_type type = nullptr;
    std::int64_t size;
  };
  std::vector<Made> made(12);
  EXPECT_EQ(gapless_type_hvector(3, 1, 12, int32_, &made[0].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_indexed(2, lengths, places, int32_, &made[1].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_hindexed(2, lengths, places, int32_, &made[2].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_indexed_block(2, 2, places, int32_, &made[3].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_hindexed_block(2, 2, places, int32_, &made[4].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_struct(2, lengths, places, types, &made[5].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_subarray(2, sizes, subsizes, starts, GAPLESS_ORDER_FORTRAN, int32_, &made[6].type),
            GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_resized(-4, 100, int32_, &made[7].type), GAPLESS_SUCCESS);
  // A 4 x 6 array on 1 x 3 processes; the last one owns columns 2 and 5.
  const gapless_distribution dealt[] = {GAPLESS_DISTRIBUTE_NONE, GAPLESS_DISTRIBUTE_CYCLIC};
  const std::int64_t arguments[] = {0, GAPLESS_DISTRIBUTE_DFLT_DARG}, grid[] = {1, 3};
  EXPECT_EQ(gapless_type_darray(3, 2, 2, sizes, dealt, arguments, grid, GAPLESS_ORDER_C, int32_, &made[8].type),
            GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_bounded_vector(7, 2, 3, int32_, &made[9].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_circular_vector(9, 8, 7, 2, 3, int32_, &made[10].type), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_type_bucket(2, 5, lengths, int32_, &made[11].type), GAPLESS_SUCCESS);
  const std::int64_t expected[] = {12, 12, 12, 16, 16, 12, 24, 4, 32, 20, 20, 12};
  for (std::size_t i = 0; i < made.size(); ++i) {
    std::int64_t size = 0;
    ASSERT_EQ(gapless_type_size(made[i].type, &size), GAPLESS_SUCCESS);
    EXPECT_EQ(size, expected[i]) << i;
    EXPECT_EQ(gapless_type_free(&made[i].type), GAPLESS_SUCCESS);
  }
}

TEST_F(CApi, Signatures) {
  gapless_type vector = nullptr, dense = nullptr, byte = nullptr;
  ASSERT_EQ(gapless_type_vector(3, 2, 5, int32_, &vector), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_type_named("byte", &byte), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_type_signature(vector, &dense), GAPLESS_SUCCESS);
  std::int64_t lower_bound = 7, extent = 7;
  EXPECT_EQ(gapless_type_extent(dense, &lower_bound, &extent), GAPLESS_SUCCESS);
  EXPECT_EQ(lower_bound, 0);
  EXPECT_EQ(extent, 24);
  int equal = 7;
  EXPECT_EQ(gapless_signature_equal(vector, 2, int32_, 12, &equal), GAPLESS_SUCCESS);
  EXPECT_EQ(equal, 1);
  EXPECT_EQ(gapless_signature_equal(dense, 1, byte, 24, &equal), GAPLESS_SUCCESS);
  EXPECT_EQ(equal, 0);
  std::uint64_t one = 0, two = 1;
  EXPECT_EQ(gapless_signature_hash(vector, 2, &one), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_signature_hash(int32_, 12, &two), GAPLESS_SUCCESS);
  EXPECT_EQ(one, two);
  expect_error(gapless_signature_equal(vector, -1, int32_, 1, &equal), GAPLESS_ERR_ARG, "count");
  expect_error(gapless_signature_hash(nullptr, 1, &one), GAPLESS_ERR_ARG, "type");
  expect_error(gapless_type_signature(vector, nullptr), GAPLESS_ERR_ARG, "new type");
  for (gapless_type* type : {&vector, &dense, &byte}) EXPECT_EQ(gapless_type_free(type), GAPLESS_SUCCESS);
}

}  // namespace
