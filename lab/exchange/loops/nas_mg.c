// NAS MG: the faces of a cube without its outermost cells.
#include "loops.h"

void LOOPS(mg_x_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int d1 = sizes[0], d2 = sizes[1], d3 = sizes[2];
  const double* r = array;
  double* buffer = packed;
  (void)list;
  for (int k = 0; k < d3 - 2; k++)
    for (int j = 0; j < d2 - 2; j++) *buffer++ = r[d1 * (j + (long)d2 * k)];
}

void LOOPS(mg_x_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int d1 = sizes[0], d2 = sizes[1], d3 = sizes[2];
  const double* buffer = packed;
  double* r = array;
  (void)list;
  for (int k = 0; k < d3 - 2; k++)
    for (int j = 0; j < d2 - 2; j++) r[d1 * (j + (long)d2 * k)] = *buffer++;
}

void LOOPS(mg_y_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int d1 = sizes[0], d2 = sizes[1], d3 = sizes[2];
  const double* r = array;
  double* buffer = packed;
  (void)list;
  for (int k = 0; k < d3 - 2; k++)
    for (int i = 0; i < d1 - 2; i++) *buffer++ = r[i + (long)d1 * d2 * k];
}

void LOOPS(mg_y_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int d1 = sizes[0], d2 = sizes[1], d3 = sizes[2];
  const double* buffer = packed;
  double* r = array;
  (void)list;
  for (int k = 0; k < d3 - 2; k++)
    for (int i = 0; i < d1 - 2; i++) r[i + (long)d1 * d2 * k] = *buffer++;
}

void LOOPS(mg_z_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int d1 = sizes[0], d2 = sizes[1];
  const double* r = array;
  double* buffer = packed;
  (void)list;
  for (int j = 0; j < d2 - 2; j++)
    for (int i = 0; i < d1 - 2; i++) *buffer++ = r[i + (long)d1 * j];
}

void LOOPS(mg_z_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int d1 = sizes[0], d2 = sizes[1];
  const double* buffer = packed;
  double* r = array;
  (void)list;
  for (int j = 0; j < d2 - 2; j++)
    for (int i = 0; i < d1 - 2; i++) r[i + (long)d1 * j] = *buffer++;
}
