// Steps that every rank takes for itself and that all must have managed: what fails on one fails on all, so that none
// waits for the others.
#pragma once

#include <functional>
#include <stdexcept>

namespace gapless::lab::exchange {

// A group that cannot be built here; the run goes on without it.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Collective. Runs `step`, which must not communicate. If it throws on some rank, throws on every rank what the first
// of them threw: JobError, Refused (also for numbers beyond 64 bits and memory that is not
// there), or VerificationError for all else.
void together(const std::function<void()>& step);

}  // namespace gapless::lab::exchange
