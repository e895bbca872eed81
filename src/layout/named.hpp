// The named types: the leaves of every type map.
#pragma once

#include <cstdint>
#include <span>

namespace gapless::layout {

// One entry of a type map: `bytes` at `displacement`. Only the pair types have two.
struct NamedRun {
  std::int64_t displacement;
  std::int64_t bytes;
};

struct Named {
  const char* name;          // as in the text notation: int32, double, double_int
  std::int64_t size;         // [bytes] of data
  std::int64_t extent;       // [bytes] sizeof of the C type, padding included
  std::int64_t alignment;    // [bytes]
  std::int64_t true_extent;  // [bytes]
  NamedRun runs[2];
  int run_count;
};

// All named types. References into the table stay valid forever and identify a type.
std::span<const Named> named_types() noexcept;

// The named type called `name`, or nullptr.
const Named* find_named(const char* name) noexcept;

// A basic type that is none of the table's, for a caller who tells more types apart: one run of `size` bytes, equal to
// itself alone. Lives for ever. `name` is kept as it is, and nothing is found under it. Throws std::bad_alloc.
const Named& new_named(const char* name, std::int64_t size, std::int64_t alignment);

// A number for each named type, its position for those of the table, below the present count of all.
std::uint32_t number_of(const Named& type) noexcept;
std::uint32_t named_count() noexcept;

}  // namespace gapless::layout
