// Attributes of the program's types: MPI copies them in MPI_Type_dup alone, so no other call may call their functions.
// usage: attributes
#include <vector>

#include "../preload/support.hpp"
#include "counted.hpp"
#include "strided.hpp"
#include "tower.hpp"

namespace {

constexpr int kInts = 2000, kStride = 3;
int rank = 0, size = 0, copies = 0, deletes = 0;

int refuse_to_copy(MPI_Datatype, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 0;
  return MPI_ERR_OTHER;
}
int count_delete(MPI_Datatype, int, void*, void*) {
  ++deletes;
  return MPI_SUCCESS;
}

struct Data {
  Data() : ints(static_cast<std::size_t>(size) * kInts * kStride, -1) {}
  void fill(int salt) {
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < kInts; ++k) at(j, k) = salt + 10'000 * j + k;
  }
  int& at(int j, int k) { return ints[static_cast<std::size_t>((j * kInts + k) * kStride)]; }
  std::vector<int> ints;
};

void broadcast(MPI_Datatype type, int salt) {
  Data data;
  if (rank == 0) data.fill(salt);
  MPI_Request request;
  MPI_Ibcast(data.ints.data(), 1, type, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int k = 0; k < kInts; ++k) CHECK(data.at(0, k) == salt + k, "broadcast %d: %d at %d", salt, data.at(0, k), k);
}

void exchange(MPI_Datatype type, int salt) {
  Data out, in;
  out.fill(salt + 100'000 * rank);
  MPI_Request requests[2];
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Irecv(in.ints.data(), size, type, from, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out.ints.data(), size, type, to, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < kInts; ++k)
      CHECK(in.at(j, k) == salt + 100'000 * from + 10'000 * j + k, "exchange: %d at %d", in.at(j, k), k);
}

#if HAS_PERSISTENT_COLLECTIVES
void persistent(MPI_Datatype type, int salt) {
  Data out, in;
  out.fill(salt + 100'000 * rank);
  const std::vector<int> ones(static_cast<std::size_t>(size), 1);
  std::vector<int> blocks(static_cast<std::size_t>(size));
  for (int k = 0; k < size; ++k) blocks[static_cast<std::size_t>(k)] = k;
  MPI_Request requests[2];
  MPI_Alltoall_init(out.ints.data(), 1, type, in.ints.data(), 1, type, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  Data in_v;
  MPI_Alltoallv_init(out.ints.data(), ones.data(), blocks.data(), type, in_v.ints.data(), ones.data(), blocks.data(),
                     type, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (MPI_Request& request : requests) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  for (Data* const one : {&in, &in_v})
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < kInts; ++k)
        CHECK(one->at(j, k) == salt + 100'000 * j + 10'000 * rank + k, "persistent: %d at %d", one->at(j, k), k);
}
#else
void persistent(MPI_Datatype, int) {}
#endif

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int key;
  MPI_Type_create_keyval(refuse_to_copy, count_delete, &key, nullptr);
  const MPI_Datatype strided = conformance::strided_block(kInts, kStride);
  std::vector<MPI_Datatype> types{strided};
  // Types of so many levels break Intel MPI's own engine.
  if (!test::library_is("Intel")) types.push_back(conformance::tower_on(strided));
  for (const MPI_Datatype type : types) {
    MPI_Type_set_attr(type, key, nullptr);
    for (int round = 0; round < 3; ++round) {
      broadcast(type, 1000 * round);
      exchange(type, 2000 * round);
      persistent(type, 3000 * round);
    }
    CHECK(copies == 0 && deletes == 0, "%d copies and %d deletes of an attribute", copies, deletes);
  }
  const auto owned = static_cast<int>(types.size());
  for (; !types.empty(); types.pop_back()) MPI_Type_free(&types.back());
  CHECK(copies == 0 && deletes == owned, "%d copies and %d deletes of an attribute", copies, deletes);
  MPI_Type_free_keyval(&key);
  MPI_Finalize();
  if (rank == 0) std::puts("passed");
  return 0;
}
