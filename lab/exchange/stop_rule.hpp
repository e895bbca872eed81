// When a group has been measured well enough.
#pragma once

#include "job.hpp"

#include <vector>

namespace gapless::lab::exchange {

// Whether the order statistics that enclose the median with 95 % (a sign test's interval: no distribution is assumed)
// lie within `precision` of it. Never with less than six samples, which cannot say so much.
bool median_is_known(std::vector<double> samples, double precision);

class StopRule {
 public:
  explicit StopRule(const Repetitions& reps) : reps_(reps) {}
  // After `done` repetitions, `elapsed_ms` after the first began; samples by member.
  bool stop(int done, double elapsed_ms, const std::vector<std::vector<double>>& samples) const;
  // Nothing to decide: exactly so many repetitions were asked for.
  bool is_fixed() const { return reps_.least == reps_.most; }

 private:
  Repetitions reps_;
};

}  // namespace gapless::lab::exchange
