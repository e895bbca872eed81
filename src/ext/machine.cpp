#include "ext/machine.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "alltoall/machine.hpp"
#include "base/settings.hpp"

namespace gapless::ext {

namespace {

using namespace alltoall;

constexpr double kFarLatency = 20e-6, kFarBandwidth = 1.2e9;  // between nodes, where nothing was measured

void refuse(const std::string& path, const Reading& reading) {
  const std::string where = reading.line > 0 ? "line " + std::to_string(reading.line) + ": " : "";
  std::fprintf(stderr, "gapless: the default numbers of the all-to-all model are in force: %s: %s%s\n", path.c_str(),
               where.c_str(), reading.reason.c_str());
}

Machines read_setting() {
  Machines machines;
  machines.far.latency_s = kFarLatency;
  machines.far.bandwidth = kFarBandwidth;
  const char* const setting = base::setting_text("GAPLESS_ALLTOALL_FILE");
  if (setting == nullptr) return machines;
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(library, &length);
  std::string missing;
  for (std::string_view left(setting); !left.empty();) {
    const std::size_t end = left.find(':');
    const std::string path(left.substr(0, end));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    if (path.empty()) continue;
    errno = 0;
    const Reading reading = read_machines_of(path.c_str(), library, machines);
    if (reading.reason.empty()) return machines;
    if (errno != ENOENT && errno != ENOTDIR) {
      refuse(path, reading);
      return machines;
    }
    if (missing.empty()) missing = path;
  }
  if (!missing.empty()) refuse(missing, {"there is no such file", 0, false});
  return machines;
}

const Machines& machines() {
  static const Machines read = read_setting();
  return read;
}

int agree(const PrivateComm& comm, Machine& machine) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Info no_hints;  // not MPI_INFO_NULL: of some libraries that is a variable, which is not looked up
  int here = 0;
  if (const int code = MPI_Info_create(&no_hints); code != MPI_SUCCESS) return code;
  int code = MPI_Comm_split_type(comm.comm(), MPI_COMM_TYPE_SHARED, comm.rank, no_hints, &node);
  MPI_Info_free(&no_hints);
  if (code != MPI_SUCCESS) return code;
  if (node == MPI_COMM_NULL) return MPI_ERR_OTHER;  // some libraries say MPI_SUCCESS after a handler has come back
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  double numbers[3] = {};
  if (comm.rank == 0) {
    const Machine& mine = here == comm.size ? machines().near : machines().far;
    numbers[0] = mine.latency_s;
    numbers[1] = mine.bandwidth;
    numbers[2] = mine.pack_rate;
  }
  code = MPI_Bcast(numbers, 3, MPI_DOUBLE, 0, comm.comm());
  machine = {numbers[0], numbers[1], numbers[2]};
  return code;
}

}  // namespace

int machine_of(PrivateComm& comm, Machine& machine) {
  if (!comm.machine) {
    Machine agreed;
    if (const int code = agree(comm, agreed); code != MPI_SUCCESS) return code;
    comm.machine = agreed;
  }
  machine = *comm.machine;
  return MPI_SUCCESS;
}

}  // namespace gapless::ext
