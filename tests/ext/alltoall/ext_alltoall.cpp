// GAPLESS_Alltoall and its persistent form, every algorithm by name, against values known by arithmetic.
// Usage: ext_alltoall few|full SEED [SIZE...]: on communicators of so many processes, the first ones of the world;
// none: the world. `full`: each algorithm with each pair of types, of which half are random, by the seed.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gapless/gapless_mpi.h"
#include "known_blocks.hpp"

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
  if (holds) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (++failures <= 10) std::fprintf(stderr, "rank %d: %s\n", rank, what.c_str());
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (int k = 0; const char* name = GAPLESS_Alltoall_algorithm(0, k); ++k) {
    all.emplace_back(name);
    if (all.back() == "library") continue;
    all.push_back(std::string(name) + ":types");
    all.push_back(std::string(name) + ":staged");
  }
  return all;
}

struct Test {
  MPI_Comm comm;
  int rank, size;
  std::string what;

  // Not the library's own between different types (Open MPI 4 mixes them up; alltoall.md).
  void plain(const char* name, const known::Pair& pair, int round) const {
    known::Buffer send(pair.send, size), receive(pair.receive, size);
    for (int to = 0; to < size; ++to) send.put(to, rank, to, round);
    const int code = GAPLESS_Alltoall(send.address(), pair.send.count, pair.send.type, receive.address(),
                                      pair.receive.count, pair.receive.type, comm, name);
    check(code == MPI_SUCCESS, what + ": an error");
    const std::string wrong = receive.complaint(rank, round);
    check(wrong.empty(), what + ": " + wrong);
  }

  void in_place(const char* name, const known::Shape& shape, int round) const {
    known::Buffer buffer(shape, size);
    for (int to = 0; to < size; ++to) buffer.put(to, rank, to, round);
    const int code =
        GAPLESS_Alltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, buffer.address(), shape.count, shape.type, comm, name);
    check(code == MPI_SUCCESS, what + ", in place: an error");
    const std::string wrong = buffer.complaint(rank, round);
    check(wrong.empty(), what + ", in place: " + wrong);
  }

  void persistent(const char* name, const known::Pair& pair, int starts) const {
    known::Buffer send(pair.send, size), receive(pair.receive, size), both(pair.receive, size);
    GAPLESS_Request request = GAPLESS_REQUEST_NULL, second = GAPLESS_REQUEST_NULL;
    check(GAPLESS_Alltoall_init(send.address(), pair.send.count, pair.send.type, receive.address(), pair.receive.count,
                                pair.receive.type, comm, name, &request) == MPI_SUCCESS,
          what + ": init fails");
    check(GAPLESS_Alltoall_init(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both.address(), pair.receive.count,
                                pair.receive.type, comm, name, &second) == MPI_SUCCESS,
          what + ": init fails in place");
    for (int round = 0; round < starts; ++round) {
      receive.clear();
      both.clear();
      for (int to = 0; to < size; ++to) {
        send.put(to, rank, to, round);
        both.put(to, rank, to, round + 10);
      }
      // Two at a time.
      check(GAPLESS_Start(request) == MPI_SUCCESS, what + ": start fails");
      check(GAPLESS_Start(second) == MPI_SUCCESS, what + ": the second start fails");
      check(GAPLESS_Wait(request) == MPI_SUCCESS, what + ": wait fails");
      check(GAPLESS_Wait(second) == MPI_SUCCESS, what + ": the second wait fails");
      std::string wrong = receive.complaint(rank, round);
      check(wrong.empty(), what + ", persistent, start " + std::to_string(round) + ": " + wrong);
      wrong = both.complaint(rank, round + 10);
      check(wrong.empty(), what + ", persistent, in place, start " + std::to_string(round) + ": " + wrong);
    }
    check(GAPLESS_Request_free(&request) == MPI_SUCCESS && request == GAPLESS_REQUEST_NULL, what + ": free fails");
    check(GAPLESS_Request_free(&second) == MPI_SUCCESS, what + ": the second free fails");
  }
};

// All algorithms and types on the first `size` processes of the world, while the program itself waits for a message
// from anybody, which must not take one of ours.
void run(int size, std::vector<known::Pair>& pairs, bool is_full) {
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank < size ? 0 : MPI_UNDEFINED, 0, &comm);
  if (comm == MPI_COMM_NULL) return;
  Test test{comm, 0, size, {}};
  MPI_Comm_rank(comm, &test.rank);
  int taken = 0;
  MPI_Request any = MPI_REQUEST_NULL;
  MPI_Irecv(&taken, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any);
  int round = 0, turn = size;
  for (const std::string& name : names()) {
    const bool is_library = name == "library";
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      // Few: another pair of types for each algorithm and size, and for each of the three kinds of call.
      const auto is_turn = [&](int kind) {
        return is_full || (turn + 2 * kind) % static_cast<int>(pairs.size()) == static_cast<int>(k);
      };
      test.what = name + ", " + std::to_string(size) + " processes, pair " + std::to_string(k);
      if (is_turn(0) && !is_library) test.plain(name.c_str(), pairs[k], ++round);
      if (is_turn(1)) test.in_place(name.c_str(), pairs[k].send, ++round);
      if (is_turn(2) && !is_library && (is_full || turn % 3 == 0))
        test.persistent(name.c_str(), pairs[k], is_full ? 3 : 2);
    }
    ++turn;
  }
  test.what = "the model's choice";
  test.plain(nullptr, pairs[1], ++round);
  test.persistent(nullptr, pairs[0], 2);
  const int answer = 42;
  MPI_Send(&answer, 1, MPI_INT, (test.rank + 1) % size, 7, comm);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
  check(taken == answer, "a message of an all-to-all went to the program's receive");
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int world = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<known::Pair> pairs = known::make_pairs();
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const bool is_intel = std::string(version).find("Intel") != std::string::npos;  // it crashes on deep types
  for (known::Pair& pair : known::make_random_pairs(seed, rank, static_cast<int>(pairs.size()), world, !is_intel))
    pairs.push_back(std::move(pair));
  std::vector<int> sizes;
  const bool is_full = argc > 1 && std::string(argv[1]) == "full";
  for (int k = 3; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes.push_back(world);
  for (const int size : sizes) run(size, pairs, is_full);
  known::free_pairs(pairs);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("alltoall: %d processes, %d failures (seed %llu)\n", world, all, static_cast<unsigned long long>(seed));
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
