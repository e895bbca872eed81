// Which kernels are in force: the best that the machine can run, or those that GAPLESS_ISA names. The setting is read
// once in a process, so that ctest runs this program with each value of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "isa/machine.hpp"
#include "kernel/isa.hpp"

namespace gapless::test {
namespace {

std::vector<std::string> names() {
  const auto all = kernel::isa_names();
  return {all.begin(), all.end()};
}

// A set that the machine has and the build has not would otherwise never be tested, and nobody would notice.
TEST(KernelIsa, NamesAreThoseOfTheMachine) {
  EXPECT_EQ(names(), machine_isas());
}

TEST(KernelIsa, InForceIsTheWishOrTheBest) {
  const char* wish = std::getenv("GAPLESS_ISA");
  const std::vector<std::string> all = names();
  const bool granted = wish != nullptr && std::find(all.begin(), all.end(), wish) != all.end();
  EXPECT_EQ(std::string(kernel::isa_name()), granted ? wish : all.back());
}

TEST(KernelIsa, TheChoiceIsMadeOnce) {
  const std::string before = kernel::isa_name();
  for (const std::string& name : names()) {
    setenv("GAPLESS_ISA", name.c_str(), 1);
    EXPECT_EQ(std::string(kernel::isa_name()), before);
  }
}

}  // namespace
}  // namespace gapless::test
