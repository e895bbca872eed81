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
    case LayoutKind::kRepeated:
      return "repeated";
    case LayoutKind::kHeterogeneous:
      return "heterogeneous";
    case LayoutKind::kRowColumn:
      return "row_column";
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
    case LayoutKind::kRepeated:
      return {kind, a - 1, a + 1, a + 1, 2 * a + 2};
    case LayoutKind::kHeterogeneous:
      return {kind, 15 * a, 0, 0, (15 * a + 7) / 8 * 8};
    case LayoutKind::kRowColumn:
      return {kind, 1, 0, 0, a};
  }
  return {};
}

Layout make_layout(LayoutKind kind, int variant, int a, int bytes) {
  Layout layout{make_unit(kind, variant, a), 0, 0, kIntBytes};
  if (kind == LayoutKind::kHeterogeneous) layout.element_bytes = 1;
  if (kind == LayoutKind::kRowColumn) layout.head = a;
  const std::int64_t elements = bytes / layout.element_bytes - layout.head;
  layout.units = elements <= 0 ? 0 : static_cast<int>(elements / layout.unit.elements());
  // The tiled layout has descriptions by 2, 5 and up to 10 units; all must carry the same payload.
  if (kind == LayoutKind::kTiled && layout.units > 20) layout.units -= layout.units % 10;
  return layout;
}

TypeMap Layout::type_map() const {
  TypeMap map;
  map.reserve(static_cast<std::size_t>(payload_elements()));
  for (int i = 0; i < head; ++i) map.push_back(i * element_bytes);
  for (std::int64_t u = 0; u < units; ++u) {
    const std::int64_t origin = head + u * unit.extent;
    for (int i = 0; i < unit.first_length; ++i) map.push_back((origin + i) * element_bytes);
    for (int i = 0; i < unit.second_length; ++i) map.push_back((origin + unit.second_start + i) * element_bytes);
  }
  return map;
}

}  // namespace gapless::lab
