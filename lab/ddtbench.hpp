// The micro-applications of DDTBench 1.2 (Schneider, Gerstenberger, Hoefler: "Application-oriented ping-pong
// benchmarking", 2013), each in the sizes that it has there. Where a program there has several arrays, they lie here in
// one allocation, one after the other, so that one buffer address does for all of them. The lists of places are the
// same on all ranks, in all launches and on all libraries.
#pragma once

#include "layouts.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gapless::lab {

// One end of a message: displacement 0 of its types is so far behind the beginning of its array.
struct End {
  std::int64_t origin_bytes = 0;
  std::vector<Description> descriptions;  // of equal type maps
};

// The loops by which an application packs it (lab/exchange/loops/loops.h).
struct Loops {
  std::string kernel;
  std::vector<int> sizes;
  std::vector<std::int32_t> list;
};

// Description i is sent, and description i of the other end received.
struct Exchange {
  End send, receive;
  Loops loops{};                  // without a kernel: nobody packs it by hand
  std::string element = "int32";  // its base type, which the same bytes are sent as where they are contiguous
  std::int64_t element_bytes = 4;
  int blocks = 1;  // more: each of so many ranks sends one to every rank
};

namespace ddtbench {

inline constexpr std::int64_t kFloatBytes = 4, kDoubleBytes = 8;

// Boxes of si x 65 x sj, and of si x sj in the first four arrays, that begin at (i0, 0, j0): arrays (d1, d3), (d1, 65,
// d3), and (d1, 65, d3, 2), of which the second half is sent.
struct Wrf {
  const char* test;
  int d1, d3, i0, j0, si, sj;
  std::string name() const { return test; }
  Exchange exchange() const;
};
inline constexpr int kWrfHeight = 65;
inline constexpr std::array kWrf{Wrf{"WRF_y/2x2", 32, 52, 5, 7, 23, 3},  Wrf{"WRF_y/3x3", 27, 41, 4, 7, 19, 3},
                                 Wrf{"WRF_y/4x4", 24, 34, 4, 7, 16, 3},  Wrf{"WRF_y/5x5", 22, 30, 4, 7, 14, 3},
                                 Wrf{"WRF_y/8x8", 19, 24, 4, 7, 11, 3},  Wrf{"WRF_x/2x2", 32, 52, 22, 4, 3, 44},
                                 Wrf{"WRF_x/4x4", 24, 34, 14, 4, 3, 26}, Wrf{"WRF_x/8x8", 19, 24, 9, 4, 3, 16}};

// Lines of 8 to 24 KB, of a study of 2022 that gives the sizes in i alone; those in j are 8x8's.
inline constexpr std::array kLongWrf{Wrf{"WRF_y/4011x24", 4011, 24, 4, 7, 4003, 3},
                                     Wrf{"WRF_y/2057x24", 2057, 24, 4, 7, 2049, 3},
                                     Wrf{"WRF_y/6009x24", 6009, 24, 4, 7, 6001, 3}};

// A face of a lattice of 3 complex numbers a site, its even sites before the odd ones.
struct Milc {
  int lx, ly, lz, lt;
  std::string name() const;
  Exchange exchange() const;
};
inline constexpr std::array kMilc{Milc{16, 16, 16, 16}, Milc{8, 16, 16, 16}, Milc{8, 8, 8, 16}, Milc{8, 8, 8, 8}};
inline constexpr std::array kLargeMilc{Milc{16, 16, 32, 32}, Milc{32, 32, 32, 32}, Milc{64, 32, 32, 32},
                                       Milc{64, 64, 32, 32}, Milc{64, 64, 32, 64}};

// A face of U(5, n + 2, n + 2).
struct Lu {
  char face;
  int n;
  std::string name() const;
  Exchange exchange() const;
};
inline constexpr std::array kLuSizes{12, 33, 64, 102, 162, 408, 1020};

// A face of R(d1, d2, d3).
struct Mg {
  char face;
  int d1, d2, d3;
  std::string name() const;
  Exchange exchange() const;
};
inline constexpr std::array kMgSizes{std::array{34, 18, 18}, std::array{130, 66, 66}, std::array{258, 130, 130},
                                     std::array{514, 258, 258}};
inline constexpr std::array kFlatMgSizes{std::array{256, 32, 32}, std::array{512, 66, 66}, std::array{2048, 66, 120},
                                         std::array{5120, 92, 120}};

// The block that one rank of two sends to the other when an n x n matrix of complex numbers is transposed.
struct Fft {
  int n;
  std::string name() const { return "FFT2/N=" + std::to_string(n); }
  Exchange exchange() const;
};
inline constexpr std::array kFft{Fft{256}, Fft{512}, Fft{768}, Fft{1024}, Fft{1536}};

// Every other point of (d1, 2, d3), received dense.
struct SpecfemMt {
  int d3;
  int d1 = 3;
  std::string name() const;
  Exchange exchange() const;
};
inline constexpr std::array kSpecfemMt{SpecfemMt{7600}, SpecfemMt{6400}, SpecfemMt{5600}, SpecfemMt{6200}};
inline constexpr std::array kWideSpecfemMt{SpecfemMt{512, 1024}, SpecfemMt{256, 2048}, SpecfemMt{200, 3072}};

// Listed numbers of one array.
struct SpecfemOc {
  int listed, length;
  std::string name() const { return "SPECFEM3D_oc/" + std::to_string(listed); }
  std::vector<std::int32_t> list() const;
  Exchange exchange() const;
};
inline constexpr std::array kSpecfemOc{SpecfemOc{3225, 88881}, SpecfemOc{1897, 38585}, SpecfemOc{877, 12857},
                                       SpecfemOc{493, 3697}};

// Listed points of two arrays.
struct SpecfemCm {
  int first_listed, second_listed, first_length, second_length;
  std::string name() const { return "SPECFEM3D_cm/" + std::to_string(first_listed); }
  std::vector<std::int32_t> list() const;  // of both
  Exchange exchange() const;
};
inline constexpr std::array kSpecfemCm{SpecfemCm{11797, 3009, 834917, 51153}, SpecfemCm{7125, 1729, 396849, 22477},
                                       SpecfemCm{3801, 801, 152001, 7209}, SpecfemCm{1957, 245, 39929, 1225}};

// Listed particles: three coordinates and so many properties more, each property in an array of its own. They are
// received behind the particles, one after the other.
struct Lammps {
  const char* test;
  int properties, listed, particles;
  std::string name() const { return std::string(test) + "/" + std::to_string(listed); }
  std::int64_t length() const { return std::int64_t{particles} + listed; }  // of an array, in particles
  std::vector<std::int32_t> list() const;
  Exchange exchange() const;
};
inline constexpr std::array kLammps{Lammps{"LAMMPS_full", 5, 3062, 3534},  Lammps{"LAMMPS_full", 5, 2243, 2597},
                                    Lammps{"LAMMPS_full", 5, 1662, 1907},  Lammps{"LAMMPS_atomic", 3, 243, 4084},
                                    Lammps{"LAMMPS_atomic", 3, 145, 2157}, Lammps{"LAMMPS_atomic", 3, 114, 1217}};

}  // namespace ddtbench

struct NamedExchange {
  std::string name;
  std::function<Exchange()> make;
};

// All of the above in the sizes of DDTBench.
std::vector<NamedExchange> ddtbench_exchanges();
// Four of them in those of Suresh et al., "Layout-aware Hardware-assisted Designs for Derived Data Types in MPI"
// (2022).
std::vector<NamedExchange> larger_exchanges();

}  // namespace gapless::lab
