// The switch, the off switch, the cap, sessions before and after the world, a program that finalises at the very end.
// usage: lifecycle_test [cap|disabled|sessions]
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

std::string own_file() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return std::string(std::getenv("GAPLESS_RUN_DIR")) + "/" + host + "." + std::to_string(getpid()) + ".json";
}

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A column of `blocks` doubles to oneself; whether it arrived.
void exchange(int blocks, MPI_Comm comm) {
  MPI_Datatype column;
  MPI_Type_vector(blocks, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  std::vector<double> from(static_cast<std::size_t>(3 * blocks)), to(from.size(), -1);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<double>(k);
  int rank;
  MPI_Comm_rank(comm, &rank);
  MPI_Sendrecv(from.data(), 1, column, rank, 0, to.data(), 1, column, rank, 0, comm, MPI_STATUS_IGNORE);
  for (std::size_t k = 0; k + 2 < from.size(); ++k) CHECK(to[k] == (k % 3 == 0 ? from[k] : -1), "element %zu", k);
  MPI_Type_free(&column);
}

// Sends that are over at once share a handle (MPICH, Open MPI): the staging of each comes back all the same.
void windows(const test::Layer& layer) {
  constexpr int kAtOnce = 4, kRounds = 200;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(100, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  std::vector<double> from(300), to(300 * kAtOnce);
  MPI_Request requests[2 * kAtOnce];
  const long long before = layer.accelerated("MPI_Isend");
  for (int round = 0; round < kRounds; ++round) {
    for (int k = 0; k < kAtOnce; ++k) {
      MPI_Irecv(to.data() + 300 * k, 1, column, 1 - rank, k, MPI_COMM_WORLD, &requests[k]);
    }
    for (int k = 0; k < kAtOnce; ++k) {
      MPI_Isend(from.data(), 1, column, 1 - rank, k, MPI_COMM_WORLD, &requests[kAtOnce + k]);
    }
    MPI_Waitall(2 * kAtOnce, requests, MPI_STATUSES_IGNORE);
  }
  const long long sent = layer.accelerated("MPI_Isend") - before;
  CHECK(sent == kAtOnce * kRounds, "%lld of %d sends found staging", sent, kAtOnce * kRounds);
  MPI_Type_free(&column);
}

#if MPI_VERSION >= 4
void session(int blocks) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://SELF", &group);
  MPI_Comm_create_from_group(group, "gapless", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  exchange(blocks, comm);
  // Left alive: the epoch's end takes it, without a callback.
  MPI_Datatype left;
  MPI_Type_vector(4, 1, 2 + blocks, MPI_INT, &left);
  MPI_Type_commit(&left);
  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}
#endif

// A static object's destructor runs behind those of the main thread's own variables.
struct FinalizeAtExit {
  bool armed = false;
  ~FinalizeAtExit() {
    if (!armed) return;
    exchange(100, MPI_COMM_SELF);
    MPI_Finalize();
  }
} at_exit;

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const test::Layer layer = test::layer();
  if (mode == "disabled") {
    unlink(own_file().c_str());  // of an earlier process with the same number
    MPI_Init(&argc, &argv);
    exchange(1000, MPI_COMM_SELF);
    CHECK(!layer.counts(), "a disabled layer counts");
    CHECK(contents(own_file()).empty(), "a disabled layer wrote a file");
    MPI_Finalize();
    return 0;
  }
#if MPI_VERSION >= 4
  if (mode == "sessions") {
    for (int k = 0; k < 3; ++k) session(10 + k);
    CHECK(layer.accelerated("MPI_Sendrecv") == 3, "in sessions: %lld", layer.accelerated("MPI_Sendrecv"));
  }
#endif
  MPI_Init(&argc, &argv);
  const std::string world_size = mode == "sessions" ? "\"world_size\":1" : "\"world_size\":2";
  CHECK(contents(own_file()).find(world_size) != std::string::npos, "the file says: %s", contents(own_file()).c_str());
  const long long start = layer.accelerated("MPI_Sendrecv");
  exchange(1000, MPI_COMM_SELF);
  CHECK(layer.accelerated("MPI_Sendrecv") == start + 1, "on");
  CHECK(layer.set(false) == 1 && layer.set(false) == 0, "the previous state");
  exchange(1000, MPI_COMM_SELF);
  CHECK(layer.accelerated("MPI_Sendrecv") == start + 1, "off");
  CHECK(layer.set(true) == 0, "the previous state");
  if (mode == "cap") {
    // 80 KB do not fit; the call is the library's, and the data are right all the same.
    exchange(10000, MPI_COMM_SELF);
    CHECK(layer.accelerated("MPI_Sendrecv") == start + 1, "beyond the cap");
    windows(layer);
  }
  exchange(100, MPI_COMM_SELF);
  CHECK(layer.accelerated("MPI_Sendrecv") == start + 2, "on again");
  at_exit.armed = true;
  return 0;
}
