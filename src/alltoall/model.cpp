#include "alltoall/model.hpp"

#include <algorithm>

#include "alltoall/bruck.hpp"

namespace gapless::alltoall {

namespace {

// Noise and what the model leaves out must not make a program slower than the library's own.
constexpr double kGain = 0.75;
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

const Algorithm& choose(const Question& question, const Machine& machine) {
  const Algorithm& library = named("library");
  const Algorithm& ours = named("least-slots");
  // Nothing is sent, and MPICH 5.0.2 never returns while the program has a receive from anybody.
  if (question.processes == 1) return ours;
  if (question.processes > kMostProcesses) return library;
  return cost_s(ours, question, machine) < kGain * cost_s(library, question, machine) ? ours : library;
}

}  // namespace gapless::alltoall
