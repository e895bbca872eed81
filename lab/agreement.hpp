// What the ranks must know together: failures, hosts, whether the layer is there.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gapless::lab {

// A check failed on some rank; thrown on every rank.
struct VerificationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One text of every rank, in rank order, on every rank.
std::vector<std::string> gather_texts(const std::string& text);

// Collective: throws on every rank if any rank brings a failure. `where` says what was verified.
void agree_or_throw(const std::optional<std::string>& failure, const std::string& where);

}  // namespace gapless::lab
