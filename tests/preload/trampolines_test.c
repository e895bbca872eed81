// The first call through a trampoline and the calls after it: all arguments arrive, in registers and on the stack, and
// the result comes back. trampolines_test linked|opened|missing|threads.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trampolines_arguments.h"

Procedure MPI_Sendrecv;
int MPI_Session_init(void) __attribute__((weak));

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "trampolines_test: %s\n", what);
  exit(1);
}

static Vector vector(double low) {
  return (Vector){low, -low};
}

static void call(Procedure* procedure, long n, const char* which) {
  const Seen seen = procedure(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, vector(n), vector(n + 1),
                              vector(n + 2), vector(n + 3), vector(n + 4), vector(n + 5), vector(n + 6), vector(n + 7),
                              n + 8, n + 9, vector(n + 8), n + 10);
  int holds = 1;
  for (int k = 0; k < 8; ++k) {
    const Vector expected = vector((double)(n + k));
    holds &= seen.words[k] == n + k && memcmp(&seen.vectors[k], &expected, sizeof expected) == 0;
  }
  const Vector last = vector((double)(n + 8));
  for (int k = 0; k < 3; ++k) holds &= seen.on_stack[k] == n + 8 + k;
  check(holds && memcmp(&seen.vector_on_stack, &last, sizeof last) == 0, which);
}

static pthread_barrier_t all_here;

static void* first_of_a_thread(void* n) {
  pthread_barrier_wait(&all_here);
  call(MPI_Sendrecv, *(long*)n, "the first call of a thread");
  return NULL;
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "linked";
  Procedure* procedure = MPI_Sendrecv;
  if (strcmp(how, "opened") == 0) {
    void* const library = dlopen(argv[2], RTLD_LAZY);
    check(library != NULL, "there is no library");
    procedure = (Procedure*)dlsym(library, "MPI_Sendrecv");
    Dl_info where;
    check(procedure != NULL && dladdr((void*)procedure, &where) != 0 &&
              strstr(where.dli_fname, "libgapless_preload") != NULL,
          "dlsym does not answer with the trampoline");
  } else if (strcmp(how, "missing") == 0) {
    check(MPI_Session_init != NULL && MPI_Session_init() == 16, "a procedure that the library lacks is no error");
  } else if (strcmp(how, "threads") == 0) {
    enum { kThreads = 8 };
    pthread_t threads[kThreads];
    long numbers[kThreads];
    pthread_barrier_init(&all_here, NULL, kThreads);
    for (long k = 0; k < kThreads; ++k) {
      numbers[k] = 100 * k;
      check(pthread_create(&threads[k], NULL, first_of_a_thread, &numbers[k]) == 0, "no thread");
    }
    for (int k = 0; k < kThreads; ++k) pthread_join(threads[k], NULL);
  }
  call(procedure, 1000, "the first call");
  call(procedure, 2000, "the second call");
  printf("trampolines_test: all arguments arrived\n");
  return 0;
}
