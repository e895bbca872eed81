#include "domain.h"

#include <stdlib.h>

static size_t sites_of(const Message* messages, int count) {
  size_t sites = 0;
  for (int i = 0; i < count; ++i) sites += (size_t)messages[i].patch.rows * (size_t)messages[i].patch.columns;
  return sites;
}

/* Each part begins at a line of the cache. */
static size_t rounded(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

int domain_make(Domain* domain, const Grid* grid, Site site) {
  *domain = (Domain){.grid = grid, .site = site, .site_bytes = site.element_bytes * (size_t)site.elements};
  domain->row_sites = (size_t)grid->block_columns + 2 * (size_t)grid->depth;
  domain->array_sites = ((size_t)grid->block_rows + 2 * (size_t)grid->depth) * domain->row_sites;
  const size_t array = rounded(domain->array_sites * domain->site_bytes);
  const size_t sent = rounded(sites_of(grid->sends, grid->send_count) * domain->site_bytes);
  const size_t received = rounded(sites_of(grid->receives, grid->receive_count) * domain->site_bytes);
  domain->memory = calloc(2 * array + sent + received + 64, 1);
  if (domain->memory == NULL) return 0;
  domain->arrays[0] = domain->memory + (64 - (size_t)domain->memory % 64);
  domain->arrays[1] = domain->arrays[0] + array;
  domain->send_room = domain->arrays[1] + array;
  domain->receive_room = domain->send_room + sent;
  return 1;
}

void domain_free(Domain* domain) {
  free(domain->memory);
}
