// The micro-applications of DDTBench by hand, in the order of the datatypes' packed bytes.
#include <utility>

#include "hand_blocks.hpp"

namespace gapless::bench {
namespace {

using BlockPack = void (*)(const char*, char*, HandArguments);

// Four arrays A2(D1, D3), three A3(D1, 65, D3), two A4(D1, 65, D3, 2), one after the other, the first index fastest. Of
// each a box of SI by all of 65 by `count` that begins at (I0, 0, J0), of A4 in its second half. All of the second
// dimension is taken, so the rows of a box are one strided loop.
template <int SI, int D1, int D3, int I0, int J0>
struct Wrf {
  static constexpr std::int64_t kD2 = 65, kPlane = D1 * D3, kCube = D1 * kD2 * D3;
  using Rows = Blocks<float, SI, D1>;

  // move(first element, rows) for each of the nine arrays.
  template <class Move>
  static void each_array(std::int64_t sj, Move move) {
    for (int m = 0; m < 4; ++m) move(m * kPlane + J0 * D1 + I0, sj);
    constexpr std::int64_t kCorner = J0 * kD2 * D1 + I0;
    for (int m = 0; m < 3; ++m) move(4 * kPlane + m * kCube + kCorner, sj * kD2);
    for (int m = 0; m < 2; ++m) move(4 * kPlane + (2 * m + 4) * kCube + kCorner, sj * kD2);
  }
  template <BlockPack kRows>
  static void pack(const char* user, char* packed, HandArguments arguments) {
    each_array(arguments.count, [&](std::int64_t first, std::int64_t rows) {
      kRows(user + first * 4, packed, {.count = rows});
      packed += rows * SI * 4;
    });
  }
  template <BlockPack kRows>
  static void unpack(const char* packed, char* user, HandArguments arguments) {
    each_array(arguments.count, [&](std::int64_t first, std::int64_t rows) {
      kRows(packed, user + first * 4, {.count = rows});
      packed += rows * SI * 4;
    });
  }
  static HandLoops loops() {
    return {{"loop", pack<Rows::pack_loop>, unpack<Rows::unpack_loop>},
            {"memcpy", pack<Rows::pack_memcpy>, unpack<Rows::unpack_memcpy>}};
  }
};

// One double of each row of D1, of D2 - 2 rows in each plane.
template <int D1, int D2>
struct MgX {
  static void pack(const char* from, char* to, HandArguments arguments) {
    const double* __restrict user = elements<double>(from);
    double* __restrict packed = elements<double>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      for (std::int64_t l = 0; l < D2 - 2; ++l) packed[k * (D2 - 2) + l] = user[k * D1 * D2 + l * D1];
  }
  static void unpack(const char* from, char* to, HandArguments arguments) {
    const double* __restrict packed = elements<double>(from);
    double* __restrict user = elements<double>(to);
    for (std::int64_t k = 0; k < arguments.count; ++k)
      for (std::int64_t l = 0; l < D2 - 2; ++l) user[k * D1 * D2 + l * D1] = packed[k * (D2 - 2) + l];
  }
};

struct Complex {
  double re, im;
};

// N columns of complex numbers; block b of the `count` blocks is the N x N from column b * N on of N rows.
template <int N, int Columns>
struct Fft {
  using Rows = Blocks<Complex, N, Columns>;
  template <BlockPack kRows>
  static void pack_rows(const char* user, char* packed, HandArguments arguments) {
    for (std::int64_t b = 0; b < arguments.count; ++b) kRows(user + b * N * 16, packed + b * N * N * 16, {.count = N});
  }
  template <BlockPack kRows>
  static void unpack_rows(const char* packed, char* user, HandArguments arguments) {
    for (std::int64_t b = 0; b < arguments.count; ++b) kRows(packed + b * N * N * 16, user + b * N * 16, {.count = N});
  }
  // Line l of the blocks becomes column l of the matrix.
  static void pack_columns(const char* from, char* to, HandArguments arguments) {
    const Complex* __restrict user = elements<Complex>(from);
    Complex* __restrict packed = elements<Complex>(to);
    for (std::int64_t l = 0; l < arguments.count * N; ++l)
      for (std::int64_t k = 0; k < N; ++k) packed[l * N + k] = user[k * Columns + l];
  }
  static void unpack_columns(const char* from, char* to, HandArguments arguments) {
    const Complex* __restrict packed = elements<Complex>(from);
    Complex* __restrict user = elements<Complex>(to);
    for (std::int64_t l = 0; l < arguments.count * N; ++l)
      for (std::int64_t k = 0; k < N; ++k) user[k * Columns + l] = packed[l * N + k];
  }
};

template <class T>
struct Triple {
  T x, y, z;
};

// Entries of a list from one array.
template <class T>
void gather(const char* from, char*& to, const std::int32_t* __restrict list, std::int64_t count) {
  const T* __restrict user = elements<T>(from);
  T* __restrict packed = elements<T>(to);
  for (std::int64_t k = 0; k < count; ++k) packed[k] = user[list[k]];
  to += count * static_cast<std::int64_t>(sizeof(T));
}

template <class T>
void scatter(const char*& from, char* to, const std::int32_t* __restrict list, std::int64_t count) {
  const T* __restrict packed = elements<T>(from);
  T* __restrict user = elements<T>(to);
  for (std::int64_t k = 0; k < count; ++k) user[list[k]] = packed[k];
  from += count * static_cast<std::int64_t>(sizeof(T));
}

// The points of the first array, then those of the second one behind it.
using FloatPoint = Triple<float>;

void pack_cm(const char* user, char* packed, HandArguments arguments) {
  const char* second = user + arguments.length * 4;
  gather<FloatPoint>(user, packed, arguments.list, arguments.count);
  gather<FloatPoint>(second, packed, arguments.list + arguments.count, arguments.second_count);
}

void unpack_cm(const char* packed, char* user, HandArguments arguments) {
  char* second = user + arguments.length * 4;
  scatter<FloatPoint>(packed, user, arguments.list, arguments.count);
  scatter<FloatPoint>(packed, second, arguments.list + arguments.count, arguments.second_count);
}

// `length` points of three doubles, then arrays of as many doubles, one for each of the other properties.
template <int Properties>
struct Lammps {
  static void pack(const char* user, char* packed, HandArguments arguments) {
    gather<Triple<double>>(user, packed, arguments.list, arguments.count);
    for (int p = 0; p < Properties; ++p)
      gather<double>(user + (3 + p) * arguments.length * 8, packed, arguments.list, arguments.count);
  }
  static void unpack(const char* packed, char* user, HandArguments arguments) {
    scatter<Triple<double>>(packed, user, arguments.list, arguments.count);
    for (int p = 0; p < Properties; ++p)
      scatter<double>(packed, user + (3 + p) * arguments.length * 8, arguments.list, arguments.count);
  }
};

// Every loop that is written, under the constants that it is written for.
struct Written {
  std::vector<int> constants;
  HandLoops loops;
};

HandLoops find(const std::vector<Written>& all, const std::vector<int>& constants) {
  for (const Written& written : all)
    if (written.constants == constants) return written.loops;
  return {};
}

template <int SI, int D1, int D3, int I0, int J0>
Written wrf() {
  return {{SI, D1, D3, I0, J0}, Wrf<SI, D1, D3, I0, J0>::loops()};
}

template <class T, int Length, int Stride>
Written blocks() {
  return {{sizeof(T), Length, Stride}, Blocks<T, Length, Stride>::loops()};
}

template <int D1, int D2>
Written mg_x() {
  return {{D1, D2}, {{"loop", MgX<D1, D2>::pack, MgX<D1, D2>::unpack}}};
}

template <class F>
HandLoops fft_rows() {
  using Rows = typename F::Rows;
  return {{"loop", F::template pack_rows<Rows::pack_loop>, F::template unpack_rows<Rows::unpack_loop>},
          {"memcpy", F::template pack_rows<Rows::pack_memcpy>, F::template unpack_rows<Rows::unpack_memcpy>}};
}

template <int... N>
std::vector<Written> all_fft(std::integer_sequence<int, N...>) {
  std::vector<Written> all;
  (all.push_back({{N / 2, N, 0}, fft_rows<Fft<N / 2, N>>()}), ...);
  (all.push_back({{N / 2, N, 1}, {{"naive", Fft<N / 2, N>::pack_columns, Fft<N / 2, N>::unpack_columns}}}), ...);
  return all;
}

}  // namespace

HandLoops hand_blocks(int element_bytes, int length, int stride) {
  static const std::vector<Written> all{
      // MILC_su3_zd
      blocks<float, 768, 12288>(), blocks<float, 384, 6144>(), blocks<float, 192, 1536>(),
      // NAS_LU_x, and NAS_LU_y
      blocks<double, 5, 5>(), blocks<double, 5, 70>(), blocks<double, 5, 175>(), blocks<double, 5, 330>(),
      blocks<double, 5, 520>(), blocks<double, 5, 820>(), blocks<double, 5, 2050>(), blocks<double, 5, 5110>(),
      // NAS_MG_y, and NAS_MG_z
      blocks<double, 32, 34 * 18>(), blocks<double, 128, 130 * 66>(), blocks<double, 256, 258 * 130>(),
      blocks<double, 512, 514 * 258>(), blocks<double, 32, 34>(), blocks<double, 128, 130>(),
      blocks<double, 256, 258>(), blocks<double, 512, 514>(),
      // SPECFEM3D_mt
      blocks<float, 3, 6>()};
  return find(all, {element_bytes, length, stride});
}

HandLoops hand_wrf(int si, int d1, int d3, int i0, int j0) {
  static const std::vector<Written> all{wrf<23, 32, 52, 5, 7>(), wrf<19, 27, 41, 4, 7>(), wrf<16, 24, 34, 4, 7>(),
                                        wrf<14, 22, 30, 4, 7>(), wrf<11, 19, 24, 4, 7>(), wrf<3, 32, 52, 22, 4>(),
                                        wrf<3, 24, 34, 14, 4>(), wrf<3, 19, 24, 9, 4>()};
  return find(all, {si, d1, d3, i0, j0});
}

HandLoops hand_mg_x(int d1, int d2) {
  static const std::vector<Written> all{mg_x<34, 18>(), mg_x<130, 66>(), mg_x<258, 130>(), mg_x<514, 258>()};
  return find(all, {d1, d2});
}

HandLoops hand_fft(int n, int columns, bool scatter) {
  static const std::vector<Written> all = all_fft(std::integer_sequence<int, 256, 512, 768, 1024, 1536>{});
  return find(all, {n, columns, scatter});
}

HandLoops hand_specfem_cm() {
  return {{"naive", pack_cm, unpack_cm}};
}

HandLoops hand_lammps(int properties) {
  if (properties == 5) return {{"naive", Lammps<5>::pack, Lammps<5>::unpack}};
  if (properties == 3) return {{"naive", Lammps<3>::pack, Lammps<3>::unpack}};
  return {};
}

}  // namespace gapless::bench
