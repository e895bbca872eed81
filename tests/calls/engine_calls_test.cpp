// The data path of the shared library, once warm, allocates nothing, takes no lock and throws nothing: over the types
// of everyday programs and over random ones, packed, unpacked and exported, whole and in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "calls/watched_calls.hpp"
#include "gapless/gapless.h"
#include "notation/print.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kMaxSpan = 1 << 24;  // [bytes]

class Type {
 public:
  explicit Type(const std::string& text) {
    EXPECT_EQ(gapless_type_parse(text.c_str(), &type_), GAPLESS_SUCCESS) << text;
  }
  ~Type() { gapless_type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  gapless_type get() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

// What the data path calls on one message, in buffers of its own.
class Message {
 public:
  Message(const std::string& text, std::int64_t count) : type_(text), count_(count) {
    std::int64_t low = 0, extent = 0, size = 0, lower_bound = 0, span = 0;
    gapless_type_true_extent(type_.get(), &low, &span);
    gapless_type_extent(type_.get(), &lower_bound, &extent);
    gapless_type_size(type_.get(), &size);
    const std::int64_t steps = (count - 1) * extent;
    fits_ = size > 0 && span + std::abs(steps) <= kMaxSpan;
    if (!fits_) return;
    memory_.resize(static_cast<std::size_t>(span + std::abs(steps)));
    user_ = memory_.data() - (low + std::min<std::int64_t>(0, steps));
    packed_.resize(static_cast<std::size_t>(size * count));
  }

  bool fits() const { return fits_; }

  // Every status must be success: the failure would be counted as well, and hide that nothing ran.
  bool all() {
    const auto bytes = static_cast<std::int64_t>(packed_.size());
    bool good = move(0, bytes);
    for (std::int64_t part = 1; part <= 4; ++part) good = good && move(bytes * part / 7, bytes / 3 + part);
    std::int64_t entries = 0, exported = 0;
    for (std::int64_t position = 0; good && position < bytes; position += std::max<std::int64_t>(bytes / 3, 1)) {
      good =
          gapless_iov_export(user_, count_, type_.get(), position, iov_, 16, &entries, &exported) == GAPLESS_SUCCESS &&
          entries > 0;
    }
    return good;
  }

 private:
  bool move(std::int64_t position, std::int64_t budget) {
    std::int64_t moved = 0;
    budget = std::min(budget, static_cast<std::int64_t>(packed_.size()) - position);
    if (budget <= 0) return true;
    return gapless_pack(user_, count_, type_.get(), position, packed_.data(), budget, &moved) == GAPLESS_SUCCESS &&
           moved == budget &&
           gapless_unpack(packed_.data(), budget, position, user_, count_, type_.get(), &moved) == GAPLESS_SUCCESS &&
           moved == budget;
  }

  Type type_;
  std::int64_t count_;
  std::vector<char> memory_, packed_;
  char* user_ = nullptr;
  gapless_iov iov_[16];
  bool fits_ = false;
};

int watched_messages = 0;

void expect_no_calls(const std::string& text, std::int64_t count) {
  Message message(text, count);
  if (!message.fits()) return;
  ++watched_messages;
  ASSERT_TRUE(message.all()) << text;
  watch_calls();
  const bool good = message.all();
  const WatchedCalls calls = end_watch();
  ASSERT_TRUE(good) << text;
  if (calls.ours > 0) print_watched_calls();
  EXPECT_EQ(calls.ours, 0) << text.substr(0, 300) << ", count " << count;
  EXPECT_EQ(calls.others, 0) << text.substr(0, 300) << ", count " << count;
}

// The test itself sees what it claims to see.
TEST(EngineCalls, AllocationsAndLocksAreSeen) {
  watch_calls();
  gapless_type type = nullptr;
  gapless_type_named("double", &type);
  gapless_type_free(&type);
  EXPECT_GE(end_watch().ours, 2);
  watch_calls();
  {
    const std::string long_enough_to_be_allocated(1000, 'x');
  }
  const WatchedCalls calls = end_watch();
  EXPECT_EQ(calls.ours, 0);
  EXPECT_GE(calls.others, 2);
  std::mutex mutex;
  watch_calls();
  mutex.lock();
  EXPECT_EQ(end_watch().others, 1);
  mutex.unlock();
}

TEST(EngineCalls, NoneForEverydayTypes) {
  for (const char* text : {
           "contiguous(5000, double)",
           "vector(1000, 1, 2, double)",
           "vector(1000, 1, 1000, double)",
           "resized(0, 8, vector(300, 1, 300, double))",
           "subarray([40, 50, 60], [38, 1, 58], [1, 1, 1], C, double)",
           "subarray([64, 64, 64], [64, 64, 3], [0, 0, 1], Fortran, float)",
           "indexed_block(1, [0, 7, 3, 12, 90, 45, 46, 200, 177, 5], double)",
           "hindexed([3, 9, 1, 30, 4], [0, 40, 100, 200, 333], byte)",
           "struct([(1, 0, int32), (1, 8, double), (3, 16, int16)])",
           "resized(0, 100, contiguous(92, byte))",
       }) {
    for (const std::int64_t count : {1, 2, 70, 300}) expect_no_calls(text, count);
  }
}

TEST(EngineCalls, NoneForRandomTypes) {
  watched_messages = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t seed = mixed(20'261'121, i);
    const std::string text = notation::print(*random_type(seed));
    for (const std::int64_t count : {std::int64_t{1}, Random(seed).between(2, 70)}) expect_no_calls(text, count);
    if (HasFailure()) return;
  }
  EXPECT_GE(watched_messages, 5000);
}

}  // namespace
}  // namespace gapless::test
