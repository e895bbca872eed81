// MILC: the lower face in z of a four-dimensional lattice, three complex numbers a site; the even sites come before the
// odd ones, so that of each t there are two halves, as if at z = 0 and in the middle.
#include "loops.h"

void LOOPS(milc_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int lx = sizes[0], ly = sizes[1], lz = sizes[2], lt = sizes[3];
  const float* v = array;
  float* buffer = packed;
  (void)list;
  for (int t = 0; t < lt; t++)
    for (int z = 0; z < lz; z += lz / 2)
      for (int y = 0; y < ly / 2; y++)
        for (int x = 0; x < lx; x++)
          for (int c = 0; c < 6; c++) *buffer++ = v[c + 6 * (x + (long)lx * (y + (long)ly * (z + (long)lz * t)))];
}

void LOOPS(milc_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int lx = sizes[0], ly = sizes[1], lz = sizes[2], lt = sizes[3];
  const float* buffer = packed;
  float* v = array;
  (void)list;
  for (int t = 0; t < lt; t++)
    for (int z = 0; z < lz; z += lz / 2)
      for (int y = 0; y < ly / 2; y++)
        for (int x = 0; x < lx; x++)
          for (int c = 0; c < 6; c++) v[c + 6 * (x + (long)lx * (y + (long)ly * (z + (long)lz * t)))] = *buffer++;
}
