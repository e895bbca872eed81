// The loops with which the applications of DDTBench pack what they send and unpack what they receive, written anew and
// as plainly as there: a file for each application, compiled by each C compiler that the build has, and once more in
// Fortran (loops.f90). The wire order is the application's own. What is sent and received begins at displacement 0 of
// the message's type.
#ifndef GAPLESS_LAB_EXCHANGE_LOOPS_H
#define GAPLESS_LAB_EXCHANGE_LOOPS_H

// `sizes`: below, for each kernel. `list`: places, of kernels that have one.
typedef void gapless_loops_pack(const int* sizes, const int* list, const void* array, void* packed);
typedef void gapless_loops_unpack(const int* sizes, const int* list, const void* packed, void* array);
typedef const char* gapless_loops_compiler(void);  // its name and version

// KERNEL(name, how many sizes, whether it unpacks: 0, what is received is dense, and received in its place; 1, always;
// 2, where it is received as it is sent)
//   wrf                    d1, d2, d3, i0, j0, si, sj: boxes of four arrays (d1, d3), three (d1, d2, d3) and two
//                          (d1, d2, d3, 2), one behind the other; of the last two the second half alone
//   milc                   lx, ly, lz, lt
//   lu_x, lu_y             n: a face of (5, n + 2, n + 2)
//   mg_x, mg_y, mg_z       d1, d2, d3
//   fft                    n, ranks: a block of n / ranks rows of n complex numbers on each rank
//   specfem_mt             d1, d2, d3
//   specfem_oc             listed; a list
//   specfem_cm             first listed, second listed, length of the first array; a list of both
//   lammps_full, _atomic   listed, particles; a list. Received behind the particles
// and what every textbook has, of doubles:
//   strided                blocks, doubles of a block, doubles from one block to the next
//   listed                 blocks, doubles of a block; a list of where they begin
#define GAPLESS_LOOPS_KERNELS(KERNEL) \
  KERNEL(wrf, 7, 1)                   \
  KERNEL(milc, 4, 1)                  \
  KERNEL(lu_x, 1, 1)                  \
  KERNEL(lu_y, 1, 1)                  \
  KERNEL(mg_x, 3, 1)                  \
  KERNEL(mg_y, 3, 1)                  \
  KERNEL(mg_z, 3, 1)                  \
  KERNEL(fft, 2, 1)                   \
  KERNEL(specfem_mt, 3, 0)            \
  KERNEL(specfem_oc, 1, 1)            \
  KERNEL(specfem_cm, 3, 1)            \
  KERNEL(lammps_full, 2, 1)           \
  KERNEL(lammps_atomic, 2, 1)         \
  KERNEL(strided, 3, 2)               \
  KERNEL(listed, 2, 2)

// The compiler's name is part of a function's: c (the one of the build), clang, fortran.
#ifndef GAPLESS_LOOPS_COMPILER
#define GAPLESS_LOOPS_COMPILER c
#endif
#define GAPLESS_LOOPS_JOINED(compiler, name) gapless_loops_##compiler##_##name
#define GAPLESS_LOOPS_JOIN(compiler, name) GAPLESS_LOOPS_JOINED(compiler, name)
#define LOOPS(name) GAPLESS_LOOPS_JOIN(GAPLESS_LOOPS_COMPILER, name)

#endif
