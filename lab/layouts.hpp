// The four basic layouts of Carpen-Amarie, Hunold and Traeff ("MPI Derived Datatypes: Performance Expectations and
// Status Quo", 2016) as plain arithmetic on int32 elements, and the descriptions of them that MPI allows.
#pragma once

#include "type_spec.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab {

enum class LayoutKind { kTiled, kBlock, kBucket, kAlternating };
inline constexpr std::array kLayoutKinds{LayoutKind::kTiled, LayoutKind::kBlock, LayoutKind::kBucket,
                                         LayoutKind::kAlternating};
const char* layout_name(LayoutKind kind);

// The repeated unit of a layout: one or two runs of elements, then the next unit `extent` elements further on.
//   tiled: A elements, extent B          block:       A at 0, A at B1, extent B1 + B2
//   bucket: A1 at 0, A2 at B, extent 2B  alternating: A1 at 0, A2 at B1, extent B1 + B2
struct Unit {
  LayoutKind kind;
  int first_length;
  int second_length;  // 0 for tiled, whose unit is a single run
  int second_start;
  int extent;
  int elements() const { return first_length + second_length; }
};

// Variant 1 has small gaps (memory of n + 2n/A elements), variant 2 large ones (3n).
Unit make_unit(LayoutKind kind, int variant, int a);

// `units` units one after the other.
struct Layout {
  Unit unit;
  int units;
  std::int64_t payload_elements() const { return std::int64_t{unit.elements()} * units; }
  std::int64_t extent_elements() const { return std::int64_t{unit.extent} * units; }
  // From the arithmetic above alone: what every description must equal, element by element.
  TypeMap type_map() const;
};

// One way to say a layout in MPI.
struct Description {
  std::string name;
  int count;
  TypeSpec type;
  std::vector<std::string> tests;  // expectation tests in which it takes part
};

// The small type of one unit, exactly as in the paper.
TypeSpec unit_type(const Unit& unit);

// All descriptions of a layout that are measured in a variant; those that cannot be built land in `skipped`.
std::vector<Description> describe(const Layout& layout, int variant, std::vector<std::string>& skipped);

// The block size S of vector_tiled: the largest S <= 10 that divides the number of units and repeats at least twice,
// so that the payload equals that of the other descriptions.
std::optional<int> vector_tiled_block(int units);

}  // namespace gapless::lab
