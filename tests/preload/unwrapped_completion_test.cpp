// A program that learns of a receive's end by an extension which is not wrapped: its receives must stay the library's
// own, or the data would not be there when it looks.
#include <cstdlib>
#include <vector>

#include "support.hpp"

namespace {

// MPICH cuts packed bytes of such lengths inside an element, which its own receive takes for an error. Where it may not
// read another process's memory (MPIR_CVAR_CH4_CMA_ENABLE=0) it cuts those beyond 8192 bytes, too: a limit of the
// layer.
void mixed_elements(int rank) {
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype both, type;
  MPI_Type_create_struct(2, ones, places, types, &both);
  MPI_Type_create_resized(both, 0, 16, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&both);
  const bool reads = std::getenv("MPIR_CVAR_CH4_CMA_ENABLE") == nullptr;
  for (int count = 890; count <= (reads ? 920 : 8192 / 9); ++count) {
    std::vector<unsigned char> data(static_cast<std::size_t>(16 * count), rank == 0 ? 7 : 0);
    if (rank == 0) {
      MPI_Send(data.data(), count, type, 1, count, MPI_COMM_WORLD);
      continue;
    }
    MPI_Request request;
    MPI_Irecv(data.data(), count, type, 0, count, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int k = 0; k < 16 * count; ++k) {
      CHECK(data[static_cast<std::size_t>(k)] == (k % 16 < 9 ? 7 : 0), "%d elements: byte %d", count, k);
    }
  }
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const test::Layer layer = test::layer();
  MPI_Datatype column;
  MPI_Type_vector(1000, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  std::vector<int> data(3000, -1);
  for (int k = 0; k < 3000 && rank == 0; ++k) data[static_cast<std::size_t>(k)] = k;
  if (rank == 0) {
    MPI_Send(data.data(), 1, column, 1, 7, MPI_COMM_WORLD);
    CHECK(layer.accelerated("MPI_Send") == 1, "the blocking send is not concerned");
  } else {
    MPI_Request request;
    MPI_Irecv(data.data(), 1, column, 0, 7, MPI_COMM_WORLD, &request);
    int flag = 0;
    int (*const volatile is_complete)(MPI_Request) = MPIX_Request_is_complete;
    while (!is_complete(request)) MPI_Iprobe(0, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int k = 0; k < 3000; ++k) {
      CHECK(data[static_cast<std::size_t>(k)] == (k % 3 == 0 ? k : -1), "element %d is %d", k,
            data[static_cast<std::size_t>(k)]);
    }
    CHECK(layer.count("MPI_Irecv").calls == 1 && layer.accelerated("MPI_Irecv") == 0, "the receive was staged");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  // Persistent requests stay the library's own on both sides: what starts and completes them might not be seen either.
  MPI_Request persistent;
  if (rank == 0) {
    MPI_Send_init(data.data(), 1, column, 1, 9, MPI_COMM_WORLD, &persistent);
  } else {
    MPI_Recv_init(data.data(), 1, column, 0, 9, MPI_COMM_WORLD, &persistent);
  }
  MPI_Start(&persistent);
  MPI_Wait(&persistent, MPI_STATUS_IGNORE);
  MPI_Request_free(&persistent);
  CHECK(layer.count("MPI_Start").calls == 1 && layer.accelerated("MPI_Start") == 0, "it was staged");
  MPI_Type_free(&column);
  mixed_elements(rank);
  MPI_Finalize();
  return 0;
}
