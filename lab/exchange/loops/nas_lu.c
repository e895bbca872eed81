// NAS LU: a face of an array of five numbers a point, one that lies dense (x) and one whose points do not (y).
#include "loops.h"

void LOOPS(lu_x_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int n = sizes[0];
  const double* u = array;
  double* buffer = packed;
  (void)list;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < 5; l++) buffer[5 * k + l] = u[5 * k + l];
}

void LOOPS(lu_x_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int n = sizes[0];
  const double* buffer = packed;
  double* u = array;
  (void)list;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < 5; l++) u[5 * k + l] = buffer[5 * k + l];
}

void LOOPS(lu_y_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int n = sizes[0];
  const double* u = array;
  double* buffer = packed;
  (void)list;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < 5; l++) buffer[5 * k + l] = u[l + 5 * (n + 2) * (long)k];
}

void LOOPS(lu_y_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int n = sizes[0];
  const double* buffer = packed;
  double* u = array;
  (void)list;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < 5; l++) u[l + 5 * (n + 2) * (long)k] = buffer[5 * k + l];
}
