// WRF: the halo of nine fields of a weather model, array by array, in nested loops over i, k and j.
#include "loops.h"

struct sizes {
  int d1, d2, d3, i0, j0, si, sj;
};

static struct sizes sizes_of(const int* n) {
  const struct sizes of = {n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
  return of;
}

static float* pack_plane(struct sizes n, const float* a, float* buffer) {
  for (int j = n.j0; j < n.j0 + n.sj; j++)
    for (int i = n.i0; i < n.i0 + n.si; i++) *buffer++ = a[i + (long)n.d1 * j];
  return buffer;
}

static float* pack_cube(struct sizes n, const float* a, float* buffer) {
  for (int j = n.j0; j < n.j0 + n.sj; j++)
    for (int k = 0; k < n.d2; k++)
      for (int i = n.i0; i < n.i0 + n.si; i++) *buffer++ = a[i + (long)n.d1 * (k + (long)n.d2 * j)];
  return buffer;
}

static const float* unpack_plane(struct sizes n, const float* buffer, float* a) {
  for (int j = n.j0; j < n.j0 + n.sj; j++)
    for (int i = n.i0; i < n.i0 + n.si; i++) a[i + (long)n.d1 * j] = *buffer++;
  return buffer;
}

static const float* unpack_cube(struct sizes n, const float* buffer, float* a) {
  for (int j = n.j0; j < n.j0 + n.sj; j++)
    for (int k = 0; k < n.d2; k++)
      for (int i = n.i0; i < n.i0 + n.si; i++) a[i + (long)n.d1 * (k + (long)n.d2 * j)] = *buffer++;
  return buffer;
}

void LOOPS(wrf_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const struct sizes n = sizes_of(sizes);
  const long plane = (long)n.d1 * n.d3, cube = plane * n.d2;
  const float* a = array;
  float* buffer = packed;
  (void)list;
  for (int m = 0; m < 4; m++, a += plane) buffer = pack_plane(n, a, buffer);
  for (int m = 0; m < 3; m++, a += cube) buffer = pack_cube(n, a, buffer);
  for (int m = 0; m < 2; m++, a += 2 * cube) buffer = pack_cube(n, a + cube, buffer);
}

void LOOPS(wrf_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const struct sizes n = sizes_of(sizes);
  const long plane = (long)n.d1 * n.d3, cube = plane * n.d2;
  const float* buffer = packed;
  float* a = array;
  (void)list;
  for (int m = 0; m < 4; m++, a += plane) buffer = unpack_plane(n, buffer, a);
  for (int m = 0; m < 3; m++, a += cube) buffer = unpack_cube(n, buffer, a);
  for (int m = 0; m < 2; m++, a += 2 * cube) buffer = unpack_cube(n, buffer, a + cube);
}
