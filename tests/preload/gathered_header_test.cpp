// A header comes into a receive that the rules leave to the library: the two ends describe the data otherwise, and the
// library has put the header into the receiver's own blocks (gathered_header.rules).
#include <string>
#include <vector>

#include "support.hpp"

namespace {

constexpr int kBytes = 65536, kShort = 16, kLong = 4096;

class Blocks {
 public:
  explicit Blocks(int run) : run_(run), bytes(static_cast<std::size_t>(2 * kBytes), '.') {
    MPI_Type_vector(kBytes / run, run, 2 * run, MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  ~Blocks() { MPI_Type_free(&type); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void fill(int round) {
    for (int k = 0; k < kBytes; ++k) at(k) = value(k, round);
  }
  void expect(int round, const char* how) {
    for (int k = 0; k < kBytes; ++k) CHECK(at(k) == value(k, round), "%s: byte %d of the data", how, k);
    for (int k = 0; k < kBytes; ++k) CHECK(*(&at(k) + run_) == '.', "%s: the gap behind byte %d", how, k);
    bytes.assign(bytes.size(), '.');
  }

 private:
  char& at(int k) { return bytes[static_cast<std::size_t>(k / run_ * 2 * run_ + k % run_)]; }
  static char value(int k, int round) { return static_cast<char>(k * 7 + k / 251 + 31 * round); }
  int run_;

 public:
  std::vector<char> bytes;
  MPI_Datatype type;
};

constexpr const char* kHow[] = {"MPI_Recv",    "MPI_Irecv, MPI_Wait", "MPI_Irecv, MPI_Test",
                                "MPI_Waitall", "MPI_Recv_init",       "MPI_Sendrecv"};
constexpr int kWays = sizeof kHow / sizeof kHow[0];

void receive(int way, Blocks& to) {
  MPI_Status status;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int flag = 0, count = 0;
  switch (way) {
    case 0:
      MPI_Recv(to.bytes.data(), 1, to.type, 0, way, MPI_COMM_WORLD, &status);
      break;
    case 1:
    case 2:
    case 3:
      MPI_Irecv(to.bytes.data(), 1, to.type, 0, way, MPI_COMM_WORLD, requests);
      if (way == 1) MPI_Wait(requests, &status);
      if (way == 2) {
        while (flag == 0) MPI_Test(requests, &flag, &status);
      }
      if (way == 3) {
        MPI_Status statuses[2];
        MPI_Waitall(2, requests, statuses);
        status = statuses[0];
      }
      break;
    case 4:
      MPI_Recv_init(to.bytes.data(), 1, to.type, 0, way, MPI_COMM_WORLD, requests);
      MPI_Start(requests);
      MPI_Wait(requests, &status);
      MPI_Request_free(requests);
      break;
    default:
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, 0, 99, to.bytes.data(), 1, to.type, 0, way, MPI_COMM_WORLD, &status);
  }
  MPI_Get_count(&status, to.type, &count);
  CHECK(count == 1 && status.MPI_TAG == way, "%s: count %d, tag %d", kHow[way], count, status.MPI_TAG);
}

void run() {
  constexpr int kRounds = 20;
  const test::Layer layer = test::layer();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);  // messages to a process that is still in MPI_Init are not paired
  Blocks from(kShort), to(kLong);
  for (int round = 0; round < kRounds * kWays; ++round) {
    const int way = round % kWays;
    // By the library, so that the next receive in this type expects no header (expected_header_test). Not by MPI_Recv,
    // of which is counted how many are staged.
    if (rank == 0) {
      MPI_Send(to.bytes.data(), 1, to.type, 1, kWays, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      MPI_Irecv(to.bytes.data(), 1, to.type, 0, kWays, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 0) {
      from.fill(round);
      MPI_Send(from.bytes.data(), 1, from.type, 1, way, MPI_COMM_WORLD);
      if (way == kWays - 1) MPI_Recv(nullptr, 0, MPI_BYTE, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      receive(way, to);
      to.expect(round, kHow[way]);
    }
  }
  if (rank == 0) {
    const long long paired = layer.count("MPI_Send").paired;
    CHECK(paired == kRounds * kWays, "%lld messages were paired", paired);
  } else {
    CHECK(layer.accelerated("MPI_Recv") == 0, "a receive was staged");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run();
  MPI_Finalize();
  return 0;
}
