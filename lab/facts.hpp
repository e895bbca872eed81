// What a run says of itself: its MPI library and where its ranks are.
#pragma once

#include <string>
#include <vector>

namespace gapless::lab {

// The first line of the library's version.
std::string mpi_library_line();

// Collective: the hosts of all ranks, each once.
std::vector<std::string> distinct_hosts();

}  // namespace gapless::lab
