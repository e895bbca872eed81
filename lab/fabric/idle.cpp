#include <fstream>
#include <iostream>
#include <vector>

#include "clock.hpp"
#include "fabric/exchange.hpp"

namespace gapless::lab::fabric {

namespace {

// [bytes] that the process has in memory, as the kernel counts it.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096;
}

}  // namespace

void idle(const Place& place, std::int64_t bytes) {
  const std::int64_t before = resident_bytes();
  const double begun_ns = now_ns();
  Link link(place, "adaptive");
  const double opened_ns = now_ns() - begun_ns;
  const GAPLESS_Channel_counters none{};
  const Json opened = since(none, link.count());
  const std::int64_t resident = resident_bytes();
  gapless_type byte = nullptr;
  if (gapless_type_parse("byte", &byte) != GAPLESS_SUCCESS) throw std::runtime_error(gapless_last_error());
  std::vector<char> from(static_cast<std::size_t>(bytes), 1), to(from.size());
  const int right = (place.rank + 1) % place.processes, left = (place.rank + place.processes - 1) % place.processes;
  if (place.processes > 1) link.send_receive(from.data(), right, to.data(), left, bytes, byte);
  gapless_type_free(&byte);
  std::cout << Json{{"schema", kSchema},
                    {"kind", "counts"},
                    {"experiment", "fabric"},
                    {"what", "peers"},
                    {"rank", place.rank},
                    {"processes", place.processes},
                    {"provider", link.provider()},
                    {"open_ns", tenth(opened_ns)},
                    {"resident_bytes", resident - before},
                    {"opened", opened},
                    {"after_ring", since(none, link.count())},
                    {"right", to == from}}
                   .dump()
            << '\n'
            << std::flush;
  link.close();
}

}  // namespace gapless::lab::fabric
