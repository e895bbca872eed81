// What every textbook has: blocks of doubles, equally far apart or listed.
#include "loops.h"

void LOOPS(strided_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const long blocks = sizes[0], length = sizes[1], stride = sizes[2];
  const double* a = array;
  double* buffer = packed;
  (void)list;
  if (length == 1) {
    for (long i = 0; i < blocks; i++) buffer[i] = a[i * stride];
    return;
  }
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < length; j++) buffer[i * length + j] = a[i * stride + j];
}

void LOOPS(strided_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const long blocks = sizes[0], length = sizes[1], stride = sizes[2];
  const double* buffer = packed;
  double* a = array;
  (void)list;
  if (length == 1) {
    for (long i = 0; i < blocks; i++) a[i * stride] = buffer[i];
    return;
  }
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < length; j++) a[i * stride + j] = buffer[i * length + j];
}

void LOOPS(listed_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const long blocks = sizes[0], length = sizes[1];
  const double* a = array;
  double* buffer = packed;
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < length; j++) buffer[i * length + j] = a[list[i] + j];
}

void LOOPS(listed_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const long blocks = sizes[0], length = sizes[1];
  const double* buffer = packed;
  double* a = array;
  for (long i = 0; i < blocks; i++)
    for (long j = 0; j < length; j++) a[list[i] + j] = buffer[i * length + j];
}
