// The layouts of the paper by hand, one instance for each block length A and variant that is measured.
#include <utility>

#include "hand_blocks.hpp"

namespace gapless::bench {
namespace {

// Two runs in every unit.
template <int First, int Second, int Start, int Extent>
struct Pairs {
  static constexpr int kBoth = First + Second;
  static void pack_loop(const char* from, char* to, HandArguments arguments) {
    const int* __restrict user = elements<int>(from);
    int* __restrict packed = elements<int>(to);
    for (std::int64_t u = 0; u < arguments.count; ++u) {
      for (int i = 0; i < First; ++i) packed[u * kBoth + i] = user[u * Extent + i];
      for (int i = 0; i < Second; ++i) packed[u * kBoth + First + i] = user[u * Extent + Start + i];
    }
  }
  static void unpack_loop(const char* from, char* to, HandArguments arguments) {
    const int* __restrict packed = elements<int>(from);
    int* __restrict user = elements<int>(to);
    for (std::int64_t u = 0; u < arguments.count; ++u) {
      for (int i = 0; i < First; ++i) user[u * Extent + i] = packed[u * kBoth + i];
      for (int i = 0; i < Second; ++i) user[u * Extent + Start + i] = packed[u * kBoth + First + i];
    }
  }
  static void pack_memcpy(const char* from, char* to, HandArguments arguments) {
    const int* __restrict user = elements<int>(from);
    int* __restrict packed = elements<int>(to);
    for (std::int64_t u = 0; u < arguments.count; ++u) {
      std::memcpy(packed + u * kBoth, user + u * Extent, First * sizeof(int));
      std::memcpy(packed + u * kBoth + First, user + u * Extent + Start, Second * sizeof(int));
    }
  }
  static void unpack_memcpy(const char* from, char* to, HandArguments arguments) {
    const int* __restrict packed = elements<int>(from);
    int* __restrict user = elements<int>(to);
    for (std::int64_t u = 0; u < arguments.count; ++u) {
      std::memcpy(user + u * Extent, packed + u * kBoth, First * sizeof(int));
      std::memcpy(user + u * Extent + Start, packed + u * kBoth + First, Second * sizeof(int));
    }
  }
  static HandLoops loops() { return {{"loop", pack_loop, unpack_loop}, {"memcpy", pack_memcpy, unpack_memcpy}}; }
};

// The same where the second run meets the first one of the next unit: its first run, all seams as single blocks, its
// last run. Who sees that writes it so.
template <int First, int Second, int Start, int Extent, class Seams>
struct Fused {
  template <HandPack kSeams>
  static void pack(const char* from, char* to, HandArguments arguments) {
    std::memcpy(to, from, First * sizeof(int));
    kSeams(from + Start * sizeof(int), to + First * sizeof(int), {.count = arguments.count - 1});
    const std::int64_t last = arguments.count - 1;
    std::memcpy(to + (last * (First + Second) + First) * sizeof(int), from + (last * Extent + Start) * sizeof(int),
                Second * sizeof(int));
  }
  template <HandUnpack kSeams>
  static void unpack(const char* from, char* to, HandArguments arguments) {
    std::memcpy(to, from, First * sizeof(int));
    kSeams(from + First * sizeof(int), to + Start * sizeof(int), {.count = arguments.count - 1});
    const std::int64_t last = arguments.count - 1;
    std::memcpy(to + (last * Extent + Start) * sizeof(int), from + (last * (First + Second) + First) * sizeof(int),
                Second * sizeof(int));
  }
  static HandLoops loops() {
    return {{"fused loop", pack<Seams::pack_loop>, unpack<Seams::unpack_loop>},
            {"fused memcpy", pack<Seams::pack_memcpy>, unpack<Seams::unpack_memcpy>}};
  }
};

// A row of A ints, then one int in every row below it: one loop for each part.
template <int A>
struct RowColumn {
  static void pack(const char* from, char* to, HandArguments arguments) {
    const int* __restrict user = elements<int>(from);
    int* __restrict packed = elements<int>(to);
    std::memcpy(packed, user, A * sizeof(int));
    for (std::int64_t u = 0; u < arguments.count; ++u) packed[A + u] = user[A + u * A];
  }
  static void unpack(const char* from, char* to, HandArguments arguments) {
    const int* __restrict packed = elements<int>(from);
    int* __restrict user = elements<int>(to);
    std::memcpy(user, packed, A * sizeof(int));
    for (std::int64_t u = 0; u < arguments.count; ++u) user[A + u * A] = packed[A + u];
  }
};

struct Written {
  HandUnit unit;
  HandLoops loops;
};

template <int Length, int Extent>
Written tiles() {
  return {{Length, 0, 0, Extent}, Blocks<int, Length, Extent>::loops()};
}

template <int First, int Second, int Start, int Extent>
Written pairs() {
  HandLoops loops = Pairs<First, Second, Start, Extent>::loops();
  if constexpr (Start + Second == Extent)
    for (const HandLoop& fused : Fused<First, Second, Start, Extent, Blocks<int, First + Second, Extent>>::loops())
      loops.push_back(fused);
  return {{First, Second, Start, Extent}, std::move(loops)};
}

// Tiled, block, bucket and alternating in both variants, and alternating-repeated.
template <int A>
void add_layouts(std::vector<Written>& into) {
  into.insert(into.end(), {tiles<A, A + 2>(), tiles<A, 3 * A>(),                          //
                           pairs<A, A, A + 1, 2 * A + 4>(), pairs<A, A, 2 * A, 6 * A>(),  //
                           pairs<A - 1, A + 1, A + 2, 2 * A + 4>(),                       //
                           pairs<A / 2, 3 * A / 2, 3 * A, 6 * A>(),                       //
                           pairs<A - 1, A + 1, A + 1, 2 * A + 4>(),                       //
                           pairs<A / 2, 3 * A / 2, 2 * A, 6 * A>(), pairs<A - 1, A + 1, A + 1, 2 * A + 2>()});
}

template <int... A>
std::vector<Written> all_layouts(std::integer_sequence<int, A...>) {
  std::vector<Written> all;
  (add_layouts<A>(all), ...);
  // "blocks" of guidelines.md, and the 16 blocks of the smallest message.
  all.insert(all.end(), {tiles<100, 120>(), tiles<1, 2>()});
  return all;
}

// Rows of Blocks blocks of Length doubles; the last block of each touches the first one of the next.
template <int Blocks, int Length, int Stride>
struct TouchingRows {
  static constexpr int kRow = Blocks * Length, kExtent = (Blocks - 1) * Stride + Length;
  static void pack(const char* from, char* to, HandArguments arguments) {
    const double* __restrict user = elements<double>(from);
    double* __restrict packed = elements<double>(to);
    for (std::int64_t row = 0; row < arguments.count; ++row)
      for (int k = 0; k < Blocks; ++k)
        for (int i = 0; i < Length; ++i) packed[row * kRow + k * Length + i] = user[row * kExtent + k * Stride + i];
  }
  static void unpack(const char* from, char* to, HandArguments arguments) {
    const double* __restrict packed = elements<double>(from);
    double* __restrict user = elements<double>(to);
    for (std::int64_t row = 0; row < arguments.count; ++row)
      for (int k = 0; k < Blocks; ++k)
        for (int i = 0; i < Length; ++i) user[row * kExtent + k * Stride + i] = packed[row * kRow + k * Length + i];
  }
};

template <int... A>
HandLoops row_column_of(int row_length, std::integer_sequence<int, A...>) {
  HandLoops loops;
  ((row_length == A ? (void)(loops = {{"loop", RowColumn<A>::pack, RowColumn<A>::unpack}}) : void()), ...);
  return loops;
}

// A chars, A ints, A doubles, A shorts: one run, padded to a multiple of 8.
template <int... A>
HandLoops heterogeneous_of(int length, int extent, std::integer_sequence<int, A...>) {
  HandLoops loops;
  ((length == 15 * A && extent == (15 * A + 7) / 8 * 8
        ? (void)(loops = Blocks<char, 15 * A, (15 * A + 7) / 8 * 8>::loops())
        : void()),
   ...);
  return loops;
}

}  // namespace

HandLoops hand_units(const HandUnit& unit) {
  static const std::vector<Written> written = all_layouts(std::integer_sequence<int, 2, 10, 100, 1000, 1024, 10000>{});
  for (const Written& known : written)
    if (known.unit == unit) return known.loops;
  return {};
}

HandLoops hand_bytes(int length_bytes, int extent_bytes) {
  return heterogeneous_of(length_bytes, extent_bytes, std::integer_sequence<int, 2, 6, 8, 10, 16, 100, 128, 200>{});
}

HandLoops hand_touching_rows(int blocks) {
  if (blocks == 12) return {{"loop", TouchingRows<12, 5, 130>::pack, TouchingRows<12, 5, 130>::unpack}};
  if (blocks == 24) return {{"loop", TouchingRows<24, 5, 130>::pack, TouchingRows<24, 5, 130>::unpack}};
  return {};
}

HandLoops hand_row_column(int row_length) {
  return row_column_of(row_length, std::integer_sequence<int, 2, 10, 100, 128, 512, 1000, 1024, 5000, 10000>{});
}

}  // namespace gapless::bench
