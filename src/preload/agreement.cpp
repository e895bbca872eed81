#include "preload/agreement.hpp"

#include <atomic>
#include <cstdint>
#include <string>

#include "base/settings.hpp"
#include "gapless/gapless.h"
#include "mpi/library.hpp"
#include "mpi/reserve.hpp"
#include "preload/front_to_backend.hpp"
#include "preload/job.hpp"
#include "preload/transfer.hpp"

namespace gapless::preload {

namespace {

constexpr std::int64_t kDefaultReserve = std::int64_t{16} << 30;

std::atomic<bool> agreed{false};

// Never destroyed: MPI may be finalised in a static destructor.
Job& job() noexcept {
  static Job* const the = new Job;
  return *the;
}

bool is_wanted() noexcept {
  return base::setting_text("GAPLESS_COLLECTIVES") == nullptr || base::setting_on("GAPLESS_COLLECTIVES");
}

// All that decides what a collective call becomes, as a number below 2^62.
std::uint64_t facts() {
  std::string text = std::to_string(kInterfaceVersion) + ' ' + GAPLESS_BUILD + ' ' + mpi::kAbiName + ' ';
  text += std::to_string(served_procedures()) + ' ' + std::to_string(mpi::reserve::size()) + ' ';
  text += rule.force ? "force " : "";
  text += receives_stay_native ? "native " : "";
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  if (mpi::library.Get_library_version(version, &length) == MPI_SUCCESS) text += version;
  return hash_of(text) >> 2;
}

// Every process of the world calls this. A world that agrees has one maximum of the facts and of their negatives.
bool all_say(std::int64_t own) noexcept {
  const long long out[2] = {own, -own};
  long long in[2] = {0, 0};
  if (mpi::library.Allreduce(out, in, 2, MPI_LONG_LONG_INT, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS) return false;
  return own != 0 && in[0] == own && in[1] == -own;
}

// 0: this process cannot take part.
std::uint64_t own_facts() noexcept {
  try {
    if (!is_wanted() || !mpi::reserve::open(base::setting_bytes("GAPLESS_RESERVE_BYTES", kDefaultReserve))) return 0;
    return facts();
  } catch (...) {
    return 0;
  }
}

bool is_vouched_for() noexcept {
  return base::setting_on("GAPLESS_EVERYWHERE");
}

}  // namespace

void before_world() noexcept {
  // One that does not take part is missed by the others.
  if (is_vouched_for()) return;
  if (const std::uint64_t own = own_facts(); own != 0) job().enter(own);
}

void world_began() noexcept {
  int size = 0;
  MPI_Comm parent = MPI_COMM_NULL;
  mpi::library.Comm_size(MPI_COMM_WORLD, &size);
  bool result;
  if (is_vouched_for()) {
    result = all_say(static_cast<std::int64_t>(own_facts()));
  } else if (size == 1) {
    result = own_facts() != 0;
  } else {
    result = job().is_complete(size) && mpi::library.Comm_get_parent(&parent) == MPI_SUCCESS && parent == MPI_COMM_NULL;
  }
  agreed.store(result, std::memory_order_release);
}

void world_ends() noexcept {
  agreed.store(false, std::memory_order_release);
  job().leave();
}

bool world_agreed() noexcept {
  return agreed.load(std::memory_order_acquire);
}

}  // namespace gapless::preload
