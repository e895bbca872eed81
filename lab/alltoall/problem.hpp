// The blocks of one all-to-all on one rank, and what must be in them. All expectations are arithmetic: element e of
// what rank a has for rank b is a number of a, b, e and how often data were written; what another all-to-all leaves is
// no expectation.
#pragma once

#include "job.hpp"

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab::alltoall {

class Problem {
 public:
  Problem(const GroupSpec& group, std::uint64_t seed, int rank, int ranks);

  std::int64_t elements() const { return elements_; }
  bool is_in_place() const { return in_place_; }
  // With MPI_IN_PLACE what is sent stands in the receive buffer.
  const void* send() const { return in_place_ ? MPI_IN_PLACE : send_.data() + kGuard; }
  int* receive() { return receive_.data() + kGuard; }
  // Of each rank [elements], one block behind the other.
  const std::vector<int>& send_counts() const { return send_counts_; }
  const std::vector<int>& send_places() const { return send_places_; }
  const std::vector<int>& receive_counts() const { return receive_counts_; }
  const std::vector<int>& receive_places() const { return receive_places_; }

  // New data on all ranks, each time other ones.
  void write();
  // What is received is anything but right from now on.
  void spoil();
  // Every element of the blocks received and the guards around them. Says what is wrong, or nothing.
  std::optional<std::string> wrong() const;

 private:
  static constexpr std::size_t kGuard = 16;
  std::int64_t count(int from, int to) const;
  void lay_out(std::vector<int>& counts, std::vector<int>& places, std::vector<int>& buffer, bool sends) const;

  std::int64_t elements_;
  bool random_, in_place_;
  std::uint64_t seed_;
  int rank_, ranks_;
  std::uint32_t version_ = 0;
  std::vector<int> send_counts_, send_places_, receive_counts_, receive_places_;
  std::vector<int> send_, receive_;
};

}  // namespace gapless::lab::alltoall
