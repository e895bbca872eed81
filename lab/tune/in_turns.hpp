// Two ways on two ranks, in turns: bursts of one and of the other, which of them first in turn, too.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gapless::lab::tune {

struct Bursts {
  int warm_up, count;
  std::size_t one_in;  // bursts of which one is shorter than what stands for a way
};

// `ready(is_second)`, untimed, then `run(is_second)`. Returns the time of the second way to that of the first, on both
// ranks the greater of theirs.
template <class Ready, class Run>
double ratio_in_turns(const Bursts& bursts, Ready&& ready, Run&& run) {
  std::vector<double> seconds[2];
  for (int burst = -bursts.warm_up; burst < bursts.count; ++burst) {
    for (const bool is_later : {false, true}) {
      const bool is_second = is_later != (burst % 2 != 0);
      ready(is_second);
      const double begin = MPI_Wtime();
      run(is_second);
      if (burst >= 0) seconds[is_second].push_back(MPI_Wtime() - begin);
    }
  }
  const auto low = [&](std::vector<double>& of) {
    const auto place = of.begin() + static_cast<std::ptrdiff_t>(of.size() / bursts.one_in);
    std::nth_element(of.begin(), place, of.end());
    return *place;
  };
  double mine = low(seconds[1]) / low(seconds[0]), worse = 0;
  MPI_Allreduce(&mine, &worse, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worse;
}

}  // namespace gapless::lab::tune
