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
// however long the runs, Open MPI copies runs of a kilobyte faster than we could, and so does Intel MPI if one of the
// two ends is contiguous; if none is, it is slow where more processes than cores take part. `gapless bench fft` has
// both kinds: a slab's redistribution has one contiguous end, a pencil's first one has none.
struct IndividualLine {
  const char* version;
  Limits one, both;
};
const IndividualLine individual_lines[] = {{"Intel(R) MPI", {0, 128}, {0, 4096}},
                                           {"Open MPI", {0, 128}, {0, 128}},
                                           {nullptr, {0, kAnyLength}, {0, kAnyLength}}};

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
  const IndividualLine& individual = line_of(individual_lines, version);
  rule.individual = individual.one;
  rule.individual_both = individual.both;
  for (Limits* const limits :
       {&rule.send, &rule.receive, &rule.pack, &rule.individual, &rule.individual_both, &rule.file}) {
    limits->smallest_bytes = base::setting_bytes("GAPLESS_SMALLEST_BYTES", limits->smallest_bytes);
    limits->longest_run_bytes = base::setting_bytes("GAPLESS_LONGEST_RUN", limits->longest_run_bytes);
  }
  rule.sends_what_was = std::strstr(version, "Intel(R) MPI") != nullptr;
  rule.force = base::setting_on("GAPLESS_FORCE");
  return rule;
}

}  // namespace gapless::preload
