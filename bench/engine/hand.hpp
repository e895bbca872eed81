// Packing by hand: the rival. The loops that a scientist writes who knows the layout and distrusts datatypes: block
// lengths and strides are constants of the program, counts come at run time, pointers are `restrict`, and the compiler
// is asked for all it can do (-O3 -march=native, for these files alone). Nothing here but plain C++.
//
// Each layout is written twice, over elements and with a memcpy for each block: GCC vectorises the first across blocks
// where that pays, and turns the second into whole-register moves for blocks that are no multiple of a register. Which
// one is faster depends on the block, the direction and the caches, so both are timed before a measurement and the
// faster one is the rival (measure.cpp).
#pragma once

#include <cstdint>
#include <vector>

namespace gapless::bench {

struct HandArguments {
  std::int64_t count = 0;              // units, rows or list entries
  const std::int32_t* list = nullptr;  // of a list: where its blocks begin, in blocks
  // Of several arrays: elements of the first one, and how many entries of the list are for the second one.
  std::int64_t length = 0, second_count = 0;
};

using HandPack = void (*)(const char* user, char* packed, HandArguments arguments);
using HandUnpack = void (*)(const char* packed, char* user, HandArguments arguments);

struct HandLoop {
  const char* name;
  HandPack pack;
  HandUnpack unpack;
};

// The ways to write one layout; one at least.
using HandLoops = std::vector<HandLoop>;

// The repeated unit of a layout in elements of int, as lab::Unit has it: one or two runs, then the next `extent` on.
struct HandUnit {
  int first_length, second_length, second_start, extent;
  bool operator==(const HandUnit&) const = default;
};

// Empty where no loop was written for these constants.
HandLoops hand_units(const HandUnit& unit);
HandLoops hand_bytes(int length_bytes, int extent_bytes);  // one run of bytes in every extent
HandLoops hand_row_column(int row_length);                 // a row of ints, then `count` ints, one in every row
HandLoops hand_touching_rows(int blocks);                  // `count` rows of 12 or 24 blocks of five doubles
HandLoops hand_column(int row_doubles);                    // `count` doubles, one in every row
HandLoops hand_transpose(int n);                           // n x n doubles, the naive double loop
HandLoops hand_list(int block_bytes);                      // blocks of 4, 8 or 24 bytes that a list names

// The micro-applications of DDTBench; what is not here is one of the above.
HandLoops hand_blocks(int element_bytes, int length, int stride);  // `count` runs, in elements of 4 or 8 bytes
// Boxes of nine arrays that begin at (i0, 0, j0), `count` rows of each.
HandLoops hand_wrf(int si, int d1, int d3, int i0, int j0);
HandLoops hand_mg_x(int d1, int d2);                   // `count` planes of d2 - 2 doubles
HandLoops hand_fft(int n, int columns, bool scatter);  // `count` blocks of n x n complex numbers
HandLoops hand_specfem_cm();                           // points of three floats of two arrays
HandLoops hand_lammps(int properties);                 // points of three doubles, and so many arrays more

}  // namespace gapless::bench
