// The two ways to send a round of an all-to-all whose blocks lie apart: described by a datatype, made for each message
// or once, or copied into one buffer and out of it. Two processes exchange; tenth percentiles, ratios to the copies.
// From it comes the decision of src/ext/alltoall/ways.cpp. Usage: mpiexec -n 2 alltoall_messages [samples=300]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Blocks {
  int count, bytes;
  std::vector<char> send, receive, out, in;
  Blocks(int blocks, int size)
      : count(blocks),
        bytes(size),
        send(static_cast<std::size_t>(2 * blocks * size), 1),
        receive(send.size()),
        out(static_cast<std::size_t>(blocks * size)),
        in(out.size()) {}
};

MPI_Datatype make_type(const Blocks& blocks, const std::vector<char>& memory) {
  std::vector<int> lengths(static_cast<std::size_t>(blocks.count), blocks.bytes);
  std::vector<MPI_Aint> places(lengths.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    MPI_Get_address(memory.data() + 2 * k * static_cast<std::size_t>(blocks.bytes), &places[k]);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(blocks.count, lengths.data(), places.data(), MPI_BYTE, &type);
  MPI_Type_commit(&type);
  return type;
}

void exchange(const void* out, int sent, MPI_Datatype of, void* in, int received, MPI_Datatype into, int peer) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(out, sent, of, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(in, received, into, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void by_copies(Blocks& blocks, int peer) {
  const auto bytes = static_cast<std::size_t>(blocks.bytes);
  const auto count = static_cast<std::size_t>(blocks.count);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(&blocks.out[k * bytes], &blocks.send[2 * k * bytes], bytes);
  const int all = blocks.count * blocks.bytes;
  exchange(blocks.out.data(), all, MPI_BYTE, blocks.in.data(), all, MPI_BYTE, peer);
  for (std::size_t k = 0; k < count; ++k) std::memcpy(&blocks.receive[2 * k * bytes], &blocks.in[k * bytes], bytes);
}

double tenth(std::vector<double>& values) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 10);
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int samples = argc > 1 ? std::atoi(argv[1]) : 300;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int peer = 1 - rank;
  if (rank == 0) std::printf(" blocks   bytes   copies [us]   type made once   type made each time\n");
  for (const int count : {2, 4, 16, 64})
    for (const int bytes : {8, 64, 512, 4096, 32768, 262144}) {
      if (static_cast<long>(count) * bytes > 4L << 20) continue;
      Blocks blocks(count, bytes);
      MPI_Datatype sent = make_type(blocks, blocks.send), received = make_type(blocks, blocks.receive);
      std::vector<double> copied, once, each;
      for (int sample = -3; sample < samples; ++sample) {
        const double begin = MPI_Wtime();
        by_copies(blocks, peer);
        const double first = MPI_Wtime();
        exchange(MPI_BOTTOM, 1, sent, MPI_BOTTOM, 1, received, peer);
        const double second = MPI_Wtime();
        MPI_Datatype out = make_type(blocks, blocks.send), in = make_type(blocks, blocks.receive);
        exchange(MPI_BOTTOM, 1, out, MPI_BOTTOM, 1, in, peer);
        MPI_Type_free(&out);
        MPI_Type_free(&in);
        const double third = MPI_Wtime();
        if (sample < 0) continue;
        copied.push_back(first - begin);
        once.push_back(second - first);
        each.push_back(third - second);
      }
      MPI_Type_free(&sent);
      MPI_Type_free(&received);
      const double base = tenth(copied);
      if (rank == 0)
        std::printf("%7d %7d %13.2f %16.2f %21.2f\n", count, bytes, 1e6 * base, tenth(once) / base, tenth(each) / base);
    }
  MPI_Finalize();
  return 0;
}
