// Type signatures (MPI 4.1, section 5.1): the sequence of the basic types of a message, without displacements. Two
// processes may exchange a message, or one may copy it to another layout, if the signatures match.
//
// A basic type is an entry of named.cpp: byte, char, int8, uint8 and packed are five different ones although all have
// one byte; MPI_INT and MPI_INT32_T share the entry int32 and so are one. A pair type is two basic types, as the
// standard defines it: double_int is (double, int32), 2int is (int32, int32). MPI_PACKED matches every signature in a
// transfer: that rule belongs to whoever compares messages, here it is a basic type like any other.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "layout/sequence.hpp"

namespace gapless::layout {

// Immutable. Copies share everything.
class Signature {
 public:
  // Of `count` >= 0 elements of `type`. Throws base::Error: kInvalidArgument for a negative count, kOverflow for a
  // message beyond 63 bits. Cost: linear in the description; parts that are shared are looked at once.
  explicit Signature(const Layout& type, std::int64_t count = 1);

  std::int64_t basic_count() const noexcept { return sequence_ ? sequence_->length : 0; }
  std::int64_t size() const noexcept { return sequence_ ? sequence_->bytes : 0; }
  // Depends on the basic types and their order only. Unequal hashes prove unequal signatures; equal ones nothing.
  std::uint64_t hash() const noexcept;
  const SequencePtr& sequence() const noexcept { return sequence_; }

  // Exact. Cost: constant for almost all unequal ones; linear in the description for equal descriptions; else
  // see same_sequence.cpp: never proportional to counts.
  friend bool operator==(const Signature& a, const Signature& b);
  // Whether a receive with the signature `longer` may receive this one: the first part of it, or all.
  bool is_prefix_of(const Signature& longer) const;

 private:
  SequencePtr sequence_;
};

// Of the first `bytes` bytes of an element's packed data, 0 <= bytes < type.size, those that whole basic types make up:
// equal to `bytes` unless they end inside one. Cost: the depth, and the members of structures on the way.
std::int64_t whole_basics(const Layout& type, std::int64_t bytes) noexcept;
// The basic type that all data of a type are of, or nullptr: there are several, or none, or it would take long to say.
const Named* only_basic(const Layout& type) noexcept;

// The signature type: the basic types of one element of `type` one after the other without a gap, members aligned or
// not. Its size and extent are `type`'s size, its lower bounds 0, its signature `type`'s. With it serialised data can
// be allocated, sent and received type-safely. As small as the description. Throws base::Error kInvalidArgument if it
// would be nested too deep, which it can be at twice the depth of `type`.
LayoutPtr signature_type(const Layout& type);

}  // namespace gapless::layout
