// Types as text through the C interface, and what gapless_type_explain() says of them, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gapless/gapless.h"
#include "kernel/caches.hpp"
#include "kernel/isa.hpp"
#include "move/whole.hpp"
#include "notation/parse.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
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

std::vector<std::string> plan_of(const std::string& text) {
  return explain(text)["plan"];
}
using Lines = std::vector<std::string>;

TEST(Explain, TheKernelsInForce) {
  const Json json = explain("vector(100, 2, 4, int32)");
  EXPECT_EQ(json["isa"], kernel::isa_name());
  EXPECT_EQ(json["kernels"], Json::parse(R"(["nest_8"])"));
}

TEST(Explain, ThePlanOfOneElementAndOfSeveral) {
  EXPECT_EQ(plan_of("contiguous(0, int32)"), Lines{});
  EXPECT_EQ(plan_of("double"), (Lines{"memcpy (far: nest_8): 8 bytes", "n elements: one run"}));
  EXPECT_EQ(plan_of("vector(9, 1, 100, double)")[0], "nest_8: 9 blocks of 8 bytes, stride 800");
  EXPECT_EQ(plan_of("resized(0, 8, vector(9, 1, 100, double))")[0], "nest_8: 9 blocks of 8 bytes, stride 800");
  EXPECT_EQ(plan_of("indexed_block(1, [0, 7, 3, 40, 2], double)"),
            (Lines{"listed_8: 5 blocks of 8 bytes at listed offsets", "n elements",
                   "  repeat n times, stride 328, pattern of 5 runs, 1 pass",
                   "    listed_8: 5 blocks of 8 bytes at listed offsets"}));
}

TEST(Explain, PatternsAndWhatKeepsThemFromUnpacking) {
  const Lines rows = plan_of("contiguous(9, resized(0, 100, hvector(3, 1, 16, double)))");
  EXPECT_EQ(rows[0], "pattern of 3 runs, 1 pass: 9 x 3 blocks of 8 bytes, strides 100, 16");
  EXPECT_EQ(rows[2], "  pattern of 3 runs, 1 pass: 9n rows of 3 blocks of 8 bytes, strides 100, 16");
  EXPECT_EQ(plan_of("contiguous(9, resized(0, 100, hvector(3, 1, 4, double)))")[0],
            "pattern of 3 runs, 1 pass (unpacked by nest_8): 9 x 3 blocks of 8 bytes, strides 100, 4");
  EXPECT_EQ(plan_of("contiguous(9, resized(0, 4000, hindexed([4, 300, 21], [0, 8, 1000], byte)))")[0],
            "repeat 9 times, stride 4000, pattern of 3 runs, 1 pass, 1 long");
  EXPECT_EQ(plan_of("contiguous(9, resized(0, 16, hindexed([4, 8, 9], [0, 8, 20], byte)))")[0],
            "repeat 9 times, stride 16, pattern of 3 runs, 2 passes (unpacked step by step)");
}

// The condition that the plan's text names is the one that is asked when a message is moved.
TEST(Explain, TranspositionsNameTheirCondition) {
  const std::string column = "resized(0, 8, vector(9, 1, 100, double))";
  for (const std::int64_t rows : {2, 99, 100, 101, 500}) {
    const std::string type = "contiguous(" + std::to_string(rows) + ", " + column + ")";
    const plan::PlanPtr plan = plan::compile(*notation::parse(type));
    const Lines lines = plan_of(type);
    const std::string shape = ": " + std::to_string(rows) + " x 9 blocks of 8 bytes, strides 8, 800";
    EXPECT_EQ(lines[0], (move::interleaves(plan->root(), rows) ? "transpose_8 (up to 100 rows interleave; else nest_8)"
                                                               : "nest_8 (up to 100 rows interleave: transpose_8)") +
                            shape);
    EXPECT_EQ(move::interleaves(plan->root(), rows), rows <= 100);
    EXPECT_EQ(explain(type)["kernels"], Json::parse(R"(["nest_8", "transpose_8"])"));
  }
  EXPECT_EQ(plan_of(column)[2],
            "  transpose_8 (up to 100 rows interleave; else nest_8): n rows of 9 blocks of 8 bytes, strides 8, 800");
  // There is no kernel that transposes blocks of 24 bytes.
  EXPECT_EQ(plan_of("contiguous(4, resized(0, 24, vector(9, 3, 100, double)))")[0],
            "nest_24: 4 x 9 blocks of 24 bytes, strides 24, 800");
}

TEST(Explain, ListsOverMoreThanTheLastCacheAreFetchedAhead) {
  const auto plan_of_lines = [](std::int64_t lines) {
    std::vector<std::int64_t> places;  // one in each line, anywhere in it
    for (std::int64_t i = 0; i < lines; ++i)
      places.push_back(i * 64 + static_cast<std::int64_t>(mixed(1, static_cast<std::uint64_t>(i)) % 7) * 8);
    return plan::compile(*layout::hindexed_block(8, places, notation::parse("byte")))->text();
  };
  const std::string near = plan_of_lines(20), far = plan_of_lines(kernel::far_bytes() / 64 + 100);
  EXPECT_EQ(near.substr(0, near.find('\n')), "listed_8: 20 blocks of 8 bytes at listed offsets");
  EXPECT_TRUE(far.substr(0, far.find('\n')).ends_with(" blocks of 8 bytes at listed offsets, fetched ahead")) << far;
}

TEST(Explain, FarFromTheCountThatTheLastCacheDoesNotHold) {
  // Each run touches a line, and one more at most, and there are the packed data.
  const std::int64_t count = kernel::far_bytes() / (1000 * (64 + 8 + 8)) + 1;
  EXPECT_EQ(explain("vector(1000, 1, 512, double)")["far_from_count"], count);
  EXPECT_EQ(explain("contiguous(1073741824, double)")["far_from_count"], 1);
  EXPECT_TRUE(explain("contiguous(0, double)")["far_from_count"].is_null());
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

// Those that begin below what `below` says, in packing order, with their positions.
Json lowest(const std::vector<Entry>& runs, const Json& below) {
  Json listed = Json::array();
  std::int64_t order = 0, position = 0;
  for (const Entry& run : runs) {
    if (below.is_null() || run.displacement < below.get<std::int64_t>())
      listed.push_back({run.displacement, run.bytes, order, position});
    ++order;
    position += run.bytes;
  }
  return listed;
}

Json first(const std::vector<Entry>& runs) {
  Json listed = Json::array();
  for (std::size_t i = 0; i < std::min(runs.size(), std::size_t{256}); ++i)
    listed.push_back({runs[i].displacement, runs[i].bytes});
  return listed;
}

// Byte by byte.
void expect_coverage(const Json& json, const std::vector<Entry>& runs) {
  if (runs.empty()) {
    EXPECT_TRUE(json["coverage"].is_null());
    return;
  }
  const std::int64_t width = json["coverage_bin_bytes"], from = json["true_lb"];
  std::vector<std::int64_t> bytes(static_cast<std::size_t>((json["true_extent"].get<std::int64_t>() - 1) / width + 1));
  EXPECT_LE(bytes.size(), 128u);
  for (const Entry& run : runs)
    for (std::int64_t at = run.displacement; at < run.displacement + run.bytes; ++at)
      ++bytes.at(static_cast<std::size_t>((at - from) / width));
  EXPECT_EQ(json["coverage"], Json(bytes));
}

// Column after column of a matrix of 100 columns: the runs that begin lowest are spread over the packing order.
TEST(Explain, TheLowestRunsOfATransposition) {
  const Json json = explain("resized(0, 8, vector(100, 1, 100, double))", 100);
  EXPECT_EQ(json["runs"], 10'000);
  EXPECT_EQ(json["first_runs"].size(), 256u);
  ASSERT_EQ(json["lowest_runs"].size(), 2048u);
  EXPECT_EQ(json["lowest_runs_below"], 2048 * 8);  // the matrix has no gaps
  std::vector<Json> expected;
  for (std::int64_t column = 0; column < 100; ++column)
    for (std::int64_t row = 0; row * 800 + column * 8 < 2048 * 8; ++row)
      expected.push_back({row * 800 + column * 8, 8, column * 100 + row, (column * 100 + row) * 8});
  EXPECT_EQ(json["lowest_runs"], Json(expected));
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
    ASSERT_EQ(json["first_runs"], first(runs)) << text << ", count " << count;
    if (json["lowest_runs_below"].is_null()) {
      ASSERT_EQ(json["lowest_runs"], lowest(runs, nullptr)) << text << ", count " << count;
    }
    expect_coverage(json, fused(Oracle(*type).entries(1)));
    ASSERT_FALSE(HasFailure()) << text << ", count " << count;
  }
}

}  // namespace
}  // namespace gapless::test
