/* flat: whether memory stays flat over many messages of derived types.
 *
 *   mpiexec -n 2 flat blocking|nonblocking|types MESSAGES [BLOCKS]
 *
 * blocking: MPI_Send and MPI_Recv. nonblocking: eight MPI_Irecv and eight MPI_Isend, completed by MPI_Waitall.
 * types: a new type for each pair of messages. A message has BLOCKS doubles (64). Every one is checked by its first and
 * last element. Prints one line of JSON: the resident memory of both ranks [bytes] after each tenth of the messages, and
 * how many calls the layer took part in, and how many of them went through shared memory (null without the layer, or
 * where it does not count).
 */
/* For dlsym's RTLD_DEFAULT and sysconf. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kPoints = 10, kMostBlocks = 1 << 16, kAtOnce = 8 };

static int blocks = 64;
static double from[kAtOnce][2 * kMostBlocks], to[kAtOnce][2 * kMostBlocks];

static long long resident_bytes(void) {
  long long pages = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%lld %lld", &pages, &resident) != 2) resident = 0;
  if (file != NULL) fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void check(const double* got, double first) {
  if (got[0] == first && got[2 * blocks - 2] == first) return;
  fprintf(stderr, "error: the wrong data came\n");
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void mark(double* data, double first) {
  data[0] = data[2 * blocks - 2] = first;
}

static MPI_Datatype make_type(void) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

/* Two messages, one each way. */
static void exchange(MPI_Datatype type, int rank, double value) {
  mark(from[0], value);
  if (rank == 0) MPI_Send(from[0], 1, type, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(to[0], 1, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(from[0], 1, type, 0, 0, MPI_COMM_WORLD);
  check(to[0], value);
}

/* Sixteen messages. */
static void exchange_at_once(MPI_Datatype type, int rank, double value) {
  MPI_Request requests[2 * kAtOnce];
  for (int k = 0; k < kAtOnce; ++k) MPI_Irecv(to[k], 1, type, 1 - rank, k, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < kAtOnce; ++k) {
    mark(from[k], value + k);
    MPI_Isend(from[k], 1, type, 1 - rank, k, MPI_COMM_WORLD, &requests[kAtOnce + k]);
  }
  MPI_Waitall(2 * kAtOnce, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < kAtOnce; ++k) check(to[k], value + k);
}

struct Counters {
  long long calls, accelerated, bytes, paired;
};

struct Acted {
  long long accelerated, paired;
};

static struct Acted acted_here(void) {
  int (*count)(const char*, struct Counters*) = NULL;
  *(void**)&count = dlsym(RTLD_DEFAULT, "GAPLESS_Count");
  struct Acted sum = {-1, -1};
  const char* const names[] = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv"};
  for (size_t k = 0; count != NULL && k < sizeof names / sizeof names[0]; ++k) {
    struct Counters counters;
    if (count(names[k], &counters) != 0) continue;
    sum.accelerated = (sum.accelerated < 0 ? 0 : sum.accelerated) + counters.accelerated;
    sum.paired = (sum.paired < 0 ? 0 : sum.paired) + counters.paired;
  }
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const way = argc >= 3 ? argv[1] : "";
  const long long messages = argc >= 3 ? atoll(argv[2]) : 0;
  if (argc >= 4) blocks = atoi(argv[3]);
  const int blocking = strcmp(way, "blocking") == 0, types = strcmp(way, "types") == 0;
  const int is_way = blocking || types || strcmp(way, "nonblocking") == 0;
  if (ranks != 2 || messages < 160 || blocks < 1 || blocks > kMostBlocks || argc > 4 || !is_way) {
    if (rank == 0) fprintf(stderr, "usage: mpiexec -n 2 flat blocking|nonblocking|types MESSAGES [BLOCKS]\n");
    MPI_Finalize();
    return 2;
  }
  long long here[kPoints], all[2 * kPoints], acted[4];
  const long long each = blocking || types ? 2 : 2 * kAtOnce;
  MPI_Datatype type = make_type();
  long long sent = 0;
  for (int point = 0; point < kPoints; ++point) {
    for (; sent < messages / kPoints * (point + 1); sent += each) {
      if (types) {
        MPI_Type_free(&type);
        type = make_type();
      }
      if (blocking || types)
        exchange(type, rank, (double)sent);
      else
        exchange_at_once(type, rank, (double)sent);
    }
    here[point] = resident_bytes();
  }
  MPI_Type_free(&type);
  const struct Acted mine = acted_here();
  MPI_Gather(here, kPoints, MPI_LONG_LONG, all, kPoints, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  MPI_Gather(&mine, 2, MPI_LONG_LONG, acted, 2, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("{\"way\":\"%s\",\"messages\":%lld,\"accelerated\":", way, sent);
    if (acted[0] < 0)
      printf("null,\"paired\":null");
    else
      printf("%lld,\"paired\":%lld", acted[0] + acted[2], acted[1] + acted[3]);
    printf(",\"resident_bytes\":[");
    for (int r = 0; r < 2; ++r) {
      printf("%s[", r == 0 ? "" : ",");
      for (int k = 0; k < kPoints; ++k) printf("%s%lld", k == 0 ? "" : ",", all[r * kPoints + k]);
      printf("]");
    }
    printf("]}\n");
  }
  MPI_Finalize();
  return 0;
}
