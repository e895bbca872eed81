#include "hand_loops.hpp"

#include <algorithm>
#include <array>
#include <functional>

// Weak: which compilers a build has is decided when it is linked.
#define GAPLESS_DECLARE(compiler, name)                                                                       \
  [[gnu::weak]] void GAPLESS_LOOPS_JOINED(compiler, name##_pack)(const int*, const int*, const void*, void*); \
  [[gnu::weak]] void GAPLESS_LOOPS_JOINED(compiler, name##_unpack)(const int*, const int*, const void*, void*);
#define GAPLESS_DECLARE_ALL(name, sizes, unpacks) \
  GAPLESS_DECLARE(c, name) GAPLESS_DECLARE(clang, name) GAPLESS_DECLARE(fortran, name)
extern "C" {
GAPLESS_LOOPS_KERNELS(GAPLESS_DECLARE_ALL)
[[gnu::weak]] gapless_loops_compiler gapless_loops_c_compiler, gapless_loops_clang_compiler,
    gapless_loops_fortran_compiler;
}

namespace gapless::lab::exchange {
namespace {

#define GAPLESS_FUNCTIONS(compiler, name) \
  {GAPLESS_LOOPS_JOINED(compiler, name##_pack), GAPLESS_LOOPS_JOINED(compiler, name##_unpack)}
#define GAPLESS_ENTRY(name, sizes, unpacks)  \
  LoopsKernel{#name,                         \
              sizes,                         \
              LoopsKernel::Unpacks{unpacks}, \
              {GAPLESS_FUNCTIONS(c, name), GAPLESS_FUNCTIONS(clang, name), GAPLESS_FUNCTIONS(fortran, name)}},

const std::array kKernels{GAPLESS_LOOPS_KERNELS(GAPLESS_ENTRY)};

constexpr std::int64_t kFloat = 4, kDouble = 8;

}  // namespace

const LoopsKernel* find_loops(const std::string& name) {
  const auto* const found =
      std::find_if(kKernels.begin(), kKernels.end(), [&](const LoopsKernel& kernel) { return name == kernel.name; });
  return found == kKernels.end() ? nullptr : found;
}

std::map<std::string, std::string> loops_compilers() {
  std::map<std::string, std::string> found;
  const auto add = [&found](const char* method, gapless_loops_compiler* compiler) {
    if (compiler) found.emplace(method, compiler());
  };
  add("hand_c", gapless_loops_c_compiler);
  add("hand_clang", gapless_loops_clang_compiler);
  add("hand_fortran", gapless_loops_fortran_compiler);
  return found;
}

LoopsPayload payload_of(const LoopsSpec& spec) {
  const std::vector<std::int64_t> n(spec.sizes.begin(), spec.sizes.end());
  // Loops that would not end, or not begin.
  const std::string& name = spec.kernel;
  if (name == "wrf") return {n[5] * n[6] * (4 + 5 * n[1]), kFloat};
  if ((name == "milc" && n[2] < 2) || (name == "fft" && (n[1] < 1 || n[0] % n[1] != 0))) return {};
  if (name == "milc") return {6 * n[0] * n[1] * n[3], kFloat};
  if (name == "lu_x" || name == "lu_y") return {5 * n[0], kDouble};
  if (name == "mg_x") return {(n[1] - 2) * (n[2] - 2), kDouble};
  if (name == "mg_y") return {(n[0] - 2) * (n[2] - 2), kDouble};
  if (name == "mg_z") return {(n[0] - 2) * (n[1] - 2), kDouble};
  if (name == "fft") return {2 * n[0] * (n[0] / n[1]), kDouble};
  if (name == "specfem_mt") return {n[0] * n[2], kFloat};
  if (name == "strided") return {n[0] * n[1], kDouble};
  if (name == "listed") return {n[0] * n[1], kDouble};
  if (name == "specfem_oc") return {n[0], kFloat};
  if (name == "specfem_cm") return {3 * (n[0] + n[1]), kFloat};
  return {n[0] * (name == "lammps_full" ? 8 : 6), kDouble};
}

}  // namespace gapless::lab::exchange
