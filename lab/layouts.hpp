// The layouts of Carpen-Amarie, Hunold and Traeff ("MPI Derived Datatypes: Performance Expectations and Status Quo",
// 2016) as plain arithmetic on elements, and the descriptions of them that MPI allows.
#pragma once

#include "type_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab {

enum class LayoutKind { kTiled, kBlock, kBucket, kAlternating, kRepeated, kHeterogeneous, kRowColumn };
// Those of which all others are made; the demo shows them.
inline constexpr std::array kBasicLayouts{LayoutKind::kTiled, LayoutKind::kBlock, LayoutKind::kBucket,
                                          LayoutKind::kAlternating};
// And those of Expectation Tests 10, 2 and 11.
inline constexpr std::array kFurtherLayouts{LayoutKind::kRepeated, LayoutKind::kHeterogeneous, LayoutKind::kRowColumn};
const char* layout_name(LayoutKind kind);

// The repeated unit of a layout: one or two runs of elements, then the next unit `extent` elements further on.
//   tiled: A elements, extent B             block:       A at 0, A at B1, extent B1 + B2
//   bucket: A1 at 0, A2 at B, extent 2B     alternating: A1 at 0, A2 at B1, extent B1 + B2
//   repeated: A1 at 0, A2 at B, extent B + A2: the second run meets the first one of the next unit
//   heterogeneous: 15A bytes (A char, A int, A double, A short), extent rounded up to 8
//   row_column: after a row of A elements, one element in every A
struct Unit {
  LayoutKind kind;
  int first_length;
  int second_length;  // 0 where the unit is a single run
  int second_start;
  int extent;
  int elements() const { return first_length + second_length; }
};

// Variant 1 has small gaps (memory of n + 2n/A elements), variant 2 large ones (3n); the further layouts have no other.
Unit make_unit(LayoutKind kind, int variant, int a);

// A run of `head` elements, then `units` units one after the other.
struct Layout {
  Unit unit;
  int units;
  int head = 0;
  std::int64_t element_bytes = kIntBytes;
  std::int64_t payload_elements() const { return head + std::int64_t{unit.elements()} * units; }
  std::int64_t payload_bytes() const { return payload_elements() * element_bytes; }
  std::int64_t extent_elements() const { return head + std::int64_t{unit.extent} * units; }
  std::int64_t extent_bytes() const { return extent_elements() * element_bytes; }
  // From the arithmetic above alone: what every description must equal, element by element.
  TypeMap type_map() const;
};

// The largest layout of this kind in so many bytes: whole units only, 0 of them if not one fits.
Layout make_layout(LayoutKind kind, int variant, int a, int bytes);

// One way to say a layout in MPI.
struct Description {
  std::string name;
  int count;
  TypeSpec type;
  std::vector<std::string> tests;  // expectation tests in which it takes part
};

// The small type of one unit, exactly as in the paper.
TypeSpec unit_type(const Unit& unit);

// All descriptions of a layout that are measured in a variant, the reference of the others first ("basic"); those that
// cannot be built land in `skipped`.
std::vector<Description> describe(const Layout& layout, int variant, std::vector<std::string>& skipped);

}  // namespace gapless::lab
