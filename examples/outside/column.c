/* Packs one column of a matrix, in parts that are as large as some buffer, and puts it back into another matrix. */
#include <gapless/gapless.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 6, kColumns = 4, kPart = 20 /* [bytes]: no multiple of an element */ };

static void check(gapless_status status) {
  if (status == GAPLESS_SUCCESS) return;
  fprintf(stderr, "column: %s\n", gapless_last_error());
  exit(EXIT_FAILURE);
}

int main(void) {
  double matrix[kRows][kColumns], copy[kRows][kColumns] = {{0}};
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) matrix[row][column] = 10 * row + column;
  }

  gapless_type element, column;
  check(gapless_type_named("double", &element));
  check(gapless_type_vector(kRows, 1, kColumns, element, &column));
  check(gapless_type_free(&element));
  int64_t size = 0;
  check(gapless_type_size(column, &size));

  for (int64_t position = 0, moved = 0; position < size; position += moved) {
    char part[kPart];
    check(gapless_pack(&matrix[0][1], 1, column, position, part, kPart, &moved));
    check(gapless_unpack(part, moved, position, &copy[0][2], 1, column, &moved));
    printf("bytes %" PRId64 " to %" PRId64 "\n", position, position + moved);
  }
  check(gapless_type_free(&column));

  for (int row = 0; row < kRows; ++row) printf("%g %g\n", copy[row][1], copy[row][2]);
  return EXIT_SUCCESS;
}
