// The numbers by which the models choose (model.hpp, irregular_model.hpp), and as text, as `gapless tune` writes it
// (docs/alltoallv.md):
//
//   gapless-alltoall 1
//   library MPICH Version: 5.0.2
//     near latency 3.1e-07 bandwidth 8.2e+09 pack 1.1e+10 calls 1 16384
//     far latency 2.1e-05 bandwidth 1.1e+09 pack 1.1e+10
//   end
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gapless::alltoall {

// Bytes of a block, first <= bytes <= last.
struct Range {
  std::int64_t first = 0, last = -1;
  bool has(std::int64_t bytes) const noexcept { return first <= bytes && bytes <= last; }
  bool is_empty() const noexcept { return last < first; }
  bool operator==(const Range&) const = default;
};
inline constexpr std::int64_t kLargestBlock = std::int64_t{1} << 40;  // of what is measured or modelled

// What is measured of an MPI library between two processes (`gapless tune`). The defaults: a library's shared memory.
struct Machine {
  double latency_s = 0.6e-6;  // of the shortest message
  double bandwidth = 6e9;     // [bytes/s] of long messages
  double pack_rate = 8e9;     // [bytes/s] at which short blocks are copied
  // Between two processes, for which a call of ours is faster than MPI_Alltoall; and in place.
  Range calls{}, in_place{};
};

struct Machines {
  Machine near;  // on one node
  Machine far{.latency_s = 20e-6, .bandwidth = 1.2e9};
};

// What was found in the text: `reason` is empty and `machines` has the numbers of the first section whose words after
// `library` occur in `library`, one after the other; or it says what is wrong, in which line (0: with the whole), and
// `machines` is as it was. A distance of which the section says nothing stays as it was, too. Lines may be indented; #
// begins a comment.
struct Reading {
  std::string reason;
  int line = 0;
  bool has_section = false;
};
Reading read_machines(std::string_view text, std::string_view library, Machines& machines);

// The same of the file `path`, which must be a file of at most 1 MiB.
Reading read_machines_of(const char* path, std::string_view library, Machines& machines);

}  // namespace gapless::alltoall
