#include "coll_places.hpp"

namespace conformance {

namespace {

constexpr long long kKeysPerRank = 4096;

long long key_of(int sender, int which) {
  return sender * kKeysPerRank + which;
}

Place place(const std::string& name, MPI_Comm comm, bool is_own = true) {
  Place made{name, comm, 0, 0, false, {}, {}, is_own};
  if (comm == MPI_COMM_NULL) return made;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &made.rank);
  MPI_Comm_size(comm, &made.size);
  return made;
}

// Which of the sender's blocks: that in its slot towards the receiver, which is the receiver's slot turned round.
Place grid(const std::string& name, int processes, int dimensions, bool is_periodic) {
  std::vector<int> sizes(static_cast<std::size_t>(dimensions), 0);
  MPI_Dims_create(processes, dimensions, sizes.data());
  const std::vector<int> periods(sizes.size(), is_periodic ? 1 : 0);
  MPI_Comm comm;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes.data(), periods.data(), 1, &comm);
  Place made = place(name, comm);
  if (comm == MPI_COMM_NULL) return made;
  made.has_topology = true;
  for (int k = 0; k < dimensions; ++k) {
    int below, above;
    made.meets_twice = made.meets_twice || (is_periodic && sizes[static_cast<std::size_t>(k)] <= 2);
    MPI_Cart_shift(comm, k, 1, &below, &above);
    made.sources.push_back({below, key_of(below, 2 * k + 1)});
    made.sources.push_back({above, key_of(above, 2 * k)});
    made.destinations.push_back({below, key_of(made.rank, 2 * k)});
    made.destinations.push_back({above, key_of(made.rank, 2 * k + 1)});
  }
  return made;
}

bool has_edge(int from, int to, int size) {
  if (to == (from + 1) % size) return true;
  return from == to ? from % 2 == 0 : (3 * from + 5 * to) % 7 < 4;
}

// A ring and more: unequal degrees, none of them zero; even ranks are their own neighbours; the sources in falling
// order.
Place graph(int rank, int size) {
  std::vector<int> sources, destinations;
  for (int peer = size - 1; peer >= 0; --peer) {
    if (has_edge(peer, rank, size)) sources.push_back(peer);
  }
  for (int peer = 0; peer < size; ++peer) {
    if (has_edge(rank, peer, size)) destinations.push_back(peer);
  }
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(destinations.size()), destinations.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  Place made = place("graph", comm);
  made.has_topology = true;
  for (const int peer : sources) made.sources.push_back({peer, key_of(peer, made.rank)});
  for (const int peer : destinations) made.destinations.push_back({peer, key_of(made.rank, peer)});
  return made;
}

MPI_Comm split(int color, int key) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
  return comm;
}

// All but the last process, if there are others.
MPI_Comm without_last(int rank, int size) {
  if (size > 1 && rank == size - 1) return MPI_COMM_NULL;
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int last = size - 1;
  MPI_Group_excl(world, size > 1 ? 1 : 0, &last, &group);
  MPI_Comm comm;
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return comm;
}

}  // namespace

std::vector<Place> make_places() {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm dup, cart;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  const int period = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 1, &cart);
  std::vector<Place> places;
  places.push_back(place("world", MPI_COMM_WORLD, false));
  places.push_back(grid("periodic plane", size, 2, true));
  places.push_back(place("reversed", split(0, -rank)));
  places.push_back(graph(rank, size));
  places.push_back(place("dup", dup));
  places.push_back(place("half", split(rank % 2, rank)));
  places.push_back(place("single", split(rank, 0)));
  places.push_back(grid("line", size, 1, false));
  places.push_back(place("cart", cart));
  places.push_back(place("group", without_last(rank, size)));
  places.push_back(place("self", MPI_COMM_SELF, false));
  places.push_back(grid("ring", size, 1, true));
  places.push_back(grid("plane", size, 2, false));
  return places;
}

void free_places(std::vector<Place>& places) {
  for (Place& place : places) {
    if (place.is_own && place.comm != MPI_COMM_NULL) MPI_Comm_free(&place.comm);
  }
}

}  // namespace conformance
