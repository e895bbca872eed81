// Any text as a file of rules: taken or refused with a reason; what is refused changes nothing, and what is taken says
// the same when it is read again.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "preload/policy/rules.hpp"

namespace {

using namespace gapless::preload;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "rules_fuzz: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Rules rules, again;
  rules.tables[0][0][0].set(3, {5, 1});
  again = rules;
  const Rules before = rules;
  const Reading reading = read_rules(text, {"MPICH Version: 5.0.2", "GenuineIntel"}, rules);
  if (reading.outcome == Reading::Outcome::kTaken) {
    require(
        read_rules(text, {"MPICH Version: 5.0.2", "GenuineIntel"}, again).outcome == reading.outcome && again == rules,
        "the same text read twice says two things");
  } else {
    require(rules == before, "a text that was refused changed the rules");
    require(reading.reason != nullptr && reading.reason[0] != '\0', "refused without a reason");
  }
  char name[kMaxRulesNameLength + 1];
  const int length = rules_name(text, name);
  require(length >= 0 && length <= kMaxRulesNameLength && name[length] == '\0', "a name of another length");
  for (int k = 0; k < length; ++k) require(name[k] != '/' && name[k] != '.', "a name that leads elsewhere");
  return 0;
}
