/* Packed by hand, as well as a careful programmer would: loops whose copies have a size that the compiler knows, whole
 * rows where rows are long, and nothing at all where a patch is one row and so has no gaps. */
#include <stdint.h>
#include <string.h>

#include "halo.h"

/* From so many sites in a row on, memcpy moves rows faster than a loop over sites. */
enum { LONG_ROW = 8 };

typedef struct {
  float v[3];
} Float3;
typedef struct {
  double v[2];
} Double2;

/* Copies sites of one size between `array`, whose rows are row_sites apart, and the packed bytes. */
#define COPIES(NAME, TYPE)                                                                              \
  static void pack_##NAME(char* packed, const char* array, const Patch* patch, size_t row_sites) {      \
    TYPE* out = (TYPE*)packed;                                                                          \
    const TYPE* in = (const TYPE*)array;                                                                \
    const int columns = patch->columns;                                                                 \
    if (columns == 1)                                                                                   \
      for (int i = 0; i < patch->rows; ++i) out[i] = in[(size_t)i * row_sites];                         \
    else                                                                                                \
      for (int i = 0; i < patch->rows; ++i)                                                             \
        for (int j = 0; j < columns; ++j) out[(size_t)i * columns + j] = in[(size_t)i * row_sites + j]; \
  }                                                                                                     \
  static void unpack_##NAME(char* array, const char* packed, const Patch* patch, size_t row_sites) {    \
    TYPE* out = (TYPE*)array;                                                                           \
    const TYPE* in = (const TYPE*)packed;                                                               \
    const int columns = patch->columns;                                                                 \
    if (columns == 1)                                                                                   \
      for (int i = 0; i < patch->rows; ++i) out[(size_t)i * row_sites] = in[i];                         \
    else                                                                                                \
      for (int i = 0; i < patch->rows; ++i)                                                             \
        for (int j = 0; j < columns; ++j) out[(size_t)i * row_sites + j] = in[(size_t)i * columns + j]; \
  }

COPIES(byte, uint8_t)
COPIES(float3, Float3)
COPIES(double2, Double2)

static int lies_packed(const Patch* patch) {
  return patch->rows == 1;
}

static size_t patch_bytes(const Domain* domain, const Patch* patch) {
  return (size_t)patch->rows * (size_t)patch->columns * domain->site_bytes;
}

static void pack_patch(const Domain* domain, char* packed, const char* array, const Patch* patch) {
  const size_t row_bytes = (size_t)patch->columns * domain->site_bytes;
  if (patch->columns >= LONG_ROW)
    for (int i = 0; i < patch->rows; ++i)
      memcpy(packed + (size_t)i * row_bytes, array + (size_t)i * domain->row_sites * domain->site_bytes, row_bytes);
  else if (domain->site_bytes == sizeof(uint8_t))
    pack_byte(packed, array, patch, domain->row_sites);
  else if (domain->site_bytes == sizeof(Float3))
    pack_float3(packed, array, patch, domain->row_sites);
  else
    pack_double2(packed, array, patch, domain->row_sites);
}

static void unpack_patch(const Domain* domain, char* array, const char* packed, const Patch* patch) {
  const size_t row_bytes = (size_t)patch->columns * domain->site_bytes;
  if (patch->columns >= LONG_ROW)
    for (int i = 0; i < patch->rows; ++i)
      memcpy(array + (size_t)i * domain->row_sites * domain->site_bytes, packed + (size_t)i * row_bytes, row_bytes);
  else if (domain->site_bytes == sizeof(uint8_t))
    unpack_byte(array, packed, patch, domain->row_sites);
  else if (domain->site_bytes == sizeof(Float3))
    unpack_float3(array, packed, patch, domain->row_sites);
  else
    unpack_double2(array, packed, patch, domain->row_sites);
}

/* A piece for each message: in place, or in the room for packed bytes, one message behind the other. */
static void place(const Domain* domain, int array, const Message* messages, int count, const char* room,
                  Piece* pieces) {
  for (int i = 0; i < count; ++i) {
    const Patch* patch = &messages[i].patch;
    const char* at = lies_packed(patch) ? halo_patch(domain, array, patch) : room;
    const int elements = patch->rows * patch->columns * domain->site.elements;
    pieces[i] = (Piece){halo_place(domain, at), elements, domain->site.element};
    if (!lies_packed(patch)) room += patch_bytes(domain, patch);
  }
}

static void make(Halo* halo) {
  const Domain* domain = halo->domain;
  const Grid* grid = domain->grid;
  for (int array = 0; array < 2; ++array) {
    place(domain, array, grid->sends, grid->send_count, domain->send_room, halo->sends[array]);
    place(domain, array, grid->receives, grid->receive_count, domain->receive_room, halo->receives[array]);
  }
}

static void pack(const Halo* halo, int array) {
  const Domain* domain = halo->domain;
  for (int i = 0; i < domain->grid->send_count; ++i) {
    const Patch* patch = &domain->grid->sends[i].patch;
    if (!lies_packed(patch))
      pack_patch(domain, domain->arrays[0] + halo->sends[array][i].at, halo_patch(domain, array, patch), patch);
  }
}

static void unpack(const Halo* halo, int array) {
  const Domain* domain = halo->domain;
  for (int i = 0; i < domain->grid->receive_count; ++i) {
    const Patch* patch = &domain->grid->receives[i].patch;
    if (!lies_packed(patch))
      unpack_patch(domain, halo_patch(domain, array, patch), domain->arrays[0] + halo->receives[array][i].at, patch);
  }
}

const Way kHand = {"hand", make, pack, unpack, halo_nothing};
