// MPI_Probe, MPI_Iprobe, MPI_Mprobe, MPI_Improbe: nothing is accelerated. A header must not be found, so a process that
// probes says so, and what is on its way is claimed (paired/claims.hpp).
#include <sched.h>

#include <optional>
#include <utility>

#include "mpi/abi/status.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/paired/claims.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Asks as often as nothing has come; `waits`: until something has. Without memory the library is asked.
Probed look(int source, int tag, MPI_Comm comm, bool waits, MPI_Status& status, std::optional<Claim>* taken) noexcept {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL) return Probed::kAskLibrary;
  try {
    for (;;) {
      const Probed probed = probe_claims(source, tag, comm, status, taken);
      if (probed != Probed::kNothing || !waits) return probed;
      sched_yield();
    }
  } catch (...) {
    return Probed::kAskLibrary;
  }
}

// `message`: of MPI_Mprobe and MPI_Improbe, or nullptr.
Probed find(int source, int tag, MPI_Comm comm, bool waits, MPI_Message* message, MPI_Status* status) noexcept {
  MPI_Status own{};
  std::optional<Claim> taken;
  const Probed probed = look(source, tag, comm, waits, own, message == nullptr ? nullptr : &taken);
  if (probed != Probed::kFound) return probed;
  if (message != nullptr) {
    try {
      if (!hand_out(std::move(*taken), *message)) return Probed::kNothing;
    } catch (...) {
      return Probed::kNothing;
    }
  }
  mpi::give_status(own, status);
  return probed;
}

}  // namespace

int wrap_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (headers_may_come() && find(source, tag, comm, true, nullptr, status) == Probed::kFound) return MPI_SUCCESS;
  return mpi::library.Probe(source, tag, comm, status);
}

int wrap_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!headers_may_come() || flag == nullptr) return mpi::library.Iprobe(source, tag, comm, flag, status);
  const Probed probed = find(source, tag, comm, false, nullptr, status);
  if (probed == Probed::kAskLibrary) return mpi::library.Iprobe(source, tag, comm, flag, status);
  *flag = probed == Probed::kFound ? 1 : 0;
  return MPI_SUCCESS;
}

int wrap_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  for (;;) {
    if (!headers_may_come() || message == nullptr) break;
    const Probed probed = find(source, tag, comm, true, message, status);
    if (probed == Probed::kFound) return MPI_SUCCESS;
    if (probed == Probed::kAskLibrary) break;
  }
  return mpi::library.Mprobe(source, tag, comm, message, status);
}

int wrap_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!headers_may_come() || flag == nullptr || message == nullptr) {
    return mpi::library.Improbe(source, tag, comm, flag, message, status);
  }
  const Probed probed = find(source, tag, comm, false, message, status);
  if (probed == Probed::kAskLibrary) return mpi::library.Improbe(source, tag, comm, flag, message, status);
  *flag = probed == Probed::kFound ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace gapless::preload
