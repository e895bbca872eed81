#include "preload/policy/strategy.hpp"

#include <climits>
#include <cstring>

#include "base/settings.hpp"
#include "kernel/processor.hpp"
#include "mpi/abi/library.hpp"
#include "preload/policy/rules_file.hpp"

namespace gapless::preload {

namespace {

// The rules for a machine on which nothing was measured: a text as `gapless tune` writes it.
constexpr const char* kDefaults =
#include "preload/policy/defaults.inc"
    ;

// In place, with single spaces: libraries align it with blanks.
std::string_view first_line(char* text) noexcept {
  std::size_t length = 0;
  for (const char* at = text; *at != '\0' && *at != '\n'; ++at) {
    const bool is_blank = *at == ' ' || *at == '\t' || *at == '\r';
    if (!is_blank) {
      text[length++] = *at;
    } else if (length > 0 && text[length - 1] != ' ') {
      text[length++] = ' ';
    }
  }
  while (length > 0 && text[length - 1] == ' ') --length;
  return {text, length};
}

// What the libraries do that is not to be measured; of the rows, the first whose words are in the library's version.
struct LibraryBehaviour {
  const char* version;
  bool persistent_sends_stale_data;
  bool replace_sets_error;
  bool cuts_packed;
  bool scatterv_lingers;
  Broken broken;
};
constexpr LibraryBehaviour kBehaviours[] = {
    {"Intel(R) MPI", true, true, false, true, {MPI_ERR_TRUNCATE, INT_MAX, false, true, false, true}},
    // MPICH 5.0.2 raises MPI_ERR_TYPE between processes of a node, for messages that go through a cell of its queues,
    // and accepts longer ones.
    {"MPICH", false, true, true, false, {MPI_ERR_TYPE, 8192, true, false, true, true, 8192}},
    // Open MPI 5.0.11 accepts all.
    {"", false, false, false, false, {.counts_all_from = 0}},
};

const LibraryBehaviour& behaviour_of(const char* version) noexcept {
  const LibraryBehaviour* row = kBehaviours;
  while (std::strstr(version, row->version) == nullptr) ++row;
  return *row;
}

}  // namespace

Policy policy_for_this_library() {
  Policy policy;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (mpi::library.Get_library_version(version, &length) != MPI_SUCCESS) version[0] = '\0';
  const LibraryBehaviour& behaviour = behaviour_of(version);
  policy.broken = behaviour.broken;
  policy.persistent_sends_stale_data = behaviour.persistent_sends_stale_data;
  policy.replace_sets_error = behaviour.replace_sets_error;
  policy.cuts_packed = behaviour.cuts_packed;
  policy.scatterv_lingers = behaviour.scatterv_lingers;
  const kernel::ProcessorVendor vendor;
  const Here here{first_line(version), vendor.name()};
  read_rules(kDefaults, here, policy.rules);
  policy.hash = override_by_files(here, policy.rules);
  policy.limits = {base::setting_bytes("GAPLESS_SMALLEST_BYTES", 0),
                   base::setting_bytes("GAPLESS_LONGEST_RUN", INT64_MAX)};
  policy.limited =
      base::setting_text("GAPLESS_SMALLEST_BYTES") != nullptr || base::setting_text("GAPLESS_LONGEST_RUN") != nullptr;
  policy.force = base::setting_on("GAPLESS_FORCE");
  return policy;
}

}  // namespace gapless::preload
