// Blocks that a list of indices names: floats, doubles, and points of three doubles.
#include "hand_blocks.hpp"

namespace gapless::bench {
namespace {

struct Point {
  double x, y, z;
};

template <class T>
void gather(const char* from, char* to, HandArguments arguments) {
  const T* __restrict user = elements<T>(from);
  T* __restrict packed = elements<T>(to);
  const std::int32_t* __restrict list = arguments.list;
  for (std::int64_t k = 0; k < arguments.count; ++k) packed[k] = user[list[k]];
}

template <class T>
void scatter(const char* from, char* to, HandArguments arguments) {
  const T* __restrict packed = elements<T>(from);
  T* __restrict user = elements<T>(to);
  const std::int32_t* __restrict list = arguments.list;
  for (std::int64_t k = 0; k < arguments.count; ++k) user[list[k]] = packed[k];
}

template <class T>
HandLoops list_of() {
  return {{"naive", gather<T>, scatter<T>}};
}

}  // namespace

HandLoops hand_list(int block_bytes) {
  switch (block_bytes) {
    case 4:
      return list_of<float>();
    case 8:
      return list_of<double>();
    case 24:
      return list_of<Point>();
    default:
      return {};
  }
}

}  // namespace gapless::bench
