// A sequence of basic types as a small graph: what a type signature is made of. It is never expanded: a sequence that
// repeats or shares parts takes as much memory as its description.
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
  // The polynomial hash of the expanded sequence over the field of 2^61 - 1 elements, and base^length: those of a
  // concatenation follow from those of its parts, so they do not depend on how a sequence is described.
  std::uint64_t hash = 0;
  std::uint64_t power = 1;
};

// Equal basic types are the same object; pair types are not basic.
SequencePtr basic(const Named& type);
// Joins neighbours that repeat the same object and drops empty parts. Throws base::Error kOverflow if the length or the
// bytes do not fit into 63 bits.
SequencePtr concat(std::span<const SequencePtr> parts);
SequencePtr repeat(SequencePtr part, std::int64_t count);
// The first `length` basic types of a sequence that has at least `length`. Cost: its depth and the parts on the way.
SequencePtr prefix(const SequencePtr& sequence, std::int64_t length);

// True if two sequences expand to the same basic types. Exact: hashes do not decide. Cost: see same_sequence.cpp.
bool same_sequence(const SequencePtr& a, const SequencePtr& b);

}  // namespace gapless::layout
