#include "preload/strategy.hpp"

#include <cstring>

#include "base/settings.hpp"
#include "mpi/library.hpp"

namespace gapless::preload {

namespace {

struct Line {
  const char* version;  // what MPI_Get_library_version must contain; nullptr: any library
  Rule rule;
};

constexpr std::int64_t kAnyLength = INT64_MAX;
const Line lines[] = {
#define GAPLESS_RULE(version, send, receive, pack) {version, {send, receive, pack}},
#define GAPLESS_LIMITS(smallest_bytes, longest_run_bytes) \
  Limits {                                                \
    smallest_bytes, longest_run_bytes                     \
  }
#include "preload/rules.def"
#undef GAPLESS_LIMITS
#undef GAPLESS_RULE
};

Rule rule_of(const char* version) {
  for (const Line& line : lines) {
    if (line.version == nullptr || std::strstr(version, line.version) != nullptr) return line.rule;
  }
  return {};
}

}  // namespace

Rule rule_for_this_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (mpi::library.Get_library_version(version, &length) != MPI_SUCCESS) version[0] = '\0';
  Rule rule = rule_of(version);
  for (Limits* const limits : {&rule.send, &rule.receive, &rule.pack, &rule.file}) {
    limits->smallest_bytes = base::setting_bytes("GAPLESS_SMALLEST_BYTES", limits->smallest_bytes);
    limits->longest_run_bytes = base::setting_bytes("GAPLESS_LONGEST_RUN", limits->longest_run_bytes);
  }
  rule.force = base::setting_on("GAPLESS_FORCE");
  return rule;
}

}  // namespace gapless::preload
