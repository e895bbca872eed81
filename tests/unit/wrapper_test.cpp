// gapless.hpp: every constructor hands its arguments on, errors become exceptions, and a Type is a value.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gapless/gapless.hpp"

namespace {

using gapless::Error;
using gapless::Type;

static_assert(!std::is_default_constructible_v<Type>);
static_assert(std::is_nothrow_move_constructible_v<Type> && std::is_copy_assignable_v<Type>);

Type int32() {
  return Type::of<std::int32_t>();
}

TEST(Wrapper, EachConstructorHandsItsArgumentsOn) {
  const std::vector<std::int64_t> lengths{2, 1}, displacements{4, 0};
  const std::vector<std::pair<Type, std::string>> types{
      {Type::named("double"), "double"},
      {Type::contiguous(3, int32()), "contiguous(3, int32)"},
      {Type::vector(3, 2, 4, int32()), "vector(3, 2, 4, int32)"},
      {Type::hvector(3, 2, 40, int32()), "hvector(3, 2, 40, int32)"},
      {Type::indexed(lengths, displacements, int32()), "indexed([2, 1], [4, 0], int32)"},
      {Type::hindexed({2, 1}, {16, 0}, int32()), "hindexed([2, 1], [16, 0], int32)"},
      {Type::indexed_block(2, std::array<std::int64_t, 2>{4, 0}, int32()), "indexed_block(2, [4, 0], int32)"},
      {Type::hindexed_block(2, {16, 0}, int32()), "hindexed_block(2, [16, 0], int32)"},
      {Type::structure({1, 3}, {0, 8}, {int32(), Type::of<double>()}), "struct([(1, 0, int32), (3, 8, double)])"},
      {Type::subarray({4, 6}, {2, 3}, {1, 0}, GAPLESS_ORDER_FORTRAN, int32()),
       "subarray([4, 6], [2, 3], [1, 0], Fortran, int32)"},
      {Type::darray(6, 4, {10, 9}, {GAPLESS_DISTRIBUTE_BLOCK, GAPLESS_DISTRIBUTE_CYCLIC}, {-1, 2}, {2, 3},
                    GAPLESS_ORDER_C, int32()),
       "darray(6, 4, [10, 9], [block, cyclic(2)], [2, 3], C, int32)"},
      {Type::bounded_vector(7, 2, 3, int32()), "bounded_vector(7, 2, 3, int32)"},
      {Type::circular_vector(9, 5, 7, 2, 3, int32()), "circular_vector(9, 5, 7, 2, 3, int32)"},
      {Type::bucket(4, {3, 0, 4}, int32()), "bucket(4, [3, 0, 4], int32)"},
      {Type::resized(-4, 12, int32()), "resized(-4, 12, int32)"},
  };
  for (const auto& [type, text] : types) {
    EXPECT_EQ(type.text(), text);
    EXPECT_TRUE(gapless::layout_equal(type, Type::parse(text))) << text;
  }
  EXPECT_EQ(Type::vector(3, 2, 4, int32()).signature().size(), 24);
}

TEST(Wrapper, BasicTypesHaveTheirNames) {
  EXPECT_EQ(Type::of<std::byte>().text(), "byte");
  EXPECT_EQ(Type::of<bool>().text(), "bool");
  EXPECT_EQ(Type::of<char>().text(), "char");
  EXPECT_EQ(Type::of<wchar_t>().text(), "wchar");
  EXPECT_EQ(Type::of<signed char>().text(), "int8");
  EXPECT_EQ(Type::of<unsigned short>().text(), "uint16");
  EXPECT_EQ(Type::of<long long>().text(), "int64");
  EXPECT_EQ(Type::of<float>().text(), "float");
  EXPECT_EQ(Type::of<long double>().text(), "long_double");
  EXPECT_EQ(Type::of<std::complex<double>>().text(), "double_complex");
}

TEST(Wrapper, BoundsAreInBytes) {
  const Type type = Type::resized(-4, 40, Type::indexed({2}, {1}, int32()));
  EXPECT_EQ(type.size(), 8);
  EXPECT_EQ(type.lower_bound(), -4);
  EXPECT_EQ(type.extent(), 40);
  EXPECT_EQ(type.true_lower_bound(), 4);
  EXPECT_EQ(type.true_extent(), 8);
}

TEST(Wrapper, DataComeAndGoInParts) {
  std::vector<std::int32_t> field(24), back(24, -1);
  std::iota(field.begin(), field.end(), 0);
  const Type type = Type::vector(3, 2, 4, int32());
  type.commit();
  std::array<std::byte, 7> part;
  std::int64_t position = 0;
  while (const std::int64_t moved = gapless::pack(field.data(), 2, type, part, position)) {
    EXPECT_EQ(gapless::unpack(std::span(part).first(static_cast<std::size_t>(moved)), back.data(), 2, type, position),
              moved);
    position += moved;
  }
  EXPECT_EQ(position, 48);
  std::vector<std::int32_t> packed(12), packed_back(12);
  gapless::pack(field.data(), 2, type, std::as_writable_bytes(std::span(packed)));
  gapless::pack(back.data(), 2, type, std::as_writable_bytes(std::span(packed_back)));
  EXPECT_EQ(packed, (std::vector<std::int32_t>{0, 1, 4, 5, 8, 9, 10, 11, 14, 15, 18, 19}));
  EXPECT_EQ(packed, packed_back);
  EXPECT_EQ(back[2], -1);
}

TEST(Wrapper, MessagesAreCopiedFromLayoutToLayout) {
  std::array<std::int32_t, 12> matrix, transposed{};
  std::iota(matrix.begin(), matrix.end(), 0);
  const Type rows = Type::contiguous(12, int32());
  const Type columns = Type::contiguous(3, Type::resized(0, 4, Type::vector(4, 1, 3, int32())));
  EXPECT_EQ(gapless::copy(matrix.data(), 1, rows, transposed.data(), 1, columns), 48);
  EXPECT_EQ(transposed, (std::array<std::int32_t, 12>{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}));
  transposed = {};
  EXPECT_EQ(gapless::copy(matrix.data(), 1, rows, transposed.data(), 1, columns, 44, 100), 4);
  EXPECT_EQ(transposed, (std::array<std::int32_t, 12>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11}));
  EXPECT_THROW(gapless::copy(matrix.data(), 2, rows, transposed.data(), 1, columns), Error);
}

TEST(Wrapper, RunsComeInPieces) {
  std::array<std::int32_t, 12> field{};
  const Type type = Type::vector(3, 2, 4, int32());
  std::array<gapless_iov, 2> room;
  const auto [first, first_bytes] = gapless::iov_export(field.data(), 1, type, room);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[1].base, &field[4]);
  EXPECT_EQ(first_bytes, 16);
  const auto [rest, rest_bytes] = gapless::iov_export(field.data(), 1, type, room, first_bytes);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].base, &field[8]);
  EXPECT_EQ(rest_bytes, 8);
}

TEST(Wrapper, TypesAreCompared) {
  const Type a = Type::vector(2, 1, 1, int32()), b = Type::contiguous(2, Type::of<float>());
  EXPECT_TRUE(gapless::layout_equal(a, b));
  EXPECT_FALSE(gapless::layout_equal(a, int32()));
  EXPECT_TRUE(gapless::message_equal(2, a, 4, int32()));
  EXPECT_FALSE(gapless::message_equal(2, a, 3, int32()));
  EXPECT_TRUE(gapless::signature_equal(a, 2, int32(), 4));
  EXPECT_FALSE(gapless::signature_equal(a, 1, b, 1));
  EXPECT_EQ(a.signature_hash(2), int32().signature_hash(4));
}

TEST(Wrapper, ErrorsAreExceptionsWithTheirText) {
  const auto text_of = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), GAPLESS_ERR_ARG);
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_EQ(text_of([] { Type::contiguous(-1, int32()); }), "the count must be at least 0, not -1");
  EXPECT_EQ(text_of([] { Type::indexed({1, 2}, {0}, int32()); }),
            "as many displacements as blocklengths are needed: 2, not 1");
  EXPECT_NE(text_of([] { Type::parse("vektor(1)"); }).find("vektor"), std::string::npos);
  EXPECT_THROW(Type::contiguous(std::int64_t{1} << 62, Type::contiguous(8, int32())), Error);
  Type type = int32();
  const Type taken = std::move(type);
  EXPECT_EQ(text_of([&] { (void)type.size(); }), "the type is NULL");
  type = taken;
  EXPECT_EQ(type.size(), 4);
}

TEST(Wrapper, CopiesShareAndOutlive) {
  const Type outer = [] {
    const Type inner = Type::vector(3, 2, 4, int32());
    const Type copy = inner;
    EXPECT_EQ(copy.get(), inner.get());
    return Type::contiguous(2, copy);
  }();
  EXPECT_EQ(outer.size(), 48);
}

TEST(Wrapper, ALayoutTravelsAsBytes) {
  const Type type = Type::resized(-8, 100, Type::vector(3, 2, 4, int32()));
  std::vector<std::byte> bytes = type.serialise();
  EXPECT_LT(bytes.size(), 100u);
  EXPECT_TRUE(gapless::layout_equal(Type::deserialise(bytes), type));
  bytes.pop_back();
  EXPECT_THROW(Type::deserialise(bytes), Error);
}

TEST(Wrapper, LongTextsComeWhole) {
  const std::vector<std::int64_t> displacements = [] {
    std::vector<std::int64_t> list(5000);
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::int64_t>(i * i);
    return list;
  }();
  const std::string text = Type::indexed_block(1, displacements, int32()).text();
  EXPECT_GT(text.size(), 20000u);
  EXPECT_TRUE(text.ends_with(", 24990001], int32)")) << text.substr(text.size() - 30);
  const std::string document = Type::vector(1000, 2, 4, int32()).explain(3);
  EXPECT_EQ(document.front(), '{');
  EXPECT_EQ(document.back(), '}');
}

}  // namespace
