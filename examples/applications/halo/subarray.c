/* A patch is a part of the padded array: what MPI_Type_create_subarray describes. */
#include "halo.h"

static Piece describe(const Domain* domain, int array, const Patch* patch) {
  Piece piece = {halo_place(domain, domain->arrays[array]), 1, MPI_DATATYPE_NULL};
  const int elements = domain->site.elements, depth = domain->grid->depth;
  const int sizes[2] = {(int)(domain->array_sites / domain->row_sites), (int)domain->row_sites * elements};
  const int parts[2] = {patch->rows, patch->columns * elements};
  const int starts[2] = {patch->first_row + depth, (patch->first_column + depth) * elements};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, domain->site.element, &piece.type);
  MPI_Type_commit(&piece.type);
  return piece;
}

static void make(Halo* halo) {
  halo_describe(halo, describe);
}

const Way kSubarray = {"subarray", make, NULL, NULL, halo_free_types};
