// Blocks of constant length at a constant stride, from which the other loops are made.
#pragma once

#include <cstring>

#include "hand.hpp"

namespace gapless::bench {

template <class T>
T* elements(char* bytes) {
  return reinterpret_cast<T*>(bytes);
}

template <class T>
const T* elements(const char* bytes) {
  return reinterpret_cast<const T*>(bytes);
}

// `count` runs of Length elements, Stride elements apart.
template <class T, int Length, int Stride>
struct Blocks {
  static void pack_loop(const char* from, char* to, HandArguments arguments) {
    const T* __restrict user = elements<T>(from);
    T* __restrict packed = elements<T>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      for (int i = 0; i < Length; ++i) packed[k * Length + i] = user[k * Stride + i];
  }
  static void unpack_loop(const char* from, char* to, HandArguments arguments) {
    const T* __restrict packed = elements<T>(from);
    T* __restrict user = elements<T>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      for (int i = 0; i < Length; ++i) user[k * Stride + i] = packed[k * Length + i];
  }
  static void pack_memcpy(const char* from, char* to, HandArguments arguments) {
    const T* __restrict user = elements<T>(from);
    T* __restrict packed = elements<T>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      std::memcpy(packed + k * Length, user + k * Stride, Length * sizeof(T));
  }
  static void unpack_memcpy(const char* from, char* to, HandArguments arguments) {
    const T* __restrict packed = elements<T>(from);
    T* __restrict user = elements<T>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      std::memcpy(user + k * Stride, packed + k * Length, Length * sizeof(T));
  }
  static HandLoops loops() { return {{"loop", pack_loop, unpack_loop}, {"memcpy", pack_memcpy, unpack_memcpy}}; }
};

}  // namespace gapless::bench
