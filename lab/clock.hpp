// The clock by which everything here is timed.
#pragma once

#include <algorithm>
#include <ctime>

namespace gapless::lab {

inline double now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// What two readings that follow each other say lies between them.
inline double clock_reading_ns() {
  constexpr int kReadings = 1000;
  double least = 1e9;
  for (int i = 0; i < kReadings; ++i) {
    const double first = now_ns();
    least = std::min(least, now_ns() - first);
  }
  return least;
}

// How long this rank wrote its data, and how long it read the clock for that.
struct Writing {
  double ns = 0;
  double clock_ns = 0;

  template <class Write>
  void add(double reading_ns, const Write& write) {
    const double start_ns = now_ns();
    write();
    // Two readings take twice what lies between two that follow each other.
    ns += now_ns() - start_ns - reading_ns;
    clock_ns += 2 * reading_ns;
  }
};

}  // namespace gapless::lab
