// Kernels that every x86-64 and AArch64 machine runs: plain C++, constant lengths, no vectoriser needed.
#pragma once

#include <span>

#include "kernel/kernel.hpp"

namespace gapless::kernel::baseline {

// By ascending block; the last entry is the one for any length.
std::span<const StridedKernel> strided_kernels() noexcept;
std::span<const ScatteredKernel> scattered_kernels() noexcept;
// One for each pair of widths.
std::span<const RunsKernel> runs_kernels() noexcept;

}  // namespace gapless::kernel::baseline
