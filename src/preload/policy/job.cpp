#include "preload/policy/job.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/process.hpp"
#include "base/settings.hpp"

namespace gapless::preload {

namespace {

// The word behind an option of a process, or empty.
std::string option_of(std::int64_t pid, const char* option) {
  const std::string words = base::process_text(pid, "cmdline");
  const std::string wanted = std::string(1, '\0') + option + '\0';
  const std::size_t at = words.find(wanted);
  if (at == std::string::npos) return "";
  const std::size_t from = at + wanted.size();
  return words.substr(from, words.find('\0', from) - from);
}

std::string text_of(const char* name) {
  const char* const text = base::setting_text(name);
  return text == nullptr ? "" : text;
}

int number_of(const char* name) noexcept {
  const char* const text = base::setting_text(name);
  if (text == nullptr) return -1;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end != '\0' || value < 0 || value > INT_MAX ? -1 : static_cast<int>(value);
}

// The manager's own name for the job, and on this node the folder that it made for it.
void name_by_pmix(Job& job, const std::string& space) {
  job.here = "x " + space;
  struct statx folder{};
  const char* const path = base::setting_text("PMIX_SERVER_TMPDIR");
  if (path != nullptr && statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &folder) == 0) {
    job.here += ' ' + std::to_string(folder.stx_ino) + ' ' + std::to_string(folder.stx_btime.tv_sec) + ' ' +
                std::to_string(folder.stx_btime.tv_nsec);
  }
  job.whole = "x " + space;
  job.rank = number_of("PMIX_RANK");
  const int size = number_of("OMPI_COMM_WORLD_SIZE");
  job.is_on_one_node = size > 0 && size == number_of("OMPI_COMM_WORLD_LOCAL_SIZE");
}

// The manager's process on this node, which is at the other end of the socket that it left to each of its processes;
// and where it reports to, which is the same on all nodes: Intel's has a name of its own for that, MPICH's an address
// among its options, Slurm a number for the step.
void name_by_pmi(Job& job, int to_manager) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(to_manager, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0) return;
  const std::uint64_t began = base::beginning_of(peer.pid);
  if (began == 0) return;
  job.here = "p " + std::to_string(peer.pid) + ' ' + std::to_string(began);
  const std::string unique = text_of("I_MPI_HYDRA_UUID"), step = text_of("SLURM_STEP_ID");
  const std::string port = option_of(peer.pid, "--control-port"), group = option_of(peer.pid, "--pgid");
  if (!unique.empty()) {
    job.whole = "i " + unique;
  } else if (!port.empty() && !group.empty()) {
    job.whole = "h " + port + ' ' + group;
  } else if (!step.empty()) {
    job.whole = "s " + text_of("SLURM_JOB_ID") + ' ' + step;
  }
  job.rank = number_of("PMI_RANK");
  const int size = number_of("PMI_SIZE");
  job.is_on_one_node = size > 0 && size == number_of("MPI_LOCALNRANKS");
}

}  // namespace

Job find_job() {
  Job job;
  // What is spawned shares a manager with its parents, and is not named.
  if (base::setting_on("PMI_SPAWNED")) return job;
  if (const std::string space = text_of("PMIX_NAMESPACE"); !space.empty()) {
    name_by_pmix(job, space);
  } else if (const int to_manager = number_of("PMI_FD"); to_manager >= 0) {
    name_by_pmi(job, to_manager);
  }
  return job;
}

}  // namespace gapless::preload
