// Type signatures (MPI 4.1, section 5.1): the sequence of the basic types of a message, without displacements. Two
// processes may exchange a message, or one may copy it to another layout, if the signatures match.
//
// A basic type is an entry of named.cpp, or one of new_named: byte, char, int8, uint8 and packed are five different
// ones although all have one byte; MPI_INT and MPI_INT32_T share the entry int32 and so are one. A pair type is two
// basic types, as the standard defines it: double_int is (double, int32), 2int is (int32, int32). MPI_PACKED matches
// every signature in a transfer: callers that compare messages apply that rule; here it is a basic type like any other.
#pragma once

#include <cstdint>

#include "layout/layout.hpp"
#include "layout/sequence.hpp"

namespace gapless::layout {

// Immutable. Copies share everything.
class Signature {
 public:
  // Of `count` >= 0 elements of `type`. Throws base::Error: kInvalidArgument for a negative count, kOverflow for a
  // message beyond 63 bits. Cost: linear in the description; shared parts are visited once.
  explicit Signature(const Layout& type, std::int64_t count = 1);

  std::int64_t basic_count() const noexcept { return sequence_ ? sequence_->length : 0; }
  std::int64_t size() const noexcept { return sequence_ ? sequence_->bytes : 0; }
  // Depends on the basic types and their order only. Unequal hashes prove unequal signatures; equal hashes prove
  // nothing.
  std::uint64_t hash() const noexcept;
  const SequencePtr& sequence() const noexcept { return sequence_; }

  // Exact. Cost: constant for almost all unequal signatures; linear in the description for equal descriptions; for the
  // rest see same_sequence.cpp: never proportional to counts.
  friend bool operator==(const Signature& a, const Signature& b);
  // True if a receive with the signature `longer` may receive this one: if this one is the first part of it, or all.
  bool is_prefix_of(const Signature& longer) const;

 private:
  SequencePtr sequence_;
};

// The bytes of the whole basic types among the first `bytes` bytes of an element's packed data, 0 <= bytes < type.size:
// equal to `bytes` unless they end inside a basic type. Cost: the depth, and the members of structs on the way.
std::int64_t whole_basics(const Layout& type, std::int64_t bytes) noexcept;
// The one basic type of all data of a type; nullptr if there are several or none, or if the search exceeds its limit.
const Named* only_basic(const Layout& type) noexcept;
// False if no element of the data is a long double, alone or in a pair or a complex number.
bool may_hold_long_doubles(const Layout& type) noexcept;

// The signature type: the basic types of one element of `type` in order without gaps, whatever their alignment. Its
// size and extent are the size of `type`, its lower bounds are 0, its signature is that of `type`. With it, serialised
// data can be allocated, sent and received type-safely. It is as small as the description. Throws base::Error
// kInvalidArgument if it would nest too deep, which it can at twice the depth of `type`.
LayoutPtr signature_type(const Layout& type);

}  // namespace gapless::layout
