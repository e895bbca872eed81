// With another tool preloaded (tool.c): it sees each call once, with the program's own arguments; the layer accelerates
// all the same, and the data are right.
#include <map>

#include "twin.hpp"

using namespace conformance;

namespace {

std::map<std::string, int> made;

int ask(const char* question, const char* procedure) {
  const auto function = reinterpret_cast<int (*)(const char*)>(dlsym(RTLD_DEFAULT, question));
  CHECK(function != nullptr, "the tool is not in this process");
  return function(procedure);
}

void complete(int how, MPI_Request* requests) {
  int flag = 0, index, done, indices[2];
  switch (how) {
    case 0:
      for (int k = 0; k < 2; ++k) MPI_Wait(&requests[k], MPI_STATUS_IGNORE), ++made["MPI_Wait"];
      return;
    case 1:
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), ++made["MPI_Waitall"];
      return;
    case 2:
      for (int k = 0; k < 2; ++k) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), ++made["MPI_Waitany"];
      return;
    case 3:
      for (int k = 0; k < 2; ++k) {
        for (flag = 0; flag == 0; ++made["MPI_Test"]) MPI_Test(&requests[k], &flag, MPI_STATUS_IGNORE);
      }
      return;
    case 4:
      for (int left = 2; left > 0; ++made["MPI_Testsome"]) {
        MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
        left -= done;
      }
      return;
    default:
      while (flag == 0) MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE), ++made["MPI_Request_get_status"];
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), ++made["MPI_Waitall"];
  }
}

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv);
  MPI_Datatype column;
  MPI_Type_vector(50, 1, 4, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int round = 0; round < 60; ++round) {
    std::vector<int> from(200), to(200, -1), packed(50);
    for (int k = 0; k < 200; ++k) from[k] = k + round + 1000 * twin.rank();
    if (round % 4 == 0) {
      MPI_Sendrecv(from.data(), 1, column, twin.peer(), 0, to.data(), 1, column, twin.peer(), 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      ++made["MPI_Sendrecv"];
    } else {
      MPI_Request requests[2];
      MPI_Irecv(to.data(), 1, column, twin.peer(), 0, MPI_COMM_WORLD, &requests[0]), ++made["MPI_Irecv"];
      MPI_Isend(from.data(), 1, column, twin.peer(), 0, MPI_COMM_WORLD, &requests[1]), ++made["MPI_Isend"];
      complete(round % 6, requests);
    }
    for (int k = 0; k < 200; ++k) {
      CHECK(to[k] == (k % 4 == 0 ? k + round + 1000 * twin.peer() : -1), "round %d, element %d: %d", round, k, to[k]);
    }
    int position = 0;
    MPI_Pack(from.data(), 1, column, packed.data(), 200, &position, MPI_COMM_WORLD), ++made["MPI_Pack"];
    if (twin.rank() == 0) {
      MPI_Send(from.data(), 1, column, 1, 0, MPI_COMM_WORLD), ++made["MPI_Send"];
    } else {
      MPI_Recv(to.data(), 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), ++made["MPI_Recv"];
    }
  }
  for (const auto& [name, times] : made) {
    const char* const procedure = name.c_str();
    CHECK(ask("tool_calls", procedure) == times, "%s: the tool saw %d of %d", procedure, ask("tool_calls", procedure), times);
    CHECK(ask("tool_as_made", procedure) == times, "%s: the tool saw other arguments", procedure);
    CHECK(twin.layer().count(procedure).calls == times, "%s: the layer saw %lld of %d", procedure,
          twin.layer().count(procedure).calls, times);
    CHECK(twin.layer().accelerated(procedure) > 0, "%s was not accelerated", procedure);
  }
  MPI_Type_free(&column);
  return 0;
}
