// The serialised form through the C interface.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gapless/gapless.h"

namespace {

gapless_type parsed(const char* text) {
  gapless_type type = nullptr;
  EXPECT_EQ(gapless_type_parse(text, &type), GAPLESS_SUCCESS) << gapless_last_error();
  return type;
}

void expect_error(gapless_status got, gapless_status expected, const std::string& part) {
  EXPECT_EQ(got, expected);
  EXPECT_NE(std::string(gapless_last_error()).find(part), std::string::npos) << gapless_last_error();
}

TEST(CApiSerialised, AnotherProcessGetsTheSameLayout) {
  gapless_type type = parsed("resized(-4, 60, struct([(2, 0, int32), (3, 16, double)]))"), again = nullptr;
  char bytes[64];
  std::size_t length = 0;
  ASSERT_EQ(gapless_type_serialise(type, bytes, sizeof bytes, &length), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_type_deserialise(bytes, length, &again), GAPLESS_SUCCESS) << gapless_last_error();
  int equal = 0;
  ASSERT_EQ(gapless_layout_equal(type, again, &equal), GAPLESS_SUCCESS);
  EXPECT_EQ(equal, 1);
  std::uint8_t memory[120], packed[64], packed_again[64];
  for (int i = 0; i < 120; ++i) memory[i] = static_cast<std::uint8_t>(i);
  std::int64_t moved = 0;
  ASSERT_EQ(gapless_pack(memory, 2, type, 0, packed, 64, &moved), GAPLESS_SUCCESS);
  ASSERT_EQ(gapless_pack(memory, 2, again, 0, packed_again, 64, &moved), GAPLESS_SUCCESS);
  EXPECT_EQ(moved, 64);
  EXPECT_EQ(std::memcmp(packed, packed_again, 64), 0);
  // Its signature is bytes.
  gapless_type byte = parsed("byte");
  ASSERT_EQ(gapless_signature_equal(again, 1, byte, 32, &equal), GAPLESS_SUCCESS);
  EXPECT_EQ(equal, 1);
  char text[200];
  std::size_t needed = 0;
  ASSERT_EQ(gapless_type_print(again, text, sizeof text, &needed), GAPLESS_SUCCESS);
  EXPECT_STREQ(text, "resized(-4, 60, struct([(1, 0, contiguous(8, byte)), (1, 16, contiguous(24, byte))]))");
  for (gapless_type* of : {&type, &again, &byte}) EXPECT_EQ(gapless_type_free(of), GAPLESS_SUCCESS);
}

TEST(CApiSerialised, AllOfItOrNothingIsWritten) {
  gapless_type type = parsed("vector(1000, 2, 4, int32)");
  std::size_t needed = 0;
  ASSERT_EQ(gapless_type_serialise(type, nullptr, 0, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(needed, 23u);
  std::vector<char> bytes(needed, '-');
  ASSERT_EQ(gapless_type_serialise(type, bytes.data(), needed - 1, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(bytes, std::vector<char>(needed, '-'));
  EXPECT_EQ(needed, 23u);
  ASSERT_EQ(gapless_type_serialise(type, bytes.data(), needed, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(std::string(bytes.data(), 3), "GAP");
  EXPECT_EQ(gapless_type_free(&type), GAPLESS_SUCCESS);
}

TEST(CApiSerialised, RefusesAndSetsNoOutput) {
  gapless_type type = parsed("double"), untouched = reinterpret_cast<gapless_type>(&type), out = untouched;
  std::size_t needed = 77;
  char bytes[32] = {};
  expect_error(gapless_type_serialise(nullptr, bytes, 32, &needed), GAPLESS_ERR_ARG, "type");
  expect_error(gapless_type_serialise(type, nullptr, 32, &needed), GAPLESS_ERR_ARG, "buffer");
  expect_error(gapless_type_serialise(type, bytes, 32, nullptr), GAPLESS_ERR_ARG, "length");
  EXPECT_EQ(needed, 77u);
  ASSERT_EQ(gapless_type_serialise(type, bytes, 32, &needed), GAPLESS_SUCCESS);
  expect_error(gapless_type_deserialise(nullptr, needed, &out), GAPLESS_ERR_ARG, "bytes");
  expect_error(gapless_type_deserialise(bytes, needed, nullptr), GAPLESS_ERR_ARG, "type");
  expect_error(gapless_type_deserialise(bytes, needed - 1, &out), GAPLESS_ERR_ARG, "checksum");
  bytes[3] = 9;
  expect_error(gapless_type_deserialise(bytes, needed, &out), GAPLESS_ERR_ARG, "version 9");
  EXPECT_EQ(out, untouched);
  EXPECT_EQ(gapless_type_free(&type), GAPLESS_SUCCESS);
}

}  // namespace
