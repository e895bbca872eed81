// Columns of square matrices of doubles, and whole matrices transposed.
#include <utility>

#include "hand_blocks.hpp"

namespace gapless::bench {
namespace {

// The naive double loop, in the order in which the message is packed.
template <int N>
struct Transpose {
  static void pack(const char* from, char* to, HandArguments) {
    const double* __restrict user = elements<double>(from);
    double* __restrict packed = elements<double>(to);
    for (std::int64_t i = 0; i < N; ++i)
      for (std::int64_t j = 0; j < N; ++j) packed[i * N + j] = user[j * N + i];
  }
  static void unpack(const char* from, char* to, HandArguments) {
    const double* __restrict packed = elements<double>(from);
    double* __restrict user = elements<double>(to);
    for (std::int64_t i = 0; i < N; ++i)
      for (std::int64_t j = 0; j < N; ++j) user[j * N + i] = packed[i * N + j];
  }
};

template <int... N>
HandLoops transpose_of(int n, std::integer_sequence<int, N...>) {
  HandLoops loops;
  ((n == N ? (void)(loops = {{"naive", Transpose<N>::pack, Transpose<N>::unpack}}) : void()), ...);
  return loops;
}

template <int... N>
HandLoops column_of(int n, std::integer_sequence<int, N...>) {
  HandLoops loops;
  ((n == N ? (void)(loops = {Blocks<double, 1, N>::loops().front()}) : void()), ...);
  return loops;
}

}  // namespace

HandLoops hand_column(int row_doubles) {
  return column_of(row_doubles, std::integer_sequence<int, 512, 1000, 1024, 2048, 2050, 3000, 4096, 8192>{});
}

HandLoops hand_transpose(int n) {
  return transpose_of(n, std::integer_sequence<int, 1000, 1024, 2048, 3000, 4096, 8192>{});
}

}  // namespace gapless::bench
