// Columns whose blocks lie a page or two apart, which kernels unpack in a way of their own.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "move/move.hpp"
#include "notation/parse.hpp"
#include "plan/plan.hpp"

namespace gapless::test {
namespace {

// Against a loop over the blocks; what lies between them stays.
void expect_column(std::int64_t count, std::int64_t block, std::int64_t stride) {
  const plan::PlanPtr plan =
      plan::compile(*notation::parse("hvector(" + std::to_string(count) + ", 1, " + std::to_string(stride) +
                                     ", contiguous(" + std::to_string(block) + ", byte))"));
  const std::int64_t reach = (count - 1) * std::abs(stride);
  const std::int64_t begin = stride < 0 ? reach : 0;
  std::string packed(static_cast<std::size_t>(count * block), '\0');
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<char>(i * 37 + i / 251);
  std::vector<char> memory(static_cast<std::size_t>(reach + block), '?'), expected = memory;
  for (std::int64_t i = 0; i < count; ++i) packed.copy(expected.data() + begin + i * stride, block, i * block);
  ASSERT_EQ(move::unpack(*plan, 1, memory.data() + begin, 0, packed.data(), count * block), count * block);
  EXPECT_TRUE(memory == expected) << count << " blocks of " << block << " bytes, " << stride << " apart";
  std::string again(packed.size(), '?');
  ASSERT_EQ(move::pack(*plan, 1, expected.data() + begin, 0, again.data(), count * block), count * block);
  EXPECT_TRUE(again == packed) << count << " blocks of " << block << " bytes, " << stride << " apart";
}

TEST(MoveColumn, OfWholePages) {
  for (const std::int64_t stride : {4096, -4096, 8192, -8192, 12288})
    for (const std::int64_t count : {16, 17, 19, 50})
      for (std::int64_t block = 1; block <= 72; ++block) expect_column(count, block, stride);
}

}  // namespace
}  // namespace gapless::test
