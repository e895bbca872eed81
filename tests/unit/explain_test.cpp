// Types as text through the C interface, and what gapless_type_explain() says of them, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gapless/gapless.h"
#include "notation/print.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"
#include "unit/types.hpp"

namespace gapless::test {
namespace {

using Json = nlohmann::json;

// A type handle that frees itself.
class Handle {
 public:
  explicit Handle(const std::string& text) {
    EXPECT_EQ(gapless_type_parse(text.c_str(), &type_), GAPLESS_SUCCESS) << gapless_last_error();
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { gapless_type_free(&type_); }
  gapless_type get() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

Json explain(const std::string& text, std::int64_t count = 1) {
  const Handle type(text);
  std::size_t needed = 0;
  EXPECT_EQ(gapless_type_explain(type.get(), count, nullptr, 0, &needed), GAPLESS_SUCCESS) << gapless_last_error();
  std::string json(needed, '#');
  EXPECT_EQ(gapless_type_explain(type.get(), count, json.data(), json.size(), &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(json.size(), needed);
  EXPECT_EQ(json.back(), '\0');
  json.pop_back();
  return Json::parse(json);
}

TEST(TypesAsText, TextIsHandedOutInWhatRoomThereIs) {
  const Handle type("vector(3,2,4,MPI_INT)");
  const std::string text = "vector(3, 2, 4, int32)";
  std::size_t needed = 0;
  ASSERT_EQ(gapless_type_print(type.get(), nullptr, 0, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(needed, text.size() + 1);
  std::string room(30, '#');
  ASSERT_EQ(gapless_type_print(type.get(), room.data(), 7, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(needed, text.size() + 1);
  EXPECT_EQ(room, std::string("vector\0", 7) + std::string(23, '#'));
  ASSERT_EQ(gapless_type_print(type.get(), room.data(), needed, &needed), GAPLESS_SUCCESS);
  EXPECT_EQ(room, text + '\0' + std::string(30 - text.size() - 1, '#'));
}

TEST(TypesAsText, BadArgumentsSetNoOutput) {
  gapless_type untouched = reinterpret_cast<gapless_type>(&untouched), type = untouched;
  EXPECT_EQ(gapless_type_parse("vectr(1)", &type), GAPLESS_ERR_ARG);
  EXPECT_NE(std::string(gapless_last_error()).find("did you mean 'vector'"), std::string::npos);
  EXPECT_EQ(gapless_type_parse("contiguous(9999999999999999999, byte)", &type), GAPLESS_ERR_OVERFLOW);
  EXPECT_EQ(gapless_type_parse(nullptr, &type), GAPLESS_ERR_ARG);
  EXPECT_EQ(gapless_type_parse("byte", nullptr), GAPLESS_ERR_ARG);
  EXPECT_EQ(type, untouched);
  const Handle byte("byte");
  std::size_t needed = 77;
  char buffer[8] = "before";
  EXPECT_EQ(gapless_type_print(nullptr, buffer, 8, &needed), GAPLESS_ERR_ARG);
  EXPECT_EQ(gapless_type_print(byte.get(), nullptr, 8, &needed), GAPLESS_ERR_ARG);
  EXPECT_EQ(gapless_type_explain(byte.get(), -1, buffer, 8, &needed), GAPLESS_ERR_ARG);
  EXPECT_EQ(needed, 77u);
  EXPECT_STREQ(buffer, "before");
  EXPECT_EQ(gapless_type_print(byte.get(), buffer, 8, nullptr), GAPLESS_ERR_ARG);
}

TEST(Explain, AVector) {
  const Json json = explain("vector(3, 2, 40, int32)", 2);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["type"], "vector(3, 2, 40, int32)");
  EXPECT_EQ(json["count"], 2);
  EXPECT_EQ(json["size"], 24);
  EXPECT_EQ(json["extent"], 328);
  EXPECT_EQ(json["true_extent"], 328);
  EXPECT_EQ(json["alignment"], 4);
  EXPECT_EQ(json["bytes_touched"], 48);
  EXPECT_EQ(json["runs"], 5);  // the last run of the first meets the first of the second
  EXPECT_EQ(json["memory"], Json::parse("[[0, 8, 0], [160, 8, 1], [320, 16, 2], [488, 8, 3], [648, 8, 4]]"));
  EXPECT_EQ(json["cache_lines"], 5);
  EXPECT_EQ(json["tree"]["combiner"], "vector");
  EXPECT_EQ(json["tree"]["arguments"], Json::parse(R"({"count": 3, "blocklength": 2, "stride": 40})"));
  EXPECT_EQ(json["tree"]["children"][0]["name"], "int32");
  EXPECT_FALSE(json["normal_form"].get<std::string>().empty());
  EXPECT_FALSE(json["plan"].empty());
  EXPECT_FALSE(json["kernels"].empty());
}

TEST(Explain, NoData) {
  for (const char* text : {"contiguous(0, int32)", "struct([])", "resized(-4, 100, vector(0, 1, 1, double))"}) {
    const Json json = explain(text, 3);
    EXPECT_EQ(json["bytes_touched"], 0) << text;
    EXPECT_EQ(json["runs"], 0) << text;
    EXPECT_EQ(json["cache_lines"], 0) << text;
    EXPECT_EQ(json["memory"], Json::array()) << text;
    EXPECT_EQ(json["kernels"], Json::array()) << text;
  }
  EXPECT_EQ(explain("vector(3, 2, 4, int32)", 0)["runs"], 0);
}

// More runs than are walked: bounds instead of exact numbers, at once.
TEST(Explain, TooManyRunsToWalk) {
  const Json json = explain("vector(1000000000, 1, 2, int32)");
  EXPECT_TRUE(json["cache_lines"].is_null());
  EXPECT_EQ(json["cache_lines_at_most"], 125'000'000);  // a pitch of 8 bytes: every line of the span
  EXPECT_EQ(json["runs"], 1'000'000'000);
  EXPECT_EQ(json["memory"].size(), 128u);
  EXPECT_FALSE(json["memory_complete"].get<bool>());
}

// What sharing and long lists make long is cut, and says so.
TEST(Explain, HugeDescriptionsStaySmall) {
  const Json list = explain("indexed_block(1, [0..10000000:7, 3], int32)");
  EXPECT_TRUE(list["type_is_abridged"].get<bool>());
  EXPECT_EQ(list["tree"]["arguments"]["displacements"].size(), 64u);
  EXPECT_EQ(list["tree"]["omitted"]["displacements"], 10'000'000 / 7 + 2 - 64);
  EXPECT_LT(list.dump().size(), 200'000u);

  gapless_type shared = nullptr, next = nullptr;
  ASSERT_EQ(gapless_type_named("byte", &shared), GAPLESS_SUCCESS);
  for (int depth = 0; depth < 38; ++depth) {
    const std::int64_t lengths[] = {1, 1}, places[] = {0, std::int64_t{1} << (depth + 1)};
    const gapless_type types[] = {shared, shared};
    ASSERT_EQ(gapless_type_struct(2, lengths, places, types, &next), GAPLESS_SUCCESS);
    gapless_type_free(&shared);
    shared = next;
  }
  std::size_t needed = 0;
  EXPECT_EQ(gapless_type_explain(shared, 1, nullptr, 0, &needed), GAPLESS_SUCCESS) << gapless_last_error();
  EXPECT_LT(needed, 1'000'000u);
  gapless_type_free(&shared);
}

// 64-byte lines that hold a byte of one of the runs.
std::int64_t lines_of(const std::vector<Entry>& runs) {
  std::set<std::int64_t> lines;
  for (const Entry& run : runs)
    for (std::int64_t at = run.displacement; at < run.displacement + run.bytes; ++at)
      lines.insert(at < 0 ? (at - 63) / 64 : at / 64);
  return static_cast<std::int64_t>(lines.size());
}

Json first_kilobyte(const std::vector<Entry>& runs) {
  std::int64_t from = runs.empty() ? 0 : runs[0].displacement, index = 0;
  for (const Entry& run : runs) from = std::min(from, run.displacement);
  Json shown = Json::array();
  for (const Entry& run : runs) {
    const std::int64_t end = std::min(run.displacement + run.bytes, from + 1024);
    if (run.displacement < end) shown.push_back({run.displacement, end - run.displacement, index});
    ++index;
  }
  return shown;
}

TEST(Explain, RandomTypesAgainstTheOracle) {
  for (std::uint64_t index = 0; index < 2'000; ++index) {
    const LayoutPtr type = random_type(mixed(9, index));
    const auto count = static_cast<std::int64_t>(index % 4);
    const std::string text = notation::print(*type);
    const std::vector<Entry> runs = fused(Oracle(*type).entries(count));
    const Json json = explain(text, count);
    ASSERT_EQ(json["type"], text);
    ASSERT_EQ(json["runs"], static_cast<std::int64_t>(runs.size())) << text << ", count " << count;
    ASSERT_EQ(json["bytes_touched"], count * Oracle(*type).bounds().size) << text << ", count " << count;
    ASSERT_EQ(json["cache_lines"], lines_of(runs)) << text << ", count " << count;
    if (json["memory_complete"].get<bool>()) {
      ASSERT_EQ(json["memory"], first_kilobyte(runs)) << text << ", count " << count;
    }
  }
}

}  // namespace
}  // namespace gapless::test
