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

// MPI_Alltoallw is not made of sends like the program's: what MPICH does with a datatype costs more than two copies
// however long the runs, Open MPI copies runs of a kilobyte faster than we could. `gapless bench fft --force`,
// 2026-11-22 (runs of 1 and 64 KB): MPICH 1.7 and 3.2 times faster, Intel MPI 1.5 and 0.86, Open MPI 0.7 and 0.9.
struct IndividualLine {
  const char* version;
  Limits limits;
};
const IndividualLine individual_lines[] = {
    {"Intel(R) MPI", {0, 4096}}, {"Open MPI", {0, 128}}, {nullptr, {0, kAnyLength}}};

template <class AnyLine, std::size_t n>
const AnyLine& line_of(const AnyLine (&table)[n], const char* version) {
  for (const AnyLine& line : table) {
    if (line.version == nullptr || std::strstr(version, line.version) != nullptr) return line;
  }
  return table[n - 1];
}

}  // namespace

Rule rule_for_this_library() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (mpi::library.Get_library_version(version, &length) != MPI_SUCCESS) version[0] = '\0';
  Rule rule = line_of(lines, version).rule;
  rule.individual = line_of(individual_lines, version).limits;
  for (Limits* const limits : {&rule.send, &rule.receive, &rule.pack, &rule.individual, &rule.file}) {
    limits->smallest_bytes = base::setting_bytes("GAPLESS_SMALLEST_BYTES", limits->smallest_bytes);
    limits->longest_run_bytes = base::setting_bytes("GAPLESS_LONGEST_RUN", limits->longest_run_bytes);
  }
  rule.sends_what_was = std::strstr(version, "Intel(R) MPI") != nullptr;
  rule.force = base::setting_on("GAPLESS_FORCE");
  return rule;
}

}  // namespace gapless::preload
