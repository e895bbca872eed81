// The transpose of a matrix of complex numbers between the two passes of a 2-D FFT: rows are copied in blocks, and what
// arrives is transposed number by number.
#include "loops.h"

#include <string.h>

struct complex_number {
  double re, im;
};

void LOOPS(fft_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const int columns = sizes[0], ranks = sizes[1], n = columns / ranks;
  const struct complex_number* matrix = array;
  struct complex_number* buffer = packed;
  (void)list;
  for (int r = 0; r < ranks; r++)
    for (int l = 0; l < n; l++, buffer += n)
      memcpy(buffer, matrix + (long)l * columns + (long)r * n, n * sizeof *buffer);
}

void LOOPS(fft_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const int columns = sizes[0], ranks = sizes[1], n = columns / ranks;
  const struct complex_number* buffer = packed;
  struct complex_number* matrix = array;
  (void)list;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < columns; l++) matrix[(long)k * columns + l] = buffer[(long)l * n + k];
}
