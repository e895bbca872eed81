// What is packed is what the rules say (in_force.rules): by operation, distance, shape, message and runs.
//
//   rules_in_force_test near|far|paired     far: as where each process is alone on its node; paired: what goes through
//                                           shared memory (paired_in_force.rules), by blocking and by other sends
#include <string>
#include <vector>

#include "support.hpp"

namespace {

enum Shape { kVector, kList, kElements };

struct Expected {
  Shape shape;
  int bytes, run;
  bool sent, received;  // packed on the way
};

// Blocks of so many bytes with gaps as long as a block.
struct Message {
  Message(Shape shape, int bytes, int run) : buffer(static_cast<std::size_t>(2 * bytes)) {
    const int blocks = bytes / run;
    if (shape == kVector) {
      MPI_Type_vector(blocks, run, 2 * run, MPI_BYTE, &type);
    } else if (shape == kList) {
      std::vector<int> places;
      for (int k = 0; k < blocks; ++k) places.push_back(2 * run * k);
      MPI_Type_create_indexed_block(blocks, run, places.data(), MPI_BYTE, &type);
    } else {
      MPI_Datatype block;
      MPI_Type_contiguous(run, MPI_BYTE, &block);
      MPI_Type_create_resized(block, 0, 2 * run, &type);
      MPI_Type_free(&block);
      count = blocks;
    }
    MPI_Type_commit(&type);
  }
  ~Message() { MPI_Type_free(&type); }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::vector<char> buffer;
  MPI_Datatype type;
  int count = 1;
};

void exchange(int rank, const test::Layer& layer, const Expected& one) {
  Message message(one.shape, one.bytes, one.run);
  const char* const procedure = rank == 0 ? "MPI_Send" : "MPI_Recv";
  const long long before = layer.accelerated(procedure);
  if (rank == 0) {
    MPI_Send(message.buffer.data(), message.count, message.type, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(message.buffer.data(), message.count, message.type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  const bool packed = layer.accelerated(procedure) != before;
  CHECK(packed == (rank == 0 ? one.sent : one.received), "shape %d, %d bytes, runs of %d: %s", one.shape, one.bytes,
        one.run, packed ? "packed" : "native");
}

// Another operation, of which the rules say no.
void exchange_nonblocking(int rank, const test::Layer& layer) {
  Message message(kVector, 1024, 16);
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(message.buffer.data(), message.count, message.type, 1, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Irecv(message.buffer.data(), message.count, message.type, 0, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(layer.accelerated(rank == 0 ? "MPI_Isend" : "MPI_Irecv") == 0, "packed against the rules");
}

const std::vector<Expected> kNear = {
    {kVector, 1024, 16, true, true},    {kVector, 1024, 256, false, true},     {kVector, 65536, 16, false, false},
    {kVector, 65536, 256, true, false}, {kList, 1024, 16, false, true},        {kList, 1024, 256, true, true},
    {kElements, 1024, 16, true, true},  {kElements, 65536, 256, false, false},
};
const std::vector<Expected> kFar = {
    {kVector, 1024, 16, false, false},  {kVector, 1024, 256, true, false}, {kVector, 65536, 16, true, true},
    {kVector, 65536, 256, false, true}, {kList, 1024, 16, false, false},   {kElements, 65536, 256, false, true},
};

// Rank 0 sends once by each call: which one is paired depends on the runs.
void send_paired(int rank, const test::Layer& layer, int run) {
  Message message(kVector, 16384, run);
  const bool is_short = run == 16;
  MPI_Request request;
  if (rank != 0) {
    for (int k = 0; k < 3; ++k)
      MPI_Recv(message.buffer.data(), message.count, message.type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  const auto by = [&](const char* procedure, bool expected, auto call) {
    const long long before = layer.accelerated(procedure);
    call();
    CHECK((layer.accelerated(procedure) != before) == expected, "%s, runs of %d: %s", procedure, run,
          expected ? "not paired" : "paired");
  };
  by("MPI_Send", is_short, [&] { MPI_Send(message.buffer.data(), message.count, message.type, 1, 0, MPI_COMM_WORLD); });
  by("MPI_Isend", !is_short, [&] {
    MPI_Isend(message.buffer.data(), message.count, message.type, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  by("MPI_Send_init", !is_short, [&] {
    MPI_Send_init(message.buffer.data(), message.count, message.type, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  });
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 2, "near, far or paired?");
  const bool far = std::string(argv[1]) == "far";
  // What Hydra says of the processes on this node; the library does not ask.
  if (far) setenv("MPI_LOCALNRANKS", "1", 1);
  MPI_Init(&argc, &argv);
  const test::Layer layer = test::layer();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (std::string(argv[1]) == "paired") {
    MPI_Barrier(MPI_COMM_WORLD);  // nothing is paired with a process that has not come out of MPI_Init yet
    for (const int run : {16, 4096}) send_paired(rank, layer, run);
  } else {
    for (const Expected& one : far ? kFar : kNear) exchange(rank, layer, one);
    exchange_nonblocking(rank, layer);
  }
  MPI_Finalize();
  return 0;
}
