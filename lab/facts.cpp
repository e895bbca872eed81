#include "facts.hpp"

#include "agreement.hpp"

#include <mpi.h>

#include <algorithm>
#include <sstream>

namespace gapless::lab {

std::string mpi_library_line() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::istringstream first_line(std::string(text).substr(0, std::string(text).find('\n')));
  std::string line, word;
  while (first_line >> word) line += (line.empty() ? "" : " ") + word;  // libraries align it with tabs
  return line;
}

std::vector<std::string> distinct_hosts() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<std::string> hosts;
  for (const std::string& host : gather_texts(name))
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  return hosts;
}

}  // namespace gapless::lab
