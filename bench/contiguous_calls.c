/* contiguous_calls: calls one MPI procedure N times with 8 contiguous bytes and no partner, so that the instructions of
 * a call can be counted:
 *
 *   valgrind --tool=callgrind contiguous_calls send 1000
 *   valgrind --tool=callgrind contiguous_calls send 101000
 *
 * (instructions of the second - instructions of the first) / 100000 is the cost of one call, start-up cancelled out.
 * The same under the layer shows what the layer adds. Starts alone, without mpiexec.
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

static const struct {
  const char* name;
  Call call;
} kCalls[] = {{"send", call_send}, {"recv", call_recv}, {"sendrecv", call_sendrecv}, {"pack", call_pack}};

int main(int argc, char** argv) {
  const char* name = argc == 3 ? argv[1] : "send";
  char* end = NULL;
  const long calls = argc == 2 || argc == 3 ? strtol(argv[argc - 1], &end, 10) : -1;
  Call call = NULL;
  for (size_t k = 0; k < sizeof kCalls / sizeof kCalls[0]; ++k)
    if (strcmp(name, kCalls[k].name) == 0) call = kCalls[k].call;
  if (call == NULL || calls < 0 || end == argv[argc - 1] || *end != '\0') {
    fprintf(stderr,
            "usage: contiguous_calls [send|recv|sendrecv|pack] N\n"
            "Calls the procedure (default send) N times with 8 contiguous bytes and no partner.\n");
    return 2;
  }

  char from[kBytes] = "abcdefg", to[kBytes] = "";
  MPI_Init(&argc, &argv);
  for (long k = 0; k < calls; ++k) call(from, to);
  MPI_Finalize();
  return 0;
}
