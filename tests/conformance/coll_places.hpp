// The communicators that collectives run on, and with whom each rank exchanges there.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace conformance {

// A block that a neighbour sends or gets: who, and which of the sender's. Both ends know it by the same key.
struct Edge {
  int peer;  // MPI_PROC_NULL: nobody
  long long key;
};

struct Place {
  std::string name;
  MPI_Comm comm = MPI_COMM_NULL;  // null: this process is not in it
  int rank = 0, size = 0;
  bool has_topology = false;
  std::vector<Edge> sources, destinations;  // of a topology
  bool is_own = true;                       // to be freed
  bool meets_twice = false;                 // a neighbour below is the neighbour above
};

// The same list, in the same order, on every process; collective over the world.
std::vector<Place> make_places();
void free_places(std::vector<Place>& places);

}  // namespace conformance
