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
HandLoops hand_column(int row_doubles);                    // `count` doubles, one in every row
HandLoops hand_transpose(int n);                           // n x n doubles, the naive double loop
HandLoops hand_list(int block_bytes);                      // blocks of 4, 8 or 24 bytes that a list names

}  // namespace gapless::bench
