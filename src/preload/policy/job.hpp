// What a process knows of its job before MPI is initialised: what the process manager left in its environment.
#pragma once

#include <cstdint>
#include <string>

namespace gapless::preload {

struct Job {
  std::string here;   // names the job's part on this node, for as long as it runs; empty: no manager that is known
  std::string whole;  // names the job on all its nodes, among those of one `gapless run`; empty: it has no such name
  int rank = -1;      // in MPI_COMM_WORLD; -1: unknown
  bool is_on_one_node = false;  // known to be; else it may be all the same
};

// May throw bad_alloc.
Job find_job();

// FNV-1a.
inline std::uint64_t hash_of(const std::string& text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace gapless::preload
