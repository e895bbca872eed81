#include "further_descriptions.hpp"

namespace gapless::bench {
namespace {

using lab::kIntBytes;
using lab::Layout;
using lab::LayoutKind;

// Tiles cut in the middle of the first and of the last one.
Description tiled_struct_indexed_all(const Layout& layout) {
  const int a = layout.unit.first_length, b = layout.unit.extent, units = layout.units;
  const int o = a - a / 2;
  std::vector<int> lengths{a / 2}, starts{0};
  for (int u = 1; u < units; ++u) {
    lengths.push_back(u + 1 < units ? a : o);
    starts.push_back(u * b - o);
  }
  const std::int64_t end = std::int64_t{units - 1} * b + o;
  return {"tiled_struct_indexed_all", 1,
          TypeSpec::structure(
              {o, 1, a / 2}, {0, o * kIntBytes, end * kIntBytes},
              {TypeSpec::int32(), TypeSpec::indexed(std::move(lengths), std::move(starts), TypeSpec::int32()),
               TypeSpec::int32()})};
}

// One element, groups of `s` tiles that begin one element late, and what is left of the last group.
Description tiled_struct_indexed_blocks(const Layout& layout, int s) {
  const int a = layout.unit.first_length, b = layout.unit.extent, groups = layout.units / s;
  std::vector<int> lengths{a - 1}, starts{0};
  for (int i = 1; i < s; ++i) {
    lengths.push_back(a);
    starts.push_back(i * b - 1);
  }
  lengths.push_back(1);
  starts.push_back(s * b - 1);
  const TypeSpec group =
      TypeSpec::resized(0, std::int64_t{s} * b * kIntBytes, TypeSpec::indexed(lengths, starts, TypeSpec::int32()));
  const TypeSpec tile = TypeSpec::resized(0, b * kIntBytes, TypeSpec::contiguous(a, TypeSpec::int32()));
  const std::int64_t last = std::int64_t{b} * s * (groups - 1);
  return {
      "tiled_struct_indexed_" + std::to_string(s), 1,
      TypeSpec::structure({1, groups - 1, a - 1, s - 1}, {0, kIntBytes, (last + 1) * kIntBytes, (last + b) * kIntBytes},
                          {TypeSpec::int32(), group, TypeSpec::int32(), tile})};
}

// Each unit after a lower bound that is not 0.
Description alternating_aligned(const Layout& layout) {
  const lab::Unit& unit = layout.unit;
  const int b2 = unit.extent - unit.second_start;
  const TypeSpec runs =
      TypeSpec::indexed({unit.first_length, unit.second_length}, {0, unit.second_start}, TypeSpec::int32());
  return {"alternating_aligned", layout.units, TypeSpec::resized(-b2 * kIntBytes, unit.extent * kIntBytes, runs)};
}

// Groups of `s` - 1 units whose inner seams are single blocks; alone, and as one contiguous type.
void add_indexed_fixed(const Layout& layout, int s, std::vector<Description>& into) {
  const lab::Unit& unit = layout.unit;
  if (layout.units % (s - 1) != 0) return;
  std::vector<int> lengths{unit.first_length}, starts{0};
  for (int i = 0; i < s - 2; ++i) {
    lengths.push_back(unit.elements());
    starts.push_back(unit.second_start + i * unit.extent);
  }
  lengths.push_back(unit.second_length);
  starts.push_back(unit.second_start + (s - 2) * unit.extent);
  const TypeSpec group = TypeSpec::indexed(std::move(lengths), std::move(starts), TypeSpec::int32());
  const int groups = layout.units / (s - 1);
  into.push_back({"alternating_indexed_fixed", groups, group});
  const TypeSpec all = TypeSpec::contiguous(groups, group);
  into.push_back({"contiguous_alternating_indexed_fixed", 1,
                  TypeSpec::resized(-unit.second_length * kIntBytes, all.extent_bytes(), all)});
}

}  // namespace

void add_further_descriptions(const Layout& layout, std::vector<Description>& into) {
  constexpr int kGroup = 5;
  switch (layout.unit.kind) {
    case LayoutKind::kTiled:
      if (layout.units > 1) into.push_back(tiled_struct_indexed_all(layout));
      if (layout.units % kGroup == 0 && layout.units > kGroup)
        into.push_back(tiled_struct_indexed_blocks(layout, kGroup));
      break;
    case LayoutKind::kAlternating:
      into.push_back(alternating_aligned(layout));
      break;
    case LayoutKind::kRepeated:
      add_indexed_fixed(layout, 3, into);
      break;
    default:
      break;
  }
}

}  // namespace gapless::bench
