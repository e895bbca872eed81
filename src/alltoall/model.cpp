#include "alltoall/model.hpp"

#include <algorithm>

#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

namespace {

// Noise and what the model leaves out must not make a program slower than the library's own.
constexpr double kGain = 0.75;
// What a call between two processes must be longer than [bytes].
constexpr std::int64_t kShort = 4096;
// What a call of ours costs before anything is sent; bound once where it is persistent.
constexpr double kBeginning_s = 0.3e-6;

const Algorithm& named(const char* name) {
  return *find_algorithm(name);
}

double cost_of_schedule(const Algorithm& algorithm, const Question& question, const Machine& machine) {
  const SchedulePtr schedule = schedule_of(algorithm, question.processes, question.is_in_place);
  const Counts counts = count(*schedule);
  double staged = 0;  // blocks gathered or scattered
  for (const Step& step : schedule->steps)
    for (const Message& message : step.messages)
      if (message.blocks.size() > 1) staged += 2 * static_cast<double>(message.blocks.size());
  const auto block = static_cast<double>(question.bytes);
  return static_cast<double>(counts.rounds) * machine.latency_s +
         static_cast<double>(counts.messages - counts.rounds) * machine.latency_s / 2 +
         static_cast<double>(counts.blocks_sent) * block / machine.bandwidth +
         (staged + static_cast<double>(counts.blocks_copied)) * block / machine.pack_rate;
}

}  // namespace

double cost_s(const Algorithm& algorithm, const Question& question, const Machine& machine) {
  if (algorithm.library)
    return std::min(cost_of_schedule(named("basic"), question, machine),
                    cost_of_schedule(named("spread-out"), question, machine));
  return cost_of_schedule(algorithm, question, machine) + (question.is_persistent ? 0 : kBeginning_s);
}

Range range_of_ours(int processes, bool is_in_place, bool is_persistent, const Machine& machine) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  // Nothing is sent, and MPICH 5.0.2 never returns while the program has a receive from anybody.
  if (processes == 1) return {0, INT64_MAX};
  // One message each way, whoever sends it: measured (bench/alltoall, three libraries, 4 B to 80 kB). A persistent one
  // is never slower; a call with arguments that are new is, up to some thousand bytes, on two of the three.
  if (processes == 2) return {is_persistent ? 0 : kShort, INT64_MAX};
  if (processes > kMostProcesses) return {};
  const auto cost = [&](const Algorithm& algorithm, std::int64_t bytes) {
    return cost_s(algorithm, {processes, bytes, is_in_place, is_persistent}, machine);
  };
  Range range{0, kLargest};
  for (const char* name : {"basic", "spread-out"}) {
    // Ours less three quarters of this one: from the value without bytes on, so much for each byte.
    const auto excess = [&](std::int64_t bytes) {
      return cost(named("least-slots"), bytes) -
             kGain * (cost(named(name), bytes) - (is_persistent ? 0 : kBeginning_s));
    };
    const double begins = excess(0), slope = (excess(kLargest) - begins) / static_cast<double>(kLargest);
    if (begins > 0 && slope >= 0) return {};
    // A file may say anything: what does not fit lies beyond every block.
    constexpr auto kBeyond = static_cast<double>(kLargest);
    const double at = slope == 0 ? kBeyond : -begins / slope;
    const double crossing = at < kBeyond ? at : kBeyond;  // also where it is no number
    if (begins <= 0 && slope > 0) range.last = std::min(range.last, static_cast<std::int64_t>(crossing));
    if (begins > 0) range.first = std::max(range.first, static_cast<std::int64_t>(crossing) + 1);
  }
  return range;
}

}  // namespace gapless::alltoall
