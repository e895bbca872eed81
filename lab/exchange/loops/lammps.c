// LAMMPS: the properties of listed particles, particle by particle; those received go behind the particles.
#include "loops.h"

struct particles {
  double *x, *tag, *type, *mask, *q, *molecule;
};

static struct particles particles_of(const int* sizes, double* array) {
  const long length = (long)sizes[1] + sizes[0];
  const struct particles of = {
      array, array + 3 * length, array + 4 * length, array + 5 * length, array + 6 * length, array + 7 * length};
  return of;
}

void LOOPS(lammps_full_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const struct particles of = particles_of(sizes, (double*)array);
  double* buffer = packed;
  long m = 0;
  for (int i = 0; i < sizes[0]; i++) {
    const int j = list[i];
    buffer[m++] = of.x[3 * j];
    buffer[m++] = of.x[3 * j + 1];
    buffer[m++] = of.x[3 * j + 2];
    buffer[m++] = of.tag[j];
    buffer[m++] = of.type[j];
    buffer[m++] = of.mask[j];
    buffer[m++] = of.molecule[j];
    buffer[m++] = of.q[j];
  }
}

void LOOPS(lammps_full_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const struct particles of = particles_of(sizes, array);
  const double* buffer = packed;
  long m = 0;
  (void)list;
  for (int i = sizes[1]; i < sizes[1] + sizes[0]; i++) {
    of.x[3 * i] = buffer[m++];
    of.x[3 * i + 1] = buffer[m++];
    of.x[3 * i + 2] = buffer[m++];
    of.tag[i] = buffer[m++];
    of.type[i] = buffer[m++];
    of.mask[i] = buffer[m++];
    of.molecule[i] = buffer[m++];
    of.q[i] = buffer[m++];
  }
}

void LOOPS(lammps_atomic_pack)(const int* sizes, const int* list, const void* array, void* packed) {
  const struct particles of = particles_of(sizes, (double*)array);
  double* buffer = packed;
  long m = 0;
  for (int i = 0; i < sizes[0]; i++) {
    const int j = list[i];
    buffer[m++] = of.x[3 * j];
    buffer[m++] = of.x[3 * j + 1];
    buffer[m++] = of.x[3 * j + 2];
    buffer[m++] = of.tag[j];
    buffer[m++] = of.type[j];
    buffer[m++] = of.mask[j];
  }
}

void LOOPS(lammps_atomic_unpack)(const int* sizes, const int* list, const void* packed, void* array) {
  const struct particles of = particles_of(sizes, array);
  const double* buffer = packed;
  long m = 0;
  (void)list;
  for (int i = sizes[1]; i < sizes[1] + sizes[0]; i++) {
    of.x[3 * i] = buffer[m++];
    of.x[3 * i + 1] = buffer[m++];
    of.x[3 * i + 2] = buffer[m++];
    of.tag[i] = buffer[m++];
    of.type[i] = buffer[m++];
    of.mask[i] = buffer[m++];
  }
}
