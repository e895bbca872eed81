/* A patch is some rows of some elements each, one padded row apart: what MPI_Type_vector describes. */
#include "halo.h"

static Piece describe(const Domain* domain, int array, const Patch* patch) {
  Piece piece = {halo_place(domain, halo_patch(domain, array, patch)), 1, MPI_DATATYPE_NULL};
  const int elements = domain->site.elements;
  MPI_Type_vector(patch->rows, patch->columns * elements, (int)domain->row_sites * elements, domain->site.element,
                  &piece.type);
  MPI_Type_commit(&piece.type);
  return piece;
}

static void make(Halo* halo) {
  halo_describe(halo, describe);
}

const Way kVector = {"vector", make, NULL, NULL, halo_free_types};
