// Long runs between places whose distance within a page is small: there the string instruction is left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "copy/planned.hpp"
#include "kernel/kernel.hpp"
#include "move/move.hpp"
#include "notation/parse.hpp"
#include "plan/plan.hpp"

namespace gapless {
namespace {

constexpr std::int64_t kPage = 4096, kRuns = 3;

class Pages {
 public:
  explicit Pages(std::int64_t bytes)
      : bytes_((bytes / kPage + 2) * kPage),
        memory_(static_cast<char*>(std::aligned_alloc(kPage, static_cast<std::size_t>(bytes_)))) {
    for (std::int64_t i = 0; i < bytes_; ++i) memory_.get()[i] = static_cast<char>(i * 31 / 7);
  }
  char* at(std::int64_t offset) { return memory_.get() + offset; }

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };
  std::int64_t bytes_;
  std::unique_ptr<char, Free> memory_;
};

TEST(LongRuns, AtEveryDistanceWithinAPage) {
  EXPECT_TRUE(kernel::crawls(reinterpret_cast<char*>(3 * kPage + 8), reinterpret_cast<char*>(kPage)));
  EXPECT_FALSE(kernel::crawls(reinterpret_cast<char*>(3 * kPage), reinterpret_cast<char*>(kPage)));
  EXPECT_FALSE(kernel::crawls(reinterpret_cast<char*>(3 * kPage + 16), reinterpret_cast<char*>(kPage)));
  EXPECT_FALSE(kernel::crawls(reinterpret_cast<char*>(kPage), reinterpret_cast<char*>(kPage + 8)));
  for (const std::int64_t run : {1025, 2049, 16385, 40001, 70003}) {
    // A multiple of a page from run to run on either side: all of them are at the same distance.
    const std::int64_t stride = (run / kPage + 2) * kPage;
    const plan::PlanPtr type = plan::compile(*notation::parse("hvector(3, 1, " + std::to_string(stride) +
                                                              ", contiguous(" + std::to_string(run) + ", byte))"));
    for (std::int64_t behind = 0; behind <= 17; ++behind) {
      Pages from(kRuns * stride), to(kRuns * stride), packed(kRuns * run);
      copy::planned(from.at(0), type, 1, to.at(behind), type, 1, 0, kRuns * run);
      move::pack(*type, 1, from.at(0), 0, packed.at(behind), kRuns * run);
      Pages back(kRuns * stride);
      move::unpack(*type, 1, back.at(2 * behind), 0, packed.at(behind), kRuns * run);
      for (std::int64_t k = 0; k < kRuns; ++k) {
        const char* const expected = from.at(k * stride);
        ASSERT_TRUE(std::equal(expected, expected + run, to.at(k * stride + behind))) << run << ' ' << behind;
        ASSERT_TRUE(std::equal(expected, expected + run, packed.at(k * run + behind))) << run << ' ' << behind;
        ASSERT_TRUE(std::equal(expected, expected + run, back.at(k * stride + 2 * behind))) << run << ' ' << behind;
      }
    }
  }
}

}  // namespace
}  // namespace gapless
