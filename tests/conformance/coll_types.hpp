// Descriptions of the same data by different datatypes, each with its type map known beside it: what a collective
// delivers can so be told without asking the library.
#pragma once

#include <mpi.h>

#include <vector>

#include "../preload/random_mpi_type.hpp"

namespace conformance {

// A basic element at its place in one element of a type.
struct Piece {
  MPI_Aint offset;
  int size;
};

// The basic types of one unit, in their order. A message is so many units on every rank, whatever describes them.
struct Signature {
  std::vector<MPI_Datatype> basics;
  MPI_Datatype pair = MPI_DATATYPE_NULL;  // the predefined type of that signature with a hole, if there is one
  int bytes = 0;
};
inline constexpr int kSignatures = 9;
Signature signature(int which);

enum class Kind {
  kContiguous,
  kVector,
  kReversed,  // a negative stride
  kIndexed,   // blocks of unequal lengths, their addresses shuffled
  kStruct,
  kNested,
  kSubarray,
  kColumns,  // elements that interleave: an extent of one unit
  kShifted,  // a lower bound below zero, data behind it
  kTower,    // deeper than the layer decodes (src/mpi/types/decode.cpp, kMaxDepth)
};
inline constexpr int kKinds = 10;

// `type` is committed and the owner's to free. Elements at multiples of the extent are disjoint: any number of them, or
// `slots` where they interleave.
struct Described {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::vector<Piece> map;  // empty, and has_map false: the type map is the library's business
  bool has_map = true;
  MPI_Aint extent = 0;
  MPI_Aint low = 0, high = 0;  // bytes that one element touches, relative to its address
  int units = 0;
};

Described describe(test::Random& random, const Signature& signature, int units, Kind kind, long long slots);
// No data, some extent.
Described empty_type(test::Random& random);
// The same type on every rank that has the same seed; without a type map.
Described unmapped_type(test::Random& random);

}  // namespace conformance
