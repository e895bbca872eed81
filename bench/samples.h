/* What the benchmarks share: the clock, the order of samples, and samples as JSON. For C and C++. */
#ifndef GAPLESS_BENCH_SAMPLES_H
#define GAPLESS_BENCH_SAMPLES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* For qsort. */
static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline void print_samples(const char* name, const double* samples, int count) {
  printf(", \"%s\": [", name);
  for (int i = 0; i < count; ++i) printf("%s%.3f", i == 0 ? "" : ", ", samples[i]);
  printf("]");
}

static inline __attribute__((noreturn)) void fail(const char* what) {
  fprintf(stderr, "error: %s\n", what);
  exit(1);
}

/* Arguments: BLOCKS REPETITIONS [FIRST]. FIRST: the case to begin with, so that no case is always the first one. */
typedef struct Arguments {
  int blocks, repetitions, first;
} Arguments;

static inline Arguments parse_arguments(int argc, char** argv) {
  Arguments arguments = {0, 0, 0};
  if (argc == 3 || argc == 4) {
    arguments.blocks = atoi(argv[1]);
    arguments.repetitions = atoi(argv[2]);
    arguments.first = argc == 4 ? atoi(argv[3]) : 0;
  }
  if (arguments.blocks < 4 || arguments.blocks > 100000000 || arguments.repetitions < 1 ||
      arguments.repetitions > 10000 || arguments.first < 0) {
    fprintf(stderr, "usage: %s BLOCKS REPETITIONS [FIRST]\n", argv[0]);
    exit(2);
  }
  return arguments;
}

#endif
