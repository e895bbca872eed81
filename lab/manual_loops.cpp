#include "manual_loops.hpp"

namespace gapless::lab {
namespace {

void pack_tiles(int units, int a, int b, const int* user, int* packed) {
  for (int u = 0; u < units; ++u) {
    for (int i = 0; i < a; ++i) packed[i] = user[i];
    packed += a;
    user += b;
  }
}

void unpack_tiles(int units, int a, int b, const int* packed, int* user) {
  for (int u = 0; u < units; ++u) {
    for (int i = 0; i < a; ++i) user[i] = packed[i];
    packed += a;
    user += b;
  }
}

void pack_pairs(const Layout& layout, const int* user, int* packed) {
  const int a1 = layout.unit.first_length;
  const int a2 = layout.unit.second_length;
  const int start = layout.unit.second_start;
  for (int u = 0; u < layout.units; ++u) {
    for (int i = 0; i < a1; ++i) packed[i] = user[i];
    for (int i = 0; i < a2; ++i) packed[a1 + i] = user[start + i];
    packed += a1 + a2;
    user += layout.unit.extent;
  }
}

void unpack_pairs(const Layout& layout, const int* packed, int* user) {
  const int a1 = layout.unit.first_length;
  const int a2 = layout.unit.second_length;
  const int start = layout.unit.second_start;
  for (int u = 0; u < layout.units; ++u) {
    for (int i = 0; i < a1; ++i) user[i] = packed[i];
    for (int i = 0; i < a2; ++i) user[start + i] = packed[a1 + i];
    packed += a1 + a2;
    user += layout.unit.extent;
  }
}

}  // namespace

void manual_pack(const Layout& layout, const int* user, int* packed) {
  if (layout.unit.kind == LayoutKind::kTiled)
    pack_tiles(layout.units, layout.unit.first_length, layout.unit.extent, user, packed);
  else
    pack_pairs(layout, user, packed);
}

void manual_unpack(const Layout& layout, const int* packed, int* user) {
  if (layout.unit.kind == LayoutKind::kTiled)
    unpack_tiles(layout.units, layout.unit.first_length, layout.unit.extent, packed, user);
  else
    unpack_pairs(layout, packed, user);
}

}  // namespace gapless::lab
