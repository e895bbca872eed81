// One way to do an all-to-all, bound to a problem.
#pragma once

#include "job.hpp"
#include "problem.hpp"

#include <mpi.h>

#include <memory>

namespace gapless::lab::alltoall {

class Way {
 public:
  virtual ~Way() = default;
  // Collective. MPI_SUCCESS or a code.
  virtual int run() = 0;
  // False: what it makes is freed again, and nothing is sent.
  virtual bool moves() const { return true; }
};

// Collective; errors return on `comm`. Throws exchange::Refused where there is no such way here, on all ranks.
std::unique_ptr<Way> make_way(const MemberSpec& member, Problem& problem, MPI_Comm comm);

// What a code says.
std::string error_text(int code);

}  // namespace gapless::lab::alltoall
