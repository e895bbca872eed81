/* contiguous_calls: calls one MPI procedure N times with 8 contiguous bytes and no partner, so that the instructions of
 * a call can be counted:
 *
 *   valgrind --tool=callgrind contiguous_calls send 1000
 *   valgrind --tool=callgrind contiguous_calls send 101000
 *   valgrind --tool=callgrind contiguous_calls test 101000 1000
 *
 * (instructions of the second - instructions of the first) / 100000 is the cost of one call, start-up cancelled out.
 * The same under the layer shows what the layer adds. Starts alone, without mpiexec. The third argument is a number of
 * receives of a derived type, staged by the layer, that are outstanding all the time.
 */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kBytes = 8, kTag = 0 };

typedef void (*Call)(char* from, char* to);

/* MPI_PROC_NULL: the call checks its arguments and returns; no transport drowns the difference. */
static void call_send(char* from, char* to) {
  (void)to;
  MPI_Send(from, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD);
}

static void call_recv(char* from, char* to) {
  (void)from;
  MPI_Recv(to, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void call_sendrecv(char* from, char* to) {
  MPI_Sendrecv(from, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, to, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void call_pack(char* from, char* to) {
  int position = 0;
  MPI_Pack(from, kBytes, MPI_BYTE, to, kBytes, &position, MPI_COMM_WORLD);
}

static void call_isend(char* from, char* to) {
  (void)to;
  MPI_Request request;
  MPI_Isend(from, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void call_irecv(char* from, char* to) {
  (void)from;
  MPI_Request request;
  MPI_Irecv(to, kBytes, MPI_BYTE, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive without a message. */
static MPI_Request pending = MPI_REQUEST_NULL;

static void call_test(char* from, char* to) {
  int done = 0;
  (void)from;
  if (pending == MPI_REQUEST_NULL) MPI_Irecv(to, kBytes, MPI_BYTE, 0, kTag, MPI_COMM_SELF, &pending);
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
}

enum { kMaxOutstanding = 100000, kBlocks = 1024 };
static MPI_Request outstanding[kMaxOutstanding];
static double room[2 * kBlocks];

static void post(int count, MPI_Datatype type) {
  for (int k = 0; k < count; ++k) MPI_Irecv(room, 1, type, 0, kTag + 1, MPI_COMM_SELF, &outstanding[k]);
}

static void end(int count) {
  for (int k = 0; k < count; ++k) MPI_Cancel(&outstanding[k]);
  MPI_Waitall(count, outstanding, MPI_STATUSES_IGNORE);
  if (pending == MPI_REQUEST_NULL) return;
  MPI_Cancel(&pending);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
}

static const struct {
  const char* name;
  Call call;
} kCalls[] = {{"send", call_send},        {"recv", call_recv},        {"sendrecv", call_sendrecv}, {"pack", call_pack},
              {"isend+wait", call_isend}, {"irecv+wait", call_irecv}, {"test", call_test}};

/* The number that a text is, or -1. */
static long number(const char* text) {
  char* end = NULL;
  const long value = strtol(text, &end, 10);
  return end == text || *end != '\0' || value < 0 ? -1 : value;
}

int main(int argc, char** argv) {
  const long calls = argc >= 3 ? number(argv[2]) : -1;
  const long count = argc == 4 ? number(argv[3]) : 0;
  Call call = NULL;
  for (size_t k = 0; argc >= 3 && k < sizeof kCalls / sizeof kCalls[0]; ++k)
    if (strcmp(argv[1], kCalls[k].name) == 0) call = kCalls[k].call;
  if (call == NULL || calls < 0 || count < 0 || count > kMaxOutstanding || argc > 4) {
    fprintf(stderr,
            "usage: contiguous_calls send|recv|sendrecv|pack|isend+wait|irecv+wait|test N [OUTSTANDING]\n"
            "Calls the procedure N times with 8 contiguous bytes and no partner.\n");
    return 2;
  }

  char from[kBytes] = "abcdefg", to[kBytes] = "";
  MPI_Datatype type;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(kBlocks, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  post((int)count, type);
  for (long k = 0; k < calls; ++k) call(from, to);
  end((int)count);
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
