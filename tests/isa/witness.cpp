// Linked into a test, it ends the test before main unless the kernels that GAPLESS_ISA names are really in force:
// status 77 (skipped) if this machine cannot run them, 1 if it can. So a test that ran has run what its name says.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "isa/machine.hpp"
#include "kernel/caches.hpp"
#include "kernel/isa.hpp"

namespace gapless::test {
namespace {

constexpr int kSkipped = 77;

const bool in_force = [] {
  const char* wish = std::getenv("GAPLESS_ISA");
  if (wish == nullptr || *wish == '\0') return true;
  const std::vector<std::string> machine = machine_isas();
  if (std::find(machine.begin(), machine.end(), wish) == machine.end()) {
    std::fprintf(stderr, "skipped: this machine has no %s\n", wish);
    std::_Exit(kSkipped);
  }
  const std::string name = kernel::isa_name();
  if (name != wish) {
    std::fprintf(stderr, "FAILED: GAPLESS_ISA=%s, but the kernels in force are %s\n", wish, name.c_str());
    std::_Exit(1);
  }
  constexpr const char* kFar = "GAPLESS_NT_BYTES";
  if (base::setting_text(kFar) != nullptr && base::setting_bytes(kFar, -1) != kernel::far_bytes()) {
    std::fprintf(stderr, "FAILED: %s=%s, but the limit in force is %lld\n", kFar, base::setting_text(kFar),
                 static_cast<long long>(kernel::far_bytes()));
    std::_Exit(1);
  }
  std::fprintf(stderr, "kernels in force: %s, past the caches from %lld bytes on\n", name.c_str(),
               static_cast<long long>(kernel::far_bytes()));
  return true;
}();

}  // namespace
}  // namespace gapless::test
