#include "halo.h"

const Way* const kWays[WAYS] = {&kHand, &kVector, &kSubarray};
const Call* const kCalls[CALLS] = {&kWaitall, &kNeighbor, &kPersistent};

void halo_make(Halo* halo, Domain* domain, const Way* way, const Call* call) {
  halo->domain = domain;
  halo->way = way;
  halo->call = call;
  way->make(halo);
  call->make(halo);
}

void halo_exchange(Halo* halo, int array) {
  if (halo->way->pack != NULL) halo->way->pack(halo, array);
  halo->call->exchange(halo, array);
  if (halo->way->unpack != NULL) halo->way->unpack(halo, array);
}

void halo_free(Halo* halo) {
  halo->call->end(halo);
  halo->way->end(halo);
}

MPI_Aint halo_place(const Domain* domain, const void* at) {
  return (MPI_Aint)((const char*)at - domain->arrays[0]);
}

char* halo_patch(const Domain* domain, int array, const Patch* patch) {
  return site_at(domain, domain->arrays[array], patch->first_row, patch->first_column);
}

void halo_describe(Halo* halo, Piece (*describe)(const Domain* domain, int array, const Patch* patch)) {
  const Grid* grid = halo->domain->grid;
  for (int array = 0; array < 2; ++array) {
    for (int i = 0; i < grid->send_count; ++i)
      halo->sends[array][i] = describe(halo->domain, array, &grid->sends[i].patch);
    for (int i = 0; i < grid->receive_count; ++i)
      halo->receives[array][i] = describe(halo->domain, array, &grid->receives[i].patch);
  }
}

void halo_free_types(Halo* halo) {
  const Grid* grid = halo->domain->grid;
  for (int array = 0; array < 2; ++array) {
    for (int i = 0; i < grid->send_count; ++i) MPI_Type_free(&halo->sends[array][i].type);
    for (int i = 0; i < grid->receive_count; ++i) MPI_Type_free(&halo->receives[array][i].type);
  }
}

void halo_nothing(Halo* halo) {
  (void)halo;
}
