/* Irregular lists of blocks of doubles, the same for every library that is measured. For C and C++. */
#ifndef GAPLESS_BENCH_IRREGULAR_H
#define GAPLESS_BENCH_IRREGULAR_H

#include <stdint.h>
#include <stdlib.h>

typedef struct Irregular {
  const char* name;
  int unlike;         /* lengths of 1 to 4 doubles, described by hindexed; otherwise 1 each, by indexed_block */
  int shuffled;       /* in random order instead of ascending */
  int count;          /* blocks */
  int* lengths;       /* [doubles] */
  int* displacements; /* [doubles] */
  int64_t elements;   /* doubles in all blocks */
  int64_t span;       /* doubles from the first block's first to behind the last in memory */
} Irregular;

enum { kIrregularCases = 4 };

static inline uint64_t irregular_random(uint64_t* state) { /* splitmix64 */
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline void irregular_swap(int* list, int i, int j) {
  const int kept = list[i];
  list[i] = list[j];
  list[j] = kept;
}

/* 1 to 3 doubles of gap between neighbours in memory: no two gaps in a row need be equal, no two blocks touch. */
static inline Irregular make_irregular(int which, int count) {
  static const char* const kNames[kIrregularCases] = {"equal, ascending", "unlike, ascending", "equal, shuffled",
                                                      "unlike, shuffled"};
  Irregular list = {kNames[which], which % 2, which / 2, count, NULL, NULL, 0, 0};
  uint64_t state = 20260921;
  list.lengths = (int*)malloc((size_t)count * sizeof(int));
  list.displacements = (int*)malloc((size_t)count * sizeof(int));
  if (list.lengths == NULL || list.displacements == NULL) abort();
  for (int i = 0; i < count; ++i) {
    list.lengths[i] = list.unlike ? 1 + (int)(irregular_random(&state) % 4) : 1;
    list.displacements[i] = (int)list.span;
    list.elements += list.lengths[i];
    list.span += list.lengths[i] + 1 + (int)(irregular_random(&state) % 3);
  }
  for (int i = count - 1; list.shuffled && i > 0; --i) {
    const int j = (int)(irregular_random(&state) % (uint64_t)(i + 1));
    irregular_swap(list.lengths, i, j);
    irregular_swap(list.displacements, i, j);
  }
  return list;
}

static inline void free_irregular(Irregular* list) {
  free(list->lengths);
  free(list->displacements);
}

/* A buffer in which every double tells its place. */
static inline double* make_places(int64_t span) {
  double* places = (double*)malloc((size_t)span * sizeof(double));
  if (places == NULL) abort();
  for (int64_t i = 0; i < span; ++i) places[i] = (double)i;
  return places;
}

/* Whether `packed` holds the blocks of such a buffer, one after the other. */
static inline int is_packed(const Irregular* list, const double* packed) {
  for (int i = 0; i < list->count; ++i)
    for (int k = 0; k < list->lengths[i]; ++k)
      if (*packed++ != (double)(list->displacements[i] + k)) return 0;
  return 1;
}

#endif
