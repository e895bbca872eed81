// Bounds of a type that places blocks of other types (MPI 4.1, section 5.1.6).
#pragma once

#include "layout/layout.hpp"

namespace gapless::layout {

// Collects the bounds of blocks one by one; finish() writes them into the new type.
class Bounds {
 public:
  // `blocklength` copies of `old`, its extent apart, the first at `displacement` [bytes].
  void add_block(std::int64_t blocklength, std::int64_t displacement, const Layout& old);
  // `count` such blocks, `stride` bytes apart. Cost: constant, because only the outermost blocks can decide.
  void add_blocks(std::int64_t count, std::int64_t stride, std::int64_t blocklength, const Layout& old);
  // Replaces the sum over the blocks added: for callers that add only some of the blocks.
  void set_size(std::int64_t size) { size_ = size; }
  // `round_up`: the type is a struct, whose upper bound, unless set, is rounded up to its alignment.
  void finish(Layout& type, bool round_up = false) const;

 private:
  struct Interval {
    std::int64_t low = 0, high = 0;
    bool any = false;
    void include(std::int64_t from, std::int64_t to);
  };
  Interval data_, bounds_, set_bounds_;
  std::int64_t size_ = 0, alignment_ = 1;
  int depth_ = 0;
};

// The depth of a type made from one of depth `old`. All walks over a type recurse, so the depth is limited.
int deeper(int old);

void require(bool condition, const char* what, std::int64_t value);

}  // namespace gapless::layout
