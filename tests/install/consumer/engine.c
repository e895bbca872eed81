/* The smallest program on the installed engine: one column of a matrix, packed. */
#include <gapless/gapless.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  int field[40], packed[10];
  int64_t moved = 0;
  gapless_type integer, column;
  for (int k = 0; k < 40; ++k) field[k] = k;
  if (gapless_type_named("int32", &integer) || gapless_type_vector(10, 1, 4, integer, &column) ||
      gapless_pack(field, 1, column, 0, packed, sizeof packed, &moved)) {
    fprintf(stderr, "%s\n", gapless_last_error());
    return 1;
  }
  for (int k = 0; k < 10; ++k) {
    if (packed[k] != 4 * k) return 1;
  }
  return moved == sizeof packed ? 0 : 1;
}
