#include "alltoall/irregular_model.hpp"

#include "alltoall/irregular_rounds.hpp"

namespace gapless::alltoall::irregular {

namespace {

constexpr const char* kNames[] = {"library", "zero-copy", "two-phase", "padded", "spread-out", "pairwise"};

// [s] of software for each block that is moved, as instructions of MPICH 5.0.2 and of ours were counted
// (bench/alltoallv_instructions.py) at four a nanosecond: to find its place in a plain call; and to have it as an entry
// of a derived type, made for one message, or only walked.
constexpr double kBound = 200e-9, kTypeMade = 300e-9, kTypeWalked = 60e-9;
constexpr double kSizeBytes = 8;  // of a size, in the messages that tell sizes
// Noise and what the model leaves out must not make a program slower than the library's own.
constexpr double kGain = 0.75;
// More than this many messages at once a library may not take as well as one by one.
constexpr int kMostSpreadOut = 32;

Algorithm best(const Question& question, const Machine& machine, double asking_s) noexcept {
  Algorithm best = direct(question.processes, question.is_persistent);
  double least = kGain * cost_s(Algorithm::kLibrary, question, machine) - asking_s;
  for (const Algorithm one : {Algorithm::kTwoPhase, Algorithm::kZeroCopy, Algorithm::kPadded}) {
    const double cost = cost_s(one, question, machine);
    if (cost >= least) continue;
    best = one;
    least = cost;
  }
  return best;
}

}  // namespace

const char* name_of(Algorithm algorithm) noexcept {
  return kNames[static_cast<int>(algorithm)];
}

bool find_algorithm(std::string_view name, Algorithm& algorithm) noexcept {
  for (const Algorithm one : kAlgorithms) {
    if (name != name_of(one)) continue;
    algorithm = one;
    return true;
  }
  return false;
}

double cost_s(Algorithm algorithm, const Question& question, const Machine& machine) noexcept {
  const double mean = (static_cast<double>(question.smallest) + static_cast<double>(question.largest)) / 2;
  const double latency = machine.latency_s, wire = 1 / machine.bandwidth, copy = 1 / machine.pack_rate;
  const double rounds = round_count(question.processes);
  double moved = 0;  // blocks that a process sends
  for (int k = 0; k < round_count(question.processes); ++k)
    moved += static_cast<double>(moved_count(question.processes, k));
  const bool is_plain = !question.is_persistent;
  const double binding = is_plain ? moved * kBound : 0;
  const double sizes = is_plain ? rounds * latency + moved * kSizeBytes * wire : 0;
  const double messages = binding + rounds * latency;
  switch (algorithm) {
    case Algorithm::kZeroCopy:
      return sizes + messages + moved * (mean * wire + (is_plain ? kTypeMade : kTypeWalked));
    case Algorithm::kTwoPhase:
      return sizes + messages + moved * mean * (wire + 2 * copy);
    case Algorithm::kPadded:
      return messages + moved * (static_cast<double>(question.largest) + kSizeBytes) * (wire + 2 * copy);
    default:
      return (question.processes - 1) * (latency + mean * wire);
  }
}

Algorithm direct(int processes, bool is_persistent) noexcept {
  return is_persistent && processes <= kMostSpreadOut ? Algorithm::kSpreadOut : Algorithm::kLibrary;
}

Algorithm choose(const Question& question, const Machine& machine) noexcept {
  return best(question, machine, 0);
}

// In every cost what depends on sizes grows at least as fast with them as that of direct messages: a process sends each
// byte at least once. So where nothing gains without any bytes, nothing gains.
bool is_always_direct(int processes, bool is_persistent, const Machine& machine) noexcept {
  const double asking = is_persistent ? 0 : round_count(processes) * machine.latency_s;
  return best({processes, 0, 0, is_persistent}, machine, asking) == direct(processes, is_persistent);
}

}  // namespace gapless::alltoall::irregular
