// Calls in a delete callback of MPI_COMM_SELF: MPI_Finalize makes it before anything ends, so all of MPI works in it.
// Messages on a session's communicator come after MPI_Finalize, too.
// usage: finalize blocking | persistent | session
#include <string_view>
#include <vector>

#include "../preload/support.hpp"
#include "callbacks.hpp"
#include "counted.hpp"
#include "strided.hpp"

namespace {

constexpr int kInts = 2000, kStride = 3;
int rank = 0, size = 0;
MPI_Datatype strided;
MPI_Comm graph;

// A block of `strided` for each process, or from each.
class Blocks {
 public:
  Blocks() : ints_(static_cast<std::size_t>(size) * kInts * kStride, -1) {}
  void fill(int salt) {
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < kInts; ++k) at(peer, k) = value(salt, rank, peer) + k;
  }
  void check(int salt, const char* what) {
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < kInts; ++k)
        CHECK(at(peer, k) == value(salt, peer, rank) + k, "%s: from %d %d at %d", what, peer, at(peer, k), k);
  }
  // All the blocks that `from` filled.
  void check_sent(int salt, int from, const char* what) {
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < kInts; ++k)
        CHECK(at(peer, k) == value(salt, from, peer) + k, "%s, %d: from %d %d at %d", what, salt, from, at(peer, k), k);
  }
  int* data() { return ints_.data(); }

 private:
  static int value(int salt, int from, int to) { return 1'000'000 * salt + 100'000 * from + 10'000 * to; }
  int& at(int peer, int k) { return ints_[static_cast<std::size_t>((peer * kInts + k) * kStride)]; }
  std::vector<int> ints_;
};

// Each blocking call in which processes tell each other what they send.
void all_calls(MPI_Comm comm, int salt) {
  const auto n = static_cast<std::size_t>(size);
  const std::vector<int> ones(n, 1);
  const std::vector<MPI_Datatype> types(n, strided);
  std::vector<int> blocks(n), bytes(n);
  for (int k = 0; k < size; ++k) {
    blocks[static_cast<std::size_t>(k)] = k;
    bytes[static_cast<std::size_t>(k)] = k * kInts * kStride * static_cast<int>(sizeof(int));
  }
  const auto call = [&](const char* what, auto&& make) {
    Blocks out, in;
    out.fill(++salt);
    make(out.data(), in.data());
    in.check(salt, what);
  };
  call("MPI_Alltoall", [&](int* out, int* in) { MPI_Alltoall(out, 1, strided, in, 1, strided, comm); });
  call("MPI_Alltoallv", [&](int* out, int* in) {
    MPI_Alltoallv(out, ones.data(), blocks.data(), strided, in, ones.data(), blocks.data(), strided, comm);
  });
  call("MPI_Alltoallw", [&](int* out, int* in) {
    MPI_Alltoallw(out, ones.data(), bytes.data(), types.data(), in, ones.data(), bytes.data(), types.data(), comm);
  });
  if (comm != MPI_COMM_WORLD) return;
  call("MPI_Neighbor_alltoallv", [&](int* out, int* in) {
    MPI_Neighbor_alltoallv(out, ones.data(), blocks.data(), strided, in, ones.data(), blocks.data(), strided, graph);
  });
}

int call_last(MPI_Comm, int, void*, void*) {
  if (rank == 0) all_calls(MPI_COMM_WORLD, 50);
  return MPI_SUCCESS;
}

// The first process makes its last calls in the callback, the others before MPI_Finalize.
void blocking() {
  conformance::call_in_finalize(call_last);
  for (int round = 0; round < 3; ++round) all_calls(MPI_COMM_WORLD, 10 * round);
  if (rank != 0) all_calls(MPI_COMM_WORLD, 50);
}

#if HAS_PERSISTENT_COLLECTIVES
MPI_Request request;
Blocks *out, *in;

int start_last(MPI_Comm, int, void*, void*) {
  out->fill(7);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  in->check(7, "started in MPI_Finalize");
  MPI_Request_free(&request);
  delete out;
  delete in;
  return MPI_SUCCESS;
}

// Made after the callback was set.
void persistent() {
  conformance::call_in_finalize(start_last);
  out = new Blocks;
  in = new Blocks;
  MPI_Alltoall_init(out->data(), 1, strided, in->data(), 1, strided, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}
#else
void persistent() {}
#endif

#if HAS_SESSIONS
// A session is open when the world ends: a message that was sent before is received after it, and others are sent.
void session() {
  constexpr int kTag = 5;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "conformance", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  for (int round = 0; round < 3; ++round) all_calls(comm, 10 * round);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  Blocks sent, received;
  const auto exchange = [&](int salt, auto&& between) {
    sent.fill(salt);
    MPI_Request request;
    MPI_Isend(sent.data(), size, strided, to, kTag, comm, &request);
    MPI_Barrier(comm);
    between();
    MPI_Recv(received.data(), size, strided, from, kTag, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    received.check_sent(salt, from, "on a session's communicator");
  };
  exchange(3, [] {});
  exchange(4, [] { MPI_Finalize(); });
  exchange(5, [] {});
  all_calls(comm, 60);
  MPI_Comm_free(&comm);
  MPI_Type_free(&strided);
  if (rank == 0) std::puts("passed");
  MPI_Session_finalize(&session);
}
#else
void session() {
  MPI_Finalize();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  strided = conformance::strided_block(kInts, kStride);
  std::vector<int> all(static_cast<std::size_t>(size));
  for (int k = 0; k < size; ++k) all[static_cast<std::size_t>(k)] = k;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, all.data(), MPI_UNWEIGHTED, size, all.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "blocking") {
    blocking();
  } else if (what == "persistent") {
    persistent();
  } else if (what == "session") {
    session();
    return 0;
  } else {
    std::fprintf(stderr, "usage: finalize blocking | persistent | session\n");
    return 2;
  }
  const bool is_first = rank == 0;
  MPI_Finalize();
  if (is_first) std::puts("passed");
  return 0;
}
