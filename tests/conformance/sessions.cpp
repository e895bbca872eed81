// Three epochs of sessions, with three layouts on handles that are used again, then the world. Against arithmetic.
#include "counted.hpp"
#include "../preload/support.hpp"

#include <vector>

namespace {

void exchange(MPI_Comm comm, int stride) {
  MPI_Datatype column;
  MPI_Type_vector(100, 1, stride, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> from(static_cast<std::size_t>(100 * stride)), to(from.size(), -1);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int>(k) + stride;
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Request requests[2];
  MPI_Irecv(to.data(), 1, column, rank, 0, comm, &requests[0]);
  MPI_Isend(from.data(), 1, column, rank, 0, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < 100 * stride; ++k) {
    const int expected = k % stride == 0 ? k + stride : -1;
    CHECK(to[static_cast<std::size_t>(k)] == expected, "stride %d, element %d", stride, k);
  }
  // Left alive: the epoch's end takes it, without a callback.
}

#if HAS_SESSIONS
void session(int stride) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://SELF", &group);
  MPI_Comm_create_from_group(group, "gapless", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  exchange(comm, stride);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}
#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_SESSIONS
  (void)argc, (void)argv;
  std::puts("skipped: this library has no sessions");
  return 77;
#else
  const test::Layer layer = test::layer();
  for (int k = 0; k < 3; ++k) session(3 + k);
  CHECK(layer.accelerated("MPI_Isend") == 3, "in sessions: %lld", layer.accelerated("MPI_Isend"));
  if (argc > 1 && std::strcmp(argv[1], "world") == 0) {
    MPI_Init(&argc, &argv);
    exchange(MPI_COMM_WORLD, 7);
    MPI_Finalize();
  }
  std::puts("three epochs");
  return 0;
#endif
}
