/* A PMPI tool that counts the calls that it sees, and those among them that are as tools.cpp makes them: one element of
 * a type that is not MPI_PACKED and not MPI_BYTE. Preloaded; asked by tool_calls() and tool_as_made(). */
#include <mpi.h>
#include <string.h>

enum { kSend, kRecv, kIsend, kIrecv, kSendrecv, kPack, kWait, kWaitall, kWaitany, kTest, kTestsome, kGetStatus, kFree, kKinds };

static const char* const names[kKinds] = {"MPI_Send", "MPI_Recv",    "MPI_Isend",   "MPI_Irecv", "MPI_Sendrecv", "MPI_Pack",
                                          "MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Test",  "MPI_Testsome",
                                          "MPI_Request_get_status", "MPI_Request_free"};
static int calls[kKinds], as_made[kKinds];

int tool_calls(const char* name) {
  for (int k = 0; k < kKinds; ++k) {
    if (strcmp(name, names[k]) == 0) return calls[k];
  }
  return -1;
}
int tool_as_made(const char* name) {
  for (int k = 0; k < kKinds; ++k) {
    if (strcmp(name, names[k]) == 0) return as_made[k];
  }
  return -1;
}

static void saw(int kind, int is_as_made) {
  ++calls[kind];
  as_made[kind] += is_as_made;
}
static int is_user_type(int count, MPI_Datatype type) {
  return count == 1 && type != MPI_PACKED && type != MPI_BYTE;
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  saw(kSend, is_user_type(count, type));
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}
int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  saw(kRecv, is_user_type(count, type));
  return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  saw(kIsend, is_user_type(count, type));
  return PMPI_Isend(buffer, count, type, dest, tag, comm, request);
}
int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  saw(kIrecv, is_user_type(count, type));
  return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}
int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int send_tag, void* in, int in_count,
                 MPI_Datatype in_type, int source, int receive_tag, MPI_Comm comm, MPI_Status* status) {
  saw(kSendrecv, is_user_type(out_count, out_type) && is_user_type(in_count, in_type));
  return PMPI_Sendrecv(out, out_count, out_type, dest, send_tag, in, in_count, in_type, source, receive_tag, comm, status);
}
int MPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position, MPI_Comm comm) {
  saw(kPack, is_user_type(count, type));
  return PMPI_Pack(in, count, type, out, size, position, comm);
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  saw(kWait, status == MPI_STATUS_IGNORE);
  return PMPI_Wait(request, status);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  saw(kWaitall, count == 2 && statuses == MPI_STATUSES_IGNORE);
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Waitany(int count, MPI_Request* requests, int* index, MPI_Status* status) {
  saw(kWaitany, count == 2 && status == MPI_STATUS_IGNORE);
  return PMPI_Waitany(count, requests, index, status);
}
int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  saw(kTest, status == MPI_STATUS_IGNORE);
  return PMPI_Test(request, flag, status);
}
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  saw(kTestsome, count == 2 && statuses == MPI_STATUSES_IGNORE);
  return PMPI_Testsome(count, requests, done, indices, statuses);
}
int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  saw(kGetStatus, status == MPI_STATUS_IGNORE);
  return PMPI_Request_get_status(request, flag, status);
}
int MPI_Request_free(MPI_Request* request) {
  saw(kFree, 1);
  return PMPI_Request_free(request);
}
