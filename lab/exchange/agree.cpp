#include "agree.hpp"

#include "../agreement.hpp"
#include "job.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace gapless::lab::exchange {
namespace {

// How it went: nothing, or a letter for the kind of failure and its text.
std::string outcome_of(const std::function<void()>& step) {
  try {
    step();
    return "";
  } catch (const JobError& error) {
    return std::string("j") + error.what();
  } catch (const Refused& refusal) {
    return std::string("r") + refusal.what();
  } catch (const base::Error& error) {
    return std::string("r") + error.what();
  } catch (const std::bad_alloc&) {
    return "rthere is not enough memory";
  } catch (const std::exception& error) {
    return std::string("v") + error.what();
  }
}

}  // namespace

void together(const std::function<void()>& step) {
  const std::string own = outcome_of(step);
  const std::vector<std::string> outcomes = gather_texts(own);
  const auto failed =
      std::find_if(outcomes.begin(), outcomes.end(), [](const std::string& text) { return !text.empty(); });
  if (failed == outcomes.end()) return;
  const bool same =
      std::all_of(outcomes.begin(), outcomes.end(), [&](const std::string& text) { return text == *failed; });
  // The other ranks' texts may be cut.
  const std::string text =
      same ? own.substr(1) : "rank " + std::to_string(failed - outcomes.begin()) + ": " + failed->substr(1);
  switch (failed->front()) {
    case 'j':
      throw JobError(text);
    case 'r':
      throw Refused(text);
    default:
      throw VerificationError(text);
  }
}

}  // namespace gapless::lab::exchange
