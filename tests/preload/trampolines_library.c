// What the front takes for an MPI library: of each procedure it says with which arguments it was called.
#include "trampolines_arguments.h"

#define SAY                                                                                              \
  {                                                                                                      \
    return (Seen){{a0, a1, a2, a3, a4, a5, a6, a7}, {v0, v1, v2, v3, v4, v5, v6, v7}, {s0, s1, s3}, s2}; \
  }

static __attribute__((noinline)) Seen say(ARGUMENTS)
SAY Seen MPI_Sendrecv(ARGUMENTS)
SAY Seen PMPI_Sendrecv(ARGUMENTS)
SAY

    // By which the front knows a library.
    int PMPI_Init(void) {
  return 0;
}

// Asked within the first call: it leaves other values in all the registers.
int MPI_Abi_get_version(int* major, int* minor) {
  const Vector other = {-1, -2};
  Seen (*const volatile any)(ARGUMENTS) = say;
  const Seen seen =
      any(-1, -1, -1, -1, -1, -1, -1, -1, other, other, other, other, other, other, other, other, -1, -1, other, -1);
  *major = (int)seen.words[0];
  *minor = 0;
  return 0;
}
