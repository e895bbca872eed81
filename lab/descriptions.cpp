// The descriptions of each layout. "basic" is what the others are measured against: the small type of one unit, and
// for row and column, which has no unit, the struct that says it in the fewest words.
#include "layouts.hpp"

namespace gapless::lab {
namespace {

using Names = std::vector<std::string>;

TypeSpec ints(int count) {
  return TypeSpec::contiguous(count, TypeSpec::int32());
}

TypeSpec heterogeneous_unit(const Unit& unit) {
  const int a = unit.first_length / 15;
  return TypeSpec::resized(
      0, unit.extent,
      TypeSpec::structure({a, a, a, a}, {0, a, std::int64_t{5} * a, std::int64_t{13} * a},
                          {TypeSpec::character(), TypeSpec::int32(), TypeSpec::float64(), TypeSpec::int16()}));
}

// The largest block of up to 10 units that divides them and repeats at least twice.
std::optional<int> vector_tiled_block(int units) {
  for (int block = 10; block > 1; --block)
    if (units % block == 0 && units / block >= 2) return block;
  return std::nullopt;
}

TypeSpec tiled_struct(const TypeSpec& tile, int s1, int s2) {
  const std::int64_t extent_bytes = tile.extent_bytes();
  return TypeSpec::resized(0, (s1 + s2) * extent_bytes,
                           TypeSpec::structure({1, 1}, {0, s1 * extent_bytes},
                                               {TypeSpec::contiguous(s1, tile), TypeSpec::contiguous(s2, tile)}));
}

void describe_tiles(const Layout& layout, std::vector<Description>& into, Names& skipped) {
  const int a = layout.unit.first_length;
  const int b = layout.unit.extent;
  for (const auto& [s1, s2] : {std::pair{1, 1}, std::pair{2, 3}}) {
    const std::string name = "tiled_struct_" + std::to_string(s1) + std::to_string(s2);
    if (layout.units % (s1 + s2) == 0)
      into.push_back({name, layout.units / (s1 + s2), tiled_struct(unit_type(layout.unit), s1, s2), {"ET3", "ET5"}});
    else
      skipped.push_back(name + ": " + std::to_string(layout.units) + " units are no multiple of " +
                        std::to_string(s1 + s2));
  }
  into.push_back({"tiled_vector",
                  1,
                  TypeSpec::resized(0, layout.extent_bytes(), TypeSpec::vector(layout.units, a, b, TypeSpec::int32())),
                  {"ET3", "ET6"}});
  if (const std::optional<int> s = vector_tiled_block(layout.units)) {
    const TypeSpec tile_row = TypeSpec::vector(*s, a, b, TypeSpec::int32());
    into.push_back({"vector_tiled",
                    1,
                    TypeSpec::hvector(layout.units / *s, 1, std::int64_t{*s} * b * kIntBytes, tile_row),
                    {"ET3", "ET7"}});
  } else {
    skipped.push_back("vector_tiled: no S from 2 to 10 divides " + std::to_string(layout.units) +
                      " units into at least two equal parts");
  }
}

// The starts, in elements, of both runs of every unit.
std::vector<int> all_starts(const Layout& layout) {
  std::vector<int> starts;
  for (int u = 0; u < layout.units; ++u) {
    starts.push_back(u * layout.unit.extent);
    starts.push_back(u * layout.unit.extent + layout.unit.second_start);
  }
  return starts;
}

Description block_indexed(const Layout& layout) {
  return {"block_indexed",
          1,
          TypeSpec::indexed_block(layout.unit.first_length, all_starts(layout), TypeSpec::int32()),
          {"ET3", "ET8"}};
}

Description alternating_indexed(const Layout& layout) {
  std::vector<int> lengths;
  for (int u = 0; u < layout.units; ++u)
    lengths.insert(lengths.end(), {layout.unit.first_length, layout.unit.second_length});
  return {"alternating_indexed",
          1,
          TypeSpec::indexed(std::move(lengths), all_starts(layout), TypeSpec::int32()),
          {"ET3", "ET9"}};
}

// The first run, one vector of all seams, the last run.
Description alternating_struct(const Layout& layout) {
  const Unit& unit = layout.unit;
  const std::int64_t last = std::int64_t{layout.units - 1} * unit.extent + unit.second_start;
  const TypeSpec seams = TypeSpec::vector(layout.units - 1, unit.elements(), unit.extent, TypeSpec::int32());
  return {"alternating_struct",
          1,
          TypeSpec::structure({unit.first_length, 1, unit.second_length},
                              {0, unit.second_start * kIntBytes, last * kIntBytes},
                              {TypeSpec::int32(), seams, TypeSpec::int32()}),
          {"ET3", "ET10"}};
}

std::vector<Description> describe_row_column(const Layout& layout) {
  const int a = layout.head;
  std::vector<int> starts, lengths{a}, block_starts{0};
  for (int i = 0; i < a; ++i) starts.push_back(i);
  for (int u = 0; u < layout.units; ++u) {
    starts.push_back(a + u * a);
    lengths.push_back(1);
    block_starts.push_back(a + u * a);
  }
  const TypeSpec column = TypeSpec::vector(layout.units, 1, a, TypeSpec::int32());
  return {{"basic", 1, TypeSpec::structure({a, 1}, {0, a * kIntBytes}, {TypeSpec::int32(), column}), {"ET3", "ET11"}},
          {"row_column_indexed",
           1,
           TypeSpec::indexed(std::move(lengths), std::move(block_starts), TypeSpec::int32()),
           {"ET3", "ET11"}},
          {"row_column_fully_indexed",
           1,
           TypeSpec::indexed_block(1, std::move(starts), TypeSpec::int32()),
           {"ET3", "ET11"}}};
}

}  // namespace

TypeSpec unit_type(const Unit& unit) {
  const std::int64_t extent_bytes = unit.extent * kIntBytes;
  switch (unit.kind) {
    case LayoutKind::kHeterogeneous:
      return heterogeneous_unit(unit);
    case LayoutKind::kTiled:
    case LayoutKind::kRowColumn:
      return TypeSpec::resized(0, extent_bytes, ints(unit.first_length));
    case LayoutKind::kBlock:
      return TypeSpec::resized(0, extent_bytes,
                               TypeSpec::indexed_block(unit.first_length, {0, unit.second_start}, TypeSpec::int32()));
    case LayoutKind::kBucket:
    case LayoutKind::kAlternating:
    case LayoutKind::kRepeated:
      break;
  }
  const TypeSpec runs =
      TypeSpec::indexed({unit.first_length, unit.second_length}, {0, unit.second_start}, TypeSpec::int32());
  // The natural extent of the repeated layout is the one wanted, and the paper leaves it.
  return unit.kind == LayoutKind::kRepeated ? runs : TypeSpec::resized(0, extent_bytes, runs);
}

std::vector<Description> describe(const Layout& layout, int variant, Names& skipped) {
  const LayoutKind kind = layout.unit.kind;
  if (kind == LayoutKind::kRowColumn) return describe_row_column(layout);
  const TypeSpec small = unit_type(layout.unit);
  if (kind == LayoutKind::kHeterogeneous) return {{"basic", layout.units, small, {"ET2", "ET3"}}};

  // Every description is measured with MPI_Pack too, so each takes part in ET3; `basic` is also the reference of the
  // tests that compare it with another description.
  std::vector<Description> descriptions{
      {"basic", layout.units, small, {"ET1", "ET3", "ET4"}},
      {"contiguous_subtype", 1, TypeSpec::contiguous(layout.units, small), {"ET3", "ET4"}}};
  Names& basic_tests = descriptions.front().tests;
  if (kind == LayoutKind::kRepeated) {
    basic_tests = {"ET3", "ET4", "ET10"};
    if (layout.units > 1) descriptions.push_back(alternating_struct(layout));
  }
  if (variant != 1) return descriptions;
  if (kind == LayoutKind::kTiled) {
    basic_tests.insert(basic_tests.end(), {"ET5", "ET6", "ET7"});
    describe_tiles(layout, descriptions, skipped);
  } else if (kind == LayoutKind::kBlock) {
    basic_tests.push_back("ET8");
    descriptions.push_back(block_indexed(layout));
  } else if (kind == LayoutKind::kAlternating) {
    basic_tests.push_back("ET9");
    descriptions.push_back(alternating_indexed(layout));
  }
  return descriptions;
}

}  // namespace gapless::lab
