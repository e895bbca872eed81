#include "preload/policy/switches.hpp"

#include "base/settings.hpp"

namespace gapless::preload {

Policy policy;
bool receives_stay_native = false;
bool native_only = false;
std::atomic<int> slow_path_reasons{0};

bool is_fault_tolerant() noexcept {
  return base::setting_on("OMPI_MCA_mpi_ft_enable") || base::setting_on("MPIR_CVAR_ENABLE_FT");
}

}  // namespace gapless::preload
