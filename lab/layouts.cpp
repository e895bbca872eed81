#include "layouts.hpp"

namespace gapless::lab {

const char* layout_name(LayoutKind kind) {
  switch (kind) {
    case LayoutKind::kTiled:
      return "tiled";
    case LayoutKind::kBlock:
      return "block";
    case LayoutKind::kBucket:
      return "bucket";
    case LayoutKind::kAlternating:
      return "alternating";
  }
  return "?";
}

Unit make_unit(LayoutKind kind, int variant, int a) {
  const bool narrow = variant == 1;
  switch (kind) {
    case LayoutKind::kTiled:
      return {kind, a, 0, 0, narrow ? a + 2 : 3 * a};
    case LayoutKind::kBlock: {
      const int b1 = narrow ? a + 1 : 2 * a;
      const int b2 = narrow ? a + 3 : 4 * a;
      return {kind, a, a, b1, b1 + b2};
    }
    case LayoutKind::kBucket: {
      const int b = narrow ? a + 2 : 3 * a;
      return {kind, narrow ? a - 1 : a / 2, narrow ? a + 1 : 3 * a / 2, b, 2 * b};
    }
    case LayoutKind::kAlternating: {
      const int b1 = narrow ? a + 1 : 2 * a;
      const int b2 = narrow ? a + 3 : 4 * a;
      return {kind, narrow ? a - 1 : a / 2, narrow ? a + 1 : 3 * a / 2, b1, b1 + b2};
    }
  }
  return {};
}

TypeMap Layout::type_map() const {
  TypeMap map;
  map.reserve(static_cast<std::size_t>(payload_elements()));
  for (std::int64_t u = 0; u < units; ++u) {
    const std::int64_t origin = u * unit.extent;
    for (int i = 0; i < unit.first_length; ++i) map.push_back((origin + i) * kBaseBytes);
    for (int i = 0; i < unit.second_length; ++i) map.push_back((origin + unit.second_start + i) * kBaseBytes);
  }
  return map;
}

TypeSpec unit_type(const Unit& unit) {
  const std::int64_t extent_bytes = unit.extent * kBaseBytes;
  switch (unit.kind) {
    case LayoutKind::kTiled:
      return TypeSpec::resized(0, extent_bytes, TypeSpec::contiguous(unit.first_length, TypeSpec::int32()));
    case LayoutKind::kBlock:
      return TypeSpec::resized(0, extent_bytes,
                               TypeSpec::indexed_block(unit.first_length, {0, unit.second_start}, TypeSpec::int32()));
    case LayoutKind::kBucket:
    case LayoutKind::kAlternating:
      break;
  }
  return TypeSpec::resized(
      0, extent_bytes,
      TypeSpec::indexed({unit.first_length, unit.second_length}, {0, unit.second_start}, TypeSpec::int32()));
}

std::optional<int> vector_tiled_block(int units) {
  for (int block = 10; block > 1; --block)
    if (units % block == 0 && units / block >= 2) return block;
  return std::nullopt;
}

std::vector<Description> describe(const Layout& layout, int variant, std::vector<std::string>& skipped) {
  const Unit& unit = layout.unit;
  const TypeSpec small = unit_type(unit);
  const bool all_tiled = unit.kind == LayoutKind::kTiled && variant == 1;
  std::vector<Description> descriptions;

  // Every description is measured with MPI_Pack too, so each takes part in ET3; `basic` is also the reference of the
  // tests that compare it with another description.
  std::vector<std::string> basic_tests{"ET1", "ET3", "ET4"};
  if (all_tiled) basic_tests.insert(basic_tests.end(), {"ET6", "ET7"});
  descriptions.push_back({"basic", layout.units, small, basic_tests});
  descriptions.push_back({"contiguous_subtype", 1, TypeSpec::contiguous(layout.units, small), {"ET3", "ET4"}});
  if (!all_tiled) return descriptions;

  const int a = unit.first_length;
  const int b = unit.extent;
  descriptions.push_back({"tiled_vector",
                          1,
                          TypeSpec::resized(0, layout.extent_elements() * kBaseBytes,
                                            TypeSpec::vector(layout.units, a, b, TypeSpec::int32())),
                          {"ET3", "ET6"}});
  if (const std::optional<int> s = vector_tiled_block(layout.units)) {
    const TypeSpec tile_row = TypeSpec::vector(*s, a, b, TypeSpec::int32());
    descriptions.push_back({"vector_tiled",
                            1,
                            TypeSpec::hvector(layout.units / *s, 1, std::int64_t{*s} * b * kBaseBytes, tile_row),
                            {"ET3", "ET7"}});
  } else {
    skipped.push_back("vector_tiled: no S from 2 to 10 divides " + std::to_string(layout.units) +
                      " units into at least two equal parts");
  }
  return descriptions;
}

}  // namespace gapless::lab
