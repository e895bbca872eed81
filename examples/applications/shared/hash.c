#include "hash.h"

#include <string.h>

uint64_t block_hash(const Domain* domain, void* array) {
  const Grid* grid = domain->grid;
  const int elements = domain->site.elements;
  uint64_t hash = 0;
  for (int i = 0; i < grid->block_rows; ++i) {
    const char* at = site_at(domain, array, i, 0);
    uint64_t place =
        ((uint64_t)(grid->first_row + i) * (uint64_t)grid->columns + (uint64_t)grid->first_column) * (uint64_t)elements;
    for (int j = 0; j < grid->block_columns * elements; ++j, at += domain->site.element_bytes) {
      uint64_t bits = 0;
      memcpy(&bits, at, domain->site.element_bytes); /* on either byte order the same on all ranks */
      hash += scramble(bits + scramble(++place));
    }
  }
  return hash;
}
