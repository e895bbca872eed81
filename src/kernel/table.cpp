// The dispatch table: which kernel serves a block length on this machine.
#include <vector>

#include "kernel/baseline/baseline.hpp"
#include "kernel/kernel.hpp"

namespace gapless::kernel {
namespace {

// Tables end with the kernel for any length, so the search cannot fail. Cold: plans keep what they found.
template <class Kernel>
const Kernel& find(std::span<const Kernel> table, std::int64_t block) noexcept {
  for (const Kernel& kernel : table)
    if (kernel.block == block) return kernel;
  return table.back();
}

}  // namespace

const StridedKernel& strided_for(std::int64_t block) noexcept {
  return find(baseline::strided_kernels(), block);
}

const ScatteredKernel& scattered_for(std::int64_t block) noexcept {
  return find(baseline::scattered_kernels(), block);
}

const RunsKernel& runs_for(int offset_width, int length_width) noexcept {
  const auto kernels = baseline::runs_kernels();
  for (const RunsKernel& kernel : kernels)
    if (kernel.offset_width == offset_width && kernel.length_width == length_width) return kernel;
  return kernels.back();
}

std::span<const char* const> kernel_names() noexcept {
  static const std::vector<const char*> names = [] {
    std::vector<const char*> all;
    for (const StridedKernel& kernel : baseline::strided_kernels()) all.push_back(kernel.name);
    for (const ScatteredKernel& kernel : baseline::scattered_kernels()) all.push_back(kernel.name);
    all.push_back(baseline::runs_kernels().front().name);
    return all;
  }();
  return names;
}

}  // namespace gapless::kernel
