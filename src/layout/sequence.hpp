// A sequence of basic types as a small graph: what a type signature is made of. Nothing is ever written out: a
// sequence that repeats or shares parts takes what its description takes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layout/named.hpp"

namespace gapless::layout {

struct Sequence;
using SequencePtr = std::shared_ptr<const Sequence>;  // null: the empty sequence

// Exactly one of: one basic type; `count` >= 2 times parts[0]; two or more parts one after the other.
struct Sequence {
  enum class Kind { kBasic, kRepeat, kConcat };
  Kind kind = Kind::kBasic;
  const Named* basic = nullptr;
  std::int64_t count = 1;
  std::vector<SequencePtr> parts;
  std::int64_t length = 1;  // basic types
  std::int64_t bytes = 0;
  // The polynomial hash of the expanded sequence over the field of 2^61 - 1 elements, and base^length: both of a
  // concatenation follow from those of its parts, so they do not depend on how a sequence is described.
  std::uint64_t hash = 0;
  std::uint64_t power = 1;
};

// Equal basic types are the same object; pair types are not basic.
SequencePtr basic(const Named& type);
// Neighbours that repeat the same object become one; empty parts vanish. Throws base::Error kOverflow if the length
// or the bytes do not fit.
SequencePtr concat(std::span<const SequencePtr> parts);
SequencePtr repeat(SequencePtr part, std::int64_t count);
// The first `length` basic types of a sequence at least so long. Cost: the depth, and the parts on the way.
SequencePtr prefix(const SequencePtr& sequence, std::int64_t length);

// Whether two sequences expand to the same basic types. Exact: hashes are not looked at. Cost: same_sequence.cpp.
bool same_sequence(const SequencePtr& a, const SequencePtr& b);

}  // namespace gapless::layout
