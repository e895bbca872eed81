#include "sample.hpp"

#include <mpi.h>

#include <cstddef>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 15;

// In a ping-pong each rank waits while its partner writes.
void take_out_writing(std::vector<Sample>& all, bool ping_pong, Place place) {
  std::vector<double> own, other(2 * all.size());
  for (const Sample& of : all) own.insert(own.end(), {of.writing.ns, of.writing.clock_ns});
  const int peer = partner(place), size = static_cast<int>(own.size());
  if (ping_pong)
    MPI_Sendrecv(own.data(), size, MPI_DOUBLE, peer, kTag, other.data(), size, MPI_DOUBLE, peer, kTag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double written = own[2 * i] + other[2 * i], read = own[2 * i + 1] + other[2 * i + 1];
    all[i].ns -= written + read;
    all[i].writing = {written, read};
  }
}

std::vector<double> longest_by_sample(const std::vector<double>& own) {
  std::vector<double> longest(own.size());
  MPI_Reduce(own.data(), longest.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return longest;
}

}  // namespace

Longest longest_of(std::vector<Sample> all, bool writes_ahead, bool ping_pong, Place place) {
  if (!writes_ahead) take_out_writing(all, ping_pong, place);
  std::vector<double> own, own_cycle;
  for (const Sample& of : all) {
    own.push_back(of.ns);
    own_cycle.push_back(of.ns + of.writing.ns);
  }
  return {longest_by_sample(own), longest_by_sample(own_cycle)};
}

}  // namespace gapless::lab::exchange
