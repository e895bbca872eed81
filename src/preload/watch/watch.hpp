// GAPLESS_PROFILE: the wrappers of a process that is watched. Each makes the call, natively or by the layer's wrapper,
// and notes what it was and how long it took; data and results are never touched.
#pragma once

#include "preload/front_to_backend.hpp"

namespace gapless::preload {

enum class Watching { kNot, kNative, kAccelerated };

// What GAPLESS_PROFILE asks for.
Watching watching_asked_for() noexcept;

// Puts watching wrappers in the place of those of `backend`. Returns false, with nothing done, if the book cannot be
// opened.
bool watch(Backend& backend, Watching how) noexcept;

}  // namespace gapless::preload
