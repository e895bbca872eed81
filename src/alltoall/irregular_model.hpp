// Which irregular all-to-all is fastest, by a model of three numbers (docs/alltoallv.md). Pure: what is equal on all
// processes gives the same choice on all of them.
#pragma once

#include <cstdint>
#include <string_view>

#include "alltoall/machine.hpp"

namespace gapless::alltoall::irregular {

enum class Algorithm : std::uint8_t { kLibrary, kZeroCopy, kTwoPhase, kPadded, kSpreadOut, kPairwise };
inline constexpr Algorithm kAlgorithms[] = {Algorithm::kLibrary, Algorithm::kZeroCopy,  Algorithm::kTwoPhase,
                                            Algorithm::kPadded,  Algorithm::kSpreadOut, Algorithm::kPairwise};
// The name by which a caller asks for it.
const char* name_of(Algorithm algorithm) noexcept;
// False if there is none of that name.
bool find_algorithm(std::string_view name, Algorithm& algorithm) noexcept;

struct Question {
  int processes;
  std::int64_t smallest, largest;  // blocks of all processes [bytes]
  bool is_persistent;              // sizes are exchanged, and types made, once for many times
};

// [s] By the model: per message the latency, its bytes by the bandwidth, what is copied by the pack rate, and for each
// block that is moved a constant. Blocks are taken for the mean of the smallest and the largest. Of the library nothing
// is known: it is taken for direct messages.
double cost_s(Algorithm algorithm, const Question& question, const Machine& machine) noexcept;

// Direct messages where nothing else gains: the library's own; of requests among few processes spread-out, for bound
// once it was faster than the library's call on all libraries that were measured (docs/alltoallv.md).
Algorithm direct(int processes, bool is_persistent) noexcept;

// The one that costs least; direct messages unless another one gains a quarter.
Algorithm choose(const Question& question, const Machine& machine) noexcept;

// Among so few direct messages are chosen whatever the machine is: of up to three processes Bruck's pattern has no
// fewer messages, and moves no fewer bytes.
inline constexpr int kMostAlwaysDirect = 3;

// True if direct messages are chosen whatever the sizes are: then there is no need to ask for them, by a reduction,
// which costs the latency of each of its rounds. Where requests persist that is not counted.
bool is_always_direct(int processes, bool is_persistent, const Machine& machine) noexcept;

}  // namespace gapless::alltoall::irregular
