// What is measured: messages of int32 in several descriptions, and the operations that carry them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::lab::one_sided {

// One message, as a program would write it.
struct Description {
  std::string name;
  std::int64_t count = 1;
  layout::LayoutPtr type;
};

enum class Family {
  kTiled,        // n blocks of A ints, one block's length between them
  kAlternating,  // n pairs of A and A / 2 ints in 4 A
  kIrregular,    // n blocks of A ints, gaps of 1 to A ints in no order
};

struct Case {
  Family family;
  std::int64_t a;
  std::int64_t bytes;  // asked for; the payload is the largest whole number of eight units in it

  std::string name() const;  // "tiled/A=2/3200"
  // The first one is the plainest.
  std::vector<Description> descriptions() const;
};

std::vector<Case> make_cases(bool quick);

// Which end of an operation has the derived type; the other is contiguous, unless both have.
enum class Derived { kLocal, kRemote, kBoth };
enum class Carrier { kAllocatedWindow, kCreatedWindow, kFile };
enum class Epoch { kFlush, kFence };  // of windows: lock_all and a flush for each operation, or two fences

struct OperationSpec {
  std::string name;  // e.g. "put/allocate/local"
  Carrier carrier;
  bool out;  // put or write; else get or read
  Derived derived;
  Epoch epoch = Epoch::kFlush;
  bool view_each_time = false;  // of files: MPI_File_set_view belongs to what is timed
};

std::vector<OperationSpec> operations();

}  // namespace gapless::lab::one_sided
