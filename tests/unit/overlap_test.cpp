// Memory that a transfer touches twice: within the destination, where the last in type-map order wins, and between the
// user's buffer and the packed one, where the source counts as read completely first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "gapless/gapless.h"

namespace {

using Bytes = std::vector<unsigned char>;

// A handle that frees itself.
class Type {
 public:
  template <class Make, class... Arguments>
  explicit Type(Make make, const Arguments&... arguments) {
    EXPECT_EQ(make(arguments..., &type_), GAPLESS_SUCCESS) << gapless_last_error();
  }
  ~Type() { gapless_type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator gapless_type() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

// The displacement of every byte of a message: what packing a buffer of positions says.
std::vector<std::size_t> displacements(gapless_type type, std::int64_t count, std::size_t width) {
  std::int64_t size = 0, moved = 0;
  EXPECT_EQ(gapless_type_size(type, &size), GAPLESS_SUCCESS);
  Bytes low(width), high(width), packed_low(static_cast<std::size_t>(size * count)), packed_high = packed_low;
  for (std::size_t i = 0; i < width; ++i)
    low[i] = static_cast<unsigned char>(i), high[i] = static_cast<unsigned char>(i >> 8);
  EXPECT_EQ(gapless_pack(low.data(), count, type, 0, packed_low.data(), size * count, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(gapless_pack(high.data(), count, type, 0, packed_high.data(), size * count, &moved), GAPLESS_SUCCESS);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < packed_low.size(); ++i)
    all.push_back(packed_low[i] + (static_cast<std::size_t>(packed_high[i]) << 8));
  return all;
}

Bytes numbered(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + (i >> 8) * 11 + 5);
  return bytes;
}

constexpr std::size_t kArena = 1200;

// Packs and unpacks inside one arena at every distance between the two buffers, whole and in pieces.
void expect_as_if_read_first(gapless_type type, std::int64_t count, std::size_t at) {
  const std::vector<std::size_t> places = displacements(type, count, 400);
  const auto size = static_cast<std::int64_t>(places.size());
  for (std::size_t packed_at = 0; packed_at + places.size() <= kArena; ++packed_at) {
    for (const std::int64_t position : {std::int64_t{0}, size / 3}) {
      const std::int64_t budget = position == 0 ? size + 9 : size / 2;  // also more than there is
      const auto first = static_cast<std::size_t>(position);
      const auto bytes = static_cast<std::size_t>(std::min(budget, size - position));
      const Bytes before = numbered(kArena);
      Bytes packed = before, expected = before, unpacked = before;
      std::int64_t moved = -1;
      for (std::size_t i = 0; i < bytes; ++i) expected[packed_at + i] = before[at + places[first + i]];
      ASSERT_EQ(gapless_pack(packed.data() + at, count, type, position, packed.data() + packed_at, budget, &moved),
                GAPLESS_SUCCESS);
      ASSERT_EQ(moved, static_cast<std::int64_t>(bytes));
      ASSERT_EQ(packed, expected) << "pack to " << packed_at << " from " << position;
      expected = before;
      for (std::size_t i = 0; i < bytes; ++i) expected[at + places[first + i]] = before[packed_at + i];
      ASSERT_EQ(
          gapless_unpack(unpacked.data() + packed_at, budget, position, unpacked.data() + at, count, type, &moved),
          GAPLESS_SUCCESS);
      ASSERT_EQ(moved, static_cast<std::int64_t>(bytes));
      ASSERT_EQ(unpacked, expected) << "unpack from " << packed_at << " at " << position;
    }
  }
}

TEST(Overlap, BuffersThatShareMemory) {
  const Type byte(gapless_type_named, "byte"), int32(gapless_type_named, "int32");
  const std::int64_t lengths[] = {5, 1, 9}, places[] = {40, 0, 90};
  expect_as_if_read_first(Type(gapless_type_contiguous, 100, byte), 1, 500);
  expect_as_if_read_first(Type(gapless_type_vector, 10, 1, 3, int32), 1, 500);
  expect_as_if_read_first(Type(gapless_type_vector, 5, 2, 3, int32), 3, 500);
  expect_as_if_read_first(Type(gapless_type_hindexed, 3, lengths, places, byte), 3, 500);
  expect_as_if_read_first(Type(gapless_type_circular_vector, 60, 50, 55, 2, 5, int32), 1, 500);
}

// Below the buffer's address, and backwards.
TEST(Overlap, BuffersThatShareMemoryBelowTheAddress) {
  const Type int32(gapless_type_named, "int32");
  const Type backwards(gapless_type_hvector, 8, 1, -12, int32);
  constexpr std::size_t kAt = 300, kSize = 32;
  const Bytes before = numbered(600);
  for (std::size_t packed_at = 150; packed_at < 350; ++packed_at) {
    Bytes packed = before, expected = before, unpacked = before;
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < kSize; ++i) expected[packed_at + i] = before[kAt - i / 4 * 12 + i % 4];
    ASSERT_EQ(gapless_pack(packed.data() + kAt, 1, backwards, 0, packed.data() + packed_at, kSize, &moved),
              GAPLESS_SUCCESS);
    ASSERT_EQ(packed, expected) << packed_at;
    expected = before;
    for (std::size_t i = 0; i < kSize; ++i) expected[kAt - i / 4 * 12 + i % 4] = before[packed_at + i];
    ASSERT_EQ(gapless_unpack(unpacked.data() + packed_at, kSize, 0, unpacked.data() + kAt, 1, backwards, &moved),
              GAPLESS_SUCCESS);
    ASSERT_EQ(unpacked, expected) << packed_at;
  }
}

// Only that memory is taken which holds what moves: a budget without end is no reason to fail.
TEST(Overlap, BudgetBeyondTheMessage) {
  const Type int32(gapless_type_named, "int32");
  std::int32_t buffer[] = {1, 2, 3, 4};
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_pack(buffer, 3, int32, 0, buffer + 1, std::numeric_limits<std::int64_t>::max(), &moved),
            GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 12);
  EXPECT_EQ(std::vector<std::int32_t>(buffer, buffer + 4), (std::vector<std::int32_t>{1, 1, 2, 3}));
}

// The hull of these counts is beyond any memory; only its beginning is moved.
TEST(Overlap, MessageBeyondMemory) {
  const Type int32(gapless_type_named, "int32");
  const Type sparse(gapless_type_resized, 0, std::int64_t{1} << 40, int32);
  std::int32_t value = 77;
  alignas(8) char packed[8] = {};
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_pack(&value, std::int64_t{1} << 50, sparse, 0, packed, 4, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 4);
  EXPECT_EQ(std::memcmp(packed, &value, 4), 0);
}

TEST(Overlap, NoMemoryForTheCopyMovesNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer ends the program where memory is refused";
#endif
  const Type byte(gapless_type_named, "byte");
  // More than any address space has; nothing is read before the copy is there.
  const Type huge(gapless_type_contiguous, std::numeric_limits<std::int64_t>::max() / 2, byte);
  char buffer[16] = "untouched";
  std::int64_t moved = 55;
  const std::int64_t all = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(gapless_pack(buffer, 1, huge, 0, buffer + 4, all, &moved), GAPLESS_ERR_NO_MEM);
  EXPECT_EQ(gapless_unpack(buffer + 4, all, 0, buffer, 1, huge, &moved), GAPLESS_ERR_NO_MEM);
  EXPECT_EQ(moved, 55);
  EXPECT_STREQ(buffer, "untouched");
  EXPECT_NE(std::string(gapless_last_error()).find("memory"), std::string::npos);
}

// What the last writer of every byte left.
void expect_last_wins(gapless_type type, std::int64_t count) {
  const std::vector<std::size_t> places = displacements(type, count, 400);
  Bytes expected(400, 0xAB), got = expected, streamed = expected;
  const Bytes packed = numbered(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) expected[places[i]] = packed[i];
  const auto size = static_cast<std::int64_t>(places.size());
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_unpack(packed.data(), size, 0, got.data(), count, type, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(got, expected);
  for (std::int64_t at = 0; at < size; at += moved)
    ASSERT_EQ(gapless_unpack(packed.data() + at, 7, at, streamed.data(), count, type, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(streamed, expected);
}

TEST(Overlap, LastInTypeMapOrderWins) {
  const Type byte(gapless_type_named, "byte"), int32(gapless_type_named, "int32");
  const std::int64_t lengths[] = {3, 3, 3, 2}, places[] = {4, 6, 2, 5};
  const std::int64_t same[] = {0, 0, 0};
  expect_last_wins(Type(gapless_type_hvector, 20, 1, 3, int32), 1);  // each block over the end of the one before
  expect_last_wins(Type(gapless_type_hvector, 20, 1, 0, int32), 1);  // all in one place
  expect_last_wins(Type(gapless_type_indexed, 4, lengths, places, int32), 1);
  expect_last_wins(Type(gapless_type_indexed, 4, lengths, places, byte), 9);
  expect_last_wins(Type(gapless_type_hindexed_block, 3, 5, same, int32), 2);
  const Type row(gapless_type_hvector, 6, 1, 8, int32);
  expect_last_wins(Type(gapless_type_hvector, 5, 1, 6, row), 1);  // rows that interleave and overlap
  expect_last_wins(Type(gapless_type_resized, 0, 2, row), 40);    // elements that do
  const Type rows(gapless_type_hvector, 40, 1, 4, Type(gapless_type_hvector, 3, 1, 4, int32));
  expect_last_wins(rows, 1);
}

// Displacements that are addresses, and no buffer: MPI_BOTTOM.
TEST(Absolute, TypesOfAddressesNeedNoBuffer) {
  const Type int32(gapless_type_named, "int32"), real(gapless_type_named, "double");
  std::vector<std::int32_t> numbers(8);
  std::vector<double> reals(4);
  for (std::size_t i = 0; i < 8; ++i) numbers[i] = static_cast<std::int32_t>(100 + i);
  for (std::size_t i = 0; i < 4; ++i) reals[i] = 0.5 + static_cast<double>(i);
  const auto address = [](const void* of) { return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(of)); };
  const std::int64_t lengths[] = {1, 2}, places[] = {address(&numbers[1]), address(&reals[2])};
  const Type every_other(gapless_type_vector, 3, 1, 2, int32);
  const gapless_type types[] = {every_other, real};
  const Type both(gapless_type_struct, 2, lengths, places, types);
  struct {
    std::int32_t numbers[3];
    double reals[2];
  } expected{{101, 103, 105}, {2.5, 3.5}};
  char packed[28], wanted[28];
  std::memcpy(wanted, expected.numbers, 12);
  std::memcpy(wanted + 12, expected.reals, 16);
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_pack(nullptr, 1, both, 0, packed, 28, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 28);
  EXPECT_EQ(std::memcmp(packed, wanted, 28), 0);
  for (auto& number : numbers) number = -1;
  for (auto& number : reals) number = -1;
  for (std::int64_t at = 0; at < 28; at += moved)
    ASSERT_EQ(gapless_unpack(packed + at, 5, at, nullptr, 1, both, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{-1, 101, -1, 103, -1, 105, -1, -1}));
  EXPECT_EQ(reals, (std::vector<double>{-1, -1, 2.5, 3.5}));
}

// One run at one address, and every other kind of plan.
TEST(Absolute, EveryKindOfPlan) {
  const Type int32(gapless_type_named, "int32");
  std::vector<std::int32_t> numbers(200);
  for (std::size_t i = 0; i < 200; ++i) numbers[i] = static_cast<std::int32_t>(i);
  const std::int64_t origin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(numbers.data()));
  const std::int64_t scattered[] = {3, 11, 12, 40, 90}, lengths[] = {3, 1, 4, 1, 5};
  const Type run(gapless_type_contiguous, 20, int32), strided(gapless_type_vector, 10, 2, 5, int32);
  const Type table(gapless_type_indexed_block, 5, 1, scattered, int32);
  const Type list(gapless_type_indexed, 5, lengths, scattered, int32);
  const Type nest(gapless_type_vector, 3, 1, 1, strided);
  for (const gapless_type type :
       {gapless_type{run}, gapless_type{strided}, gapless_type{table}, gapless_type{list}, gapless_type{nest}}) {
    const Type absolute(gapless_type_hindexed_block, 1, 1, &origin, type);
    std::int64_t size = 0, moved = 0;
    ASSERT_EQ(gapless_type_size(type, &size), GAPLESS_SUCCESS);
    Bytes relative(static_cast<std::size_t>(size)), bottom = relative;
    ASSERT_EQ(gapless_pack(numbers.data(), 1, type, 0, relative.data(), size, &moved), GAPLESS_SUCCESS);
    ASSERT_EQ(gapless_pack(nullptr, 1, absolute, 0, bottom.data(), size, &moved), GAPLESS_SUCCESS);
    EXPECT_EQ(relative, bottom);
    const std::vector<std::int32_t> before = numbers;
    ASSERT_EQ(gapless_unpack(bottom.data(), size, 0, nullptr, 1, absolute, &moved), GAPLESS_SUCCESS);
    EXPECT_EQ(numbers, before);
  }
}

}  // namespace
