#include "manual_loops.hpp"

#include <cstring>

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

void manual_pack(const Layout& layout, const char* user_bytes, char* packed_bytes) {
  const Unit& unit = layout.unit;
  if (unit.kind == LayoutKind::kHeterogeneous) {
    for (int u = 0; u < layout.units; ++u)
      std::memcpy(packed_bytes + std::int64_t{u} * unit.first_length, user_bytes + std::int64_t{u} * unit.extent,
                  static_cast<std::size_t>(unit.first_length));
    return;
  }
  const int* user = reinterpret_cast<const int*>(user_bytes);
  int* packed = reinterpret_cast<int*>(packed_bytes);
  for (int i = 0; i < layout.head; ++i) packed[i] = user[i];
  if (unit.second_length == 0)
    pack_tiles(layout.units, unit.first_length, unit.extent, user + layout.head, packed + layout.head);
  else
    pack_pairs(layout, user, packed);
}

void manual_unpack(const Layout& layout, const char* packed_bytes, char* user_bytes) {
  const Unit& unit = layout.unit;
  if (unit.kind == LayoutKind::kHeterogeneous) {
    for (int u = 0; u < layout.units; ++u)
      std::memcpy(user_bytes + std::int64_t{u} * unit.extent, packed_bytes + std::int64_t{u} * unit.first_length,
                  static_cast<std::size_t>(unit.first_length));
    return;
  }
  const int* packed = reinterpret_cast<const int*>(packed_bytes);
  int* user = reinterpret_cast<int*>(user_bytes);
  for (int i = 0; i < layout.head; ++i) user[i] = packed[i];
  if (unit.second_length == 0)
    unpack_tiles(layout.units, unit.first_length, unit.extent, packed + layout.head, user + layout.head);
  else
    unpack_pairs(layout, packed, user);
}

}  // namespace gapless::lab
