// The layouts of the paper (lab/layouts.hpp) as cases of any payload.
#include <limits>

#include "case.hpp"
#include "further_descriptions.hpp"

namespace gapless::bench {
namespace {

using lab::Layout;
using lab::LayoutKind;

// Beyond it a buffer says nothing that a smaller one does not.
constexpr std::int64_t kLargestExtentBytes = std::int64_t{1} << 30;

HandLoops hand_of(const Layout& layout) {
  const lab::Unit& unit = layout.unit;
  if (unit.kind == LayoutKind::kHeterogeneous) return hand_bytes(unit.first_length, unit.extent);
  if (unit.kind == LayoutKind::kRowColumn) return hand_row_column(unit.extent);
  return hand_units({unit.first_length, unit.second_length, unit.second_start, unit.extent});
}

Message make(LayoutKind kind, int variant, int a, std::int64_t payload_bytes) {
  const Layout layout = lab::make_layout(kind, variant, a, static_cast<int>(payload_bytes));
  if (layout.units <= 0 || layout.extent_bytes() > kLargestExtentBytes) return {};
  Message message;
  std::vector<std::string> skipped;
  for (lab::Description& found : lab::describe(layout, variant, skipped))
    message.descriptions.push_back({std::move(found.name), found.count, std::move(found.type)});
  add_further_descriptions(layout, message.descriptions);
  message.hand = hand_of(layout);
  message.hand_arguments.count = layout.units;
  return message;
}

void add(Cases& into, LayoutKind kind, int variant, int a, bool quick) {
  std::string name = lab::layout_name(kind);
  name += "/v" + std::to_string(variant) + "/A=" + std::to_string(a);
  into.push_back({name, "layout", true, quick, [=](std::int64_t bytes) { return make(kind, variant, a, bytes); }});
}

// 16 blocks of 4 bytes: the call itself is what is measured.
Message small_message(std::int64_t) {
  return {{{"vector", 1, TypeSpec::vector(16, 1, 2, TypeSpec::int32())}}, hand_units({1, 0, 0, 2}), {16}, {}};
}

// The layout "blocks": runs of A ints in every B, as many of them in a row as fit into l.
Message blocks(std::int64_t payload_bytes) {
  constexpr int kA = 10, kB = 12, kL = 100, kEach = kL / kA;
  const int count = static_cast<int>(payload_bytes / (kA * kEach * lab::kIntBytes));
  if (count == 0) return {};
  return {{{"basic", 1, TypeSpec::vector(count, kA * kEach, kB * kEach, TypeSpec::int32())}},
          hand_units({kA * kEach, 0, 0, kB * kEach}),
          {count},
          {}};
}

// Vectors, one after the other: the last block of each and the first one of the next are one run.
Message touching(int blocks, std::int64_t payload_bytes) {
  constexpr int kLength = 5, kStride = 26;
  constexpr std::int64_t kDoubleBytes = 8;
  const int count = static_cast<int>(payload_bytes / (blocks * kLength * kDoubleBytes));
  if (count == 0) return {};
  const TypeSpec row = TypeSpec::vector(blocks, 1, kStride, TypeSpec::contiguous(kLength, TypeSpec::float64()));
  return {{{"basic", count, row}, {"contiguous", 1, TypeSpec::contiguous(count, row)}},
          hand_touching_rows(blocks),
          {count},
          {}};
}

}  // namespace

void add_layouts(Cases& into) {
  for (LayoutKind kind : lab::kBasicLayouts)
    for (int variant : {1, 2})
      for (int a : {2, 10, 100, 1000, 1024, 10000}) {
        const bool quick = variant == 1 ? a == 2 || a == 100 : a == 10 || a == 1000;
        add(into, kind, variant, a, quick);
      }
  for (int a : {2, 10, 100, 1000, 1024, 10000}) add(into, LayoutKind::kRepeated, 1, a, a == 10);
  for (int a : {2, 6, 8, 10, 16, 100, 128, 200}) add(into, LayoutKind::kHeterogeneous, 1, a, a == 6);
  for (int a : {2, 10, 100, 128, 512, 1000, 1024, 5000, 10000})
    add(into, LayoutKind::kRowColumn, 1, a, a == 10 || a == 512);
  into.push_back({"blocks/A=10,B=12,l=100", "layout", true, false, blocks});
  for (int blocks : {12, 24})
    into.push_back({"touching/" + std::to_string(blocks), "layout", true, blocks == 24,
                    [=](std::int64_t bytes) { return touching(blocks, bytes); }});
  into.push_back({"small/16x4", "small", false, true, small_message});
}

}  // namespace gapless::bench
