// The rules that were measured here: found by GAPLESS_RULES, which names files and folders, with colons between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "preload/policy/rules.hpp"

namespace gapless::preload {

// Overrides `rules` by the first file that exists: a file that GAPLESS_RULES names, or the one in a folder that is
// named after the library (rules_name). Returns a hash of its text; 0 if none was taken. An invalid file is not
// replaced by the next one.
std::uint64_t override_by_files(const Here& here, Rules& rules) noexcept;

// What became of that, for reports: the file that is in force, or none; and, if one was refused, which and why.
struct RulesReport {
  std::string file, refused;
};
const RulesReport& rules_report() noexcept;

}  // namespace gapless::preload
