/* The memory of one rank: two arrays of its block with a halo around it, in turn the current field and the next, and
 * room for packed messages. All of it is one allocation, made once: an exchange then addresses all it sends and
 * receives from one base, as MPI_Neighbor_alltoallw wants it. */
#ifndef EXAMPLES_APPLICATIONS_DOMAIN_H
#define EXAMPLES_APPLICATIONS_DOMAIN_H

#include <stddef.h>

#include "grid.h"

/* What lies at a site: some elements of one type, side by side. */
typedef struct {
  MPI_Datatype element;
  size_t element_bytes;
  int elements;
} Site;

typedef struct {
  const Grid* grid;
  Site site;
  size_t site_bytes, row_sites, array_sites; /* a padded row, and a padded array */
  char* memory;
  char* arrays[2];    /* the first site of each, in the corner of the halo */
  char* send_room;    /* for the packed bytes of all messages that I send */
  char* receive_room; /* and receive */
} Domain;

/* Returns 0 if there is not enough memory. */
int domain_make(Domain* domain, const Grid* grid, Site site);
void domain_free(Domain* domain);

/* The site at a row and column of my block, counted from its first own site. */
static inline void* site_at(const Domain* domain, void* array, int row, int column) {
  const size_t depth = (size_t)domain->grid->depth;
  return (char*)array +
         ((size_t)(row + (int)depth) * domain->row_sites + (size_t)(column + (int)depth)) * domain->site_bytes;
}

#endif
