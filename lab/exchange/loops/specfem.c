// SPECFEM3D: points of an unstructured mesh, at listed places; and every so many-th point of a dense array.
#include "loops.h"

void LOOPS(specfem_mt_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int d1 = sizes[0], d2 = sizes[1], d3 = sizes[2];
  const float* s = array;
  float* buffer = packed;
  (void)list;
  for (int k = 0; k < d3; k++)
    for (int c = 0; c < d1; c++) buffer[c + (long)d1 * k] = s[c + (long)d1 * d2 * k];
}

void LOOPS(specfem_oc_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const float* a = array;
  float* buffer = packed;
  for (int k = 0; k < sizes[0]; k++) buffer[k] = a[list[k]];
}

void LOOPS(specfem_oc_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const float* buffer = packed;
  float* a = array;
  for (int k = 0; k < sizes[0]; k++) a[list[k]] = buffer[k];
}

static float* pack_points(int listed, const int* list, const float* a, float* buffer) {
  for (int k = 0; k < listed; k++) {
    buffer[3 * k] = a[3 * list[k]];
    buffer[3 * k + 1] = a[3 * list[k] + 1];
    buffer[3 * k + 2] = a[3 * list[k] + 2];
  }
  return buffer + 3 * listed;
}

static const float* unpack_points(int listed, const int* list, const float* buffer, float* a) {
  for (int k = 0; k < listed; k++) {
    a[3 * list[k]] = buffer[3 * k];
    a[3 * list[k] + 1] = buffer[3 * k + 1];
    a[3 * list[k] + 2] = buffer[3 * k + 2];
  }
  return buffer + 3 * listed;
}

void LOOPS(specfem_cm_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const float* mantle = array;
  float* buffer = pack_points(sizes[0], list, mantle, packed);
  pack_points(sizes[1], list + sizes[0], mantle + 3 * (long)sizes[2], buffer);
}

void LOOPS(specfem_cm_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  float* mantle = array;
  const float* buffer = unpack_points(sizes[0], list, packed, mantle);
  unpack_points(sizes[1], list + sizes[0], buffer, mantle + 3 * (long)sizes[2]);
}
