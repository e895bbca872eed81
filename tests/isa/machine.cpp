#include "isa/machine.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace gapless::test {
namespace {

#if defined(__x86_64__)
// The system leaves out what it does not save when it switches threads.
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> flags;
    for (std::string flag; words >> flag;) flags.insert(flag);
    return flags;
  }
  return {};
}
#endif

}  // namespace

std::vector<std::string> machine_isas() {
  std::vector<std::string> names{"baseline"};
#if defined(__x86_64__)
  const std::set<std::string> flags = processor_flags();
  const auto all = [&](std::initializer_list<const char*> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const char* flag) { return flags.contains(flag); });
  };
  if (all({"avx2"})) names.push_back("avx2");
  if (all({"avx2", "avx512f", "avx512bw", "avx512dq", "avx512vl"})) names.push_back("avx512");
#elif defined(__aarch64__)
  names.push_back("neon");  // a part of the architecture
#endif
  return names;
}

}  // namespace gapless::test
