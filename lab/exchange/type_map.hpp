// What a message is, byte by byte: by the tests' oracle, which writes the type map out from the definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "support/oracle.hpp"

namespace gapless::lab::exchange {

// In type-map (= packing) order; neighbours that are neighbours in memory are one.
using Runs = std::vector<test::Entry>;

// The type map of `count` elements.
Runs type_map(const layout::Layout& type, std::int64_t count);

// The bytes of `count` elements that belong to a value's memory but not to the value: the end of an 80-bit long double.
// A library may copy them or not.
Runs padding_bytes(const layout::Layout& type, std::int64_t count);

// At most so many bytes of memory does type_map() take on its way. Throws base::Error if that is beyond 64 bits.
std::int64_t type_map_cost_bytes(const layout::Layout& type, std::int64_t count);

// Where the first difference is, or nothing.
std::optional<std::string> difference(const Runs& expected, const Runs& found);

// The memory that `count` elements cover: [low, high) from the buffer's address.
struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
// Throws base::Error if it is beyond 64 bits.
Span span_of(const layout::Layout& type, std::int64_t count);

}  // namespace gapless::lab::exchange
