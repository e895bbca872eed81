// What every type that a fuzz target comes up with must survive.
#pragma once

#include "layout/layout.hpp"

namespace gapless::test::fuzz {

// Any type: normalise and compile. One that the oracle can write out: bounds, normal form, pack and unpack against it.
// Prints what is wrong and aborts.
void judge(const layout::LayoutPtr& type);

// Prints and aborts: the fuzzer keeps the input.
[[noreturn]] void finding(const char* what, const char* detail);

}  // namespace gapless::test::fuzz
