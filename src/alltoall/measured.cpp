#include "alltoall/measured.hpp"

#include <cerrno>

#include "base/settings.hpp"

namespace gapless::alltoall {

namespace {

// As `gapless tune` writes it. What is measured of a machine replaces it.
constexpr std::string_view kBuiltIn =
    "gapless-alltoall 1\n"
    "library MPICH Version:\n"
    "  near latency 6e-07 bandwidth 6e+09 pack 8e+09 calls 1 8192\n"
    "library Intel(R) MPI Library\n"
    "  near latency 6e-07 bandwidth 6e+09 pack 8e+09 in-place 1 65536\n"
    "end\n";

std::string in_words(const std::string& path, const Reading& reading) {
  const std::string where = reading.line > 0 ? "line " + std::to_string(reading.line) + ": " : "";
  return path + ": " + where + reading.reason;
}

}  // namespace

Measured measured_machines(std::string_view library) {
  Measured found;
  read_machines(kBuiltIn, library, found.machines);
  const char* const setting = base::setting_text("GAPLESS_ALLTOALL_FILE");
  if (setting == nullptr) return found;
  std::string missing;
  for (std::string_view left(setting); !left.empty();) {
    const std::size_t end = left.find(':');
    const std::string path(left.substr(0, end));
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    if (path.empty()) continue;
    errno = 0;
    const Reading reading = read_machines_of(path.c_str(), library, found.machines);
    if (reading.reason.empty()) return found;
    if (errno != ENOENT && errno != ENOTDIR) {
      found.refused = in_words(path, reading);
      return found;
    }
    if (missing.empty()) missing = path;
  }
  if (!missing.empty()) found.refused = missing + ": there is no such file";
  return found;
}

}  // namespace gapless::alltoall
