// How a message is made out of its pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "ext/alltoall/pieces.hpp"

namespace gapless::ext::regular {

enum class Way {
  kTypes,   // the library gets the pieces, described by a datatype
  kStaged,  // the library gets packed data: packed by us before, unpacked after
};

// What a caller may ask for: an algorithm's name followed by ":types" or ":staged" (arguments.cpp).
enum class Asked { kEither, kTypes, kStaged };

// What is faster, for one side of one message. Each side of each process decides for itself: the bytes of a message are
// the same either way.
Way way_of(const std::vector<Piece>& pieces, const Memory& memory, Asked asked, bool is_persistent) noexcept;

}  // namespace gapless::ext::regular
