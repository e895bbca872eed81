/* A hash of a field that does not depend on who holds which part of it. */
#ifndef EXAMPLES_APPLICATIONS_HASH_H
#define EXAMPLES_APPLICATIONS_HASH_H

#include <stdint.h>

#include "domain.h"

/* Scrambles 64 bits (the finaliser of splitmix64). */
static inline uint64_t scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* Hashes the bits of every element of my block together with its place in the field. The sum modulo 2^64 over all
 * ranks is the same in whatever order it is made, yet no two elements can be swapped unnoticed. */
uint64_t block_hash(const Domain* domain, void* array);

#endif
