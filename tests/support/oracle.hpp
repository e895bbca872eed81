// What a datatype means, straight from the definitions of the MPI standard (MPI 4.1, chapter 5): the type map is
// written out entry by entry from the constructors' arguments. Slow and literal on purpose. It reads no derived field
// of a Layout (size, bounds, alignment, expansion) and knows nothing of normal forms or plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <vector>

#include "layout/layout.hpp"

namespace gapless::test {

// Consecutive bytes of data, in type-map order. A pair type with a hole inside is two entries.
struct Entry {
  std::int64_t displacement;
  std::int64_t bytes;
  bool operator==(const Entry&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Entry& entry);

struct Bounds {
  std::int64_t size = 0;
  std::int64_t lb = 0;
  std::int64_t ub = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_ub = 0;
  std::int64_t alignment = 1;
  bool marked = false;  // the type map holds explicit bounds (resized, subarray, ...): they decide alone
  bool empty = true;    // the type map holds nothing at all, neither data nor bounds

  std::int64_t extent() const { return ub - lb; }
  std::int64_t true_extent() const { return true_ub - true_lb; }
  bool operator==(const Bounds&) const = default;
};

class Oracle {
 public:
  explicit Oracle(const layout::Layout& type);

  const Bounds& bounds() const { return bounds_; }
  // The type map of one element.
  const std::vector<Entry>& entries() const { return entries_; }
  // The named type that each of these entries is of.
  const std::vector<const layout::Named*>& named() const { return named_; }
  // The type map of `count` elements, one extent apart.
  std::vector<Entry> entries(std::int64_t count) const;
  // The displacement of every byte of `count` elements, in type-map order.
  std::vector<std::int64_t> byte_displacements(std::int64_t count) const;

 private:
  Bounds bounds_;
  std::vector<Entry> entries_;
  std::vector<const layout::Named*> named_;
};

// Neighbours in the sequence that are neighbours in memory become one entry; empty entries vanish.
std::vector<Entry> fused(const std::vector<Entry>& entries);

// The reference for pack and unpack, byte by byte: `bytes` are the displacements of the stream's bytes. Both move the
// stream's bytes [position, position + budget) as far as there are any, and return how many moved.
std::int64_t oracle_pack(const std::vector<std::int64_t>& bytes, const std::byte* buffer, std::int64_t position,
                         std::byte* packed, std::int64_t budget);
std::int64_t oracle_unpack(const std::vector<std::int64_t>& bytes, std::byte* buffer, std::int64_t position,
                           const std::byte* packed, std::int64_t budget);

}  // namespace gapless::test
