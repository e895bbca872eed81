#include "eager_limit.hpp"

#include "../clock.hpp"

#include <mpi.h>

#include <vector>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 11, kGoOnTag = 12;
// Long enough for a library that copies a long message piece by piece; only sizes beyond the limit wait for it.
constexpr double kPatienceNs = 20e6, kPatienceNsPerByte = 4;

class Asked {
 public:
  Asked(int rank, std::int64_t most) : rank_(rank), buffer_(static_cast<std::size_t>(rank < 2 ? most : 0)) {}

  // Whether a message of so many bytes leaves before it is received; the same answer on both ranks.
  bool leaves(std::int64_t bytes) {
    int left = 0;
    const auto count = static_cast<int>(bytes);
    if (rank_ == 0) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(buffer_.data(), count, MPI_BYTE, 1, kTag, MPI_COMM_WORLD, &request);
      const double until_ns = now_ns() + kPatienceNs + kPatienceNsPerByte * count;
      do MPI_Test(&request, &left, MPI_STATUS_IGNORE);
      while (left == 0 && now_ns() < until_ns);
      MPI_Send(&left, 1, MPI_INT, 1, kGoOnTag, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank_ == 1) {
      MPI_Recv(&left, 1, MPI_INT, 0, kGoOnTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(buffer_.data(), count, MPI_BYTE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return left != 0;
  }

 private:
  int rank_;
  std::vector<char> buffer_;
};

}  // namespace

std::int64_t eager_limit(int rank, std::int64_t most) {
  if (rank > 1) return 0;
  Asked asked(rank, most);
  // A limit may be raised to anything, so sizes are doubled first: one beyond it is found soon, and cheaply.
  std::int64_t leaves = 0, waits = 1;
  while (asked.leaves(waits)) {
    leaves = waits;
    if (waits == most) return most;
    waits = waits > most / 2 ? most : 2 * waits;
  }
  while (waits - leaves > 1) {
    const std::int64_t between = leaves + (waits - leaves) / 2;
    (asked.leaves(between) ? leaves : waits) = between;
  }
  return leaves;
}

}  // namespace gapless::lab::exchange
