// GAPLESS_Alltoallv, _w and _v_init on every algorithm, for communicators of many sizes, against what is known by
// arithmetic. Usage: alltoallv CASES SIZE...: so many random cases of each algorithm on the first SIZE processes.
#include <gapless/gapless_mpi.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "alltoallv_case.hpp"

namespace {

using test::Form;
using test::Shape;
using test::Side;

int failures = 0;

void check(bool holds, const char* what, const Shape& shape, const char* algorithm) {
  if (holds) return;
  if (++failures < 5)
    std::fprintf(stderr, "alltoallv: rank %d of %d, %s, seed %llu, %s%s: %s\n", shape.rank, shape.processes,
                 algorithm == nullptr ? "the model's choice" : algorithm, static_cast<unsigned long long>(shape.seed),
                 shape.form == Form::kV ? "v" : "w", shape.is_in_place ? ", in place" : "", what);
}

void write_out(Side& out, Side& in, const Shape& shape, int time) {
  for (int peer = 0; peer < shape.processes; ++peer) {
    if (shape.is_in_place)
      in.write(peer, shape.rank, peer, time);
    else
      out.write(peer, shape.rank, peer, time);
  }
  for (int peer = 0; peer < shape.processes; ++peer) in.expect(peer, peer, shape.rank, time);
}

void verify(const Side& out, const Side& in, int code, const Shape& shape, const char* algorithm) {
  check(code == MPI_SUCCESS, "an error", shape, algorithm);
  check(in.is_as_expected(), "what was received is not what is known", shape, algorithm);
  check(out.is_as_expected(), "the send buffer was written", shape, algorithm);
}

void plain(const Shape& shape, MPI_Comm comm, const char* algorithm) {
  Side out(shape, true), in(shape, false);
  write_out(out, in, shape, 0);
  const void* const from = shape.is_in_place ? MPI_IN_PLACE : out.buffer();
  // In place nothing else of the sending side is looked at.
  const bool ignored = shape.is_in_place;
  const MPI_Count* const counts = ignored ? nullptr : out.counts.data();
  const MPI_Aint* const displacements = ignored ? nullptr : out.displacements.data();
  const int code =
      shape.form == Form::kV
          ? GAPLESS_Alltoallv(from, counts, displacements, ignored ? MPI_DATATYPE_NULL : out.type(), in.buffer(),
                              in.counts.data(), in.displacements.data(), in.type(), comm, algorithm)
          : GAPLESS_Alltoallw(from, counts, displacements, ignored ? nullptr : out.types.data(), in.buffer(),
                              in.counts.data(), in.displacements.data(), in.types.data(), comm, algorithm);
  verify(out, in, code, shape, algorithm);
}

// Two requests at a time, each started several times; the arrays and the types are the program's again meanwhile.
void persistent(const Shape& shape, MPI_Comm comm, const char* algorithm) {
  Side out(shape, true), in(shape, false), other_out(shape, true), other_in(shape, false);
  GAPLESS_Request requests[2] = {GAPLESS_REQUEST_NULL, GAPLESS_REQUEST_NULL};
  Side* const sides[2][2] = {{&out, &in}, {&other_out, &other_in}};
  for (int k = 0; k < 2; ++k) {
    Side &from = *sides[k][0], &to = *sides[k][1];
    const bool ignored = shape.is_in_place;
    const int code = GAPLESS_Alltoallv_init(
        ignored ? MPI_IN_PLACE : from.buffer(), ignored ? nullptr : from.counts.data(),
        ignored ? nullptr : from.displacements.data(), ignored ? MPI_DATATYPE_NULL : from.type(), to.buffer(),
        to.counts.data(), to.displacements.data(), to.type(), comm, algorithm, &requests[k]);
    check(code == MPI_SUCCESS && requests[k] != GAPLESS_REQUEST_NULL, "no request", shape, algorithm);
    if (requests[k] == GAPLESS_REQUEST_NULL) return;
    from.free_arguments();
    to.free_arguments();
  }
  for (int time = 0; time < 2; ++time) {
    for (int k = 0; k < 2; ++k) {
      write_out(*sides[k][0], *sides[k][1], shape, 2 * time + k);
      check(GAPLESS_Start(requests[k]) == MPI_SUCCESS, "not started", shape, algorithm);
    }
    for (int k = 0; k < 2; ++k) {
      const int code = GAPLESS_Wait(requests[k]);
      verify(*sides[k][0], *sides[k][1], code, shape, algorithm);
    }
  }
  for (GAPLESS_Request& request : requests)
    check(GAPLESS_Request_free(&request) == MPI_SUCCESS && request == GAPLESS_REQUEST_NULL, "not freed", shape,
          algorithm);
}

// On one process Open MPI's MPI_Alltoallw takes no notice of the displacements.
bool is_wrong_itself(const Shape& shape, const char* algorithm) {
  return shape.processes == 1 && shape.form == Form::kW && algorithm != nullptr &&
         std::strcmp(algorithm, "library") == 0;
}

void all_cases(int processes, int cases, MPI_Comm comm) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  // Intel MPI writes past the end of a buffer of its own when it unpacks a type of 200 levels.
  Shape shape{Form::kV, false, processes, 0, 0, std::strstr(version, "Intel") == nullptr};
  MPI_Comm_rank(comm, &shape.rank);
  for (int k = 0;; ++k) {
    const char* const algorithm = GAPLESS_Alltoall_algorithm(1, k);  // after the last one: none, and the model chooses
    for (int one = 0; one < cases; ++one) {
      shape.seed = static_cast<std::uint64_t>((processes * 100 + one) * 100 + k + 1);
      for (const bool is_in_place : {false, true}) {
        if (cases == 1 && is_in_place != ((processes + k) % 2 == 0)) continue;  // in turn
        shape.is_in_place = is_in_place;
        for (const Form form : {Form::kV, Form::kW}) {
          shape.form = form;
          if (is_wrong_itself(shape, algorithm)) continue;
          plain(shape, comm, algorithm);
        }
        shape.form = Form::kV;
        persistent(shape, comm, algorithm);
      }
    }
    if (algorithm == nullptr) return;
  }
}

// Processes that have nothing to do leave the processors to the others.
void wait_for_all() {
  MPI_Request request;
  int is_done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE); is_done == 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE))
    usleep(1000);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, all_failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 2; k < argc; ++k) {
    const int processes = std::atoi(argv[k]);
    if (processes < 1 || processes > size) MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < processes ? 0 : MPI_UNDEFINED, rank, &comm);
    if (rank < processes) {
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      all_cases(processes, std::atoi(argv[1]), comm);
      MPI_Comm_free(&comm);
    }
    wait_for_all();
  }
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("alltoallv: %s\n", all_failures == 0 ? "all right" : "WRONG");
  MPI_Finalize();
  return all_failures == 0 ? 0 : 1;
}
