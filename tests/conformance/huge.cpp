// A strided message of more than 2 GiB between two ranks, checked against arithmetic. Without MPI_X_c in the library, or
// in the front, it must stay native. usage: huge
#include <sys/sysinfo.h>

#include "twin.hpp"

using namespace conformance;

namespace {

constexpr std::size_t kBlock = 1 << 16, kPitch = kBlock + 4096, kBlocks = 33000;  // 2.01 GiB of data

unsigned char value(std::size_t at) {
  return static_cast<unsigned char>(at * 2654435761u >> 13);
}

}  // namespace

int main(int argc, char** argv) {
  struct sysinfo memory{};
  sysinfo(&memory);
  // One buffer and one staging for each rank, and what the library itself needs.
  const std::size_t needed = 5 * kBlocks * kPitch, available = (memory.freeram + memory.bufferram) * memory.mem_unit;
  if (available < needed) {
    std::printf("skipped: %zu MiB of memory are free, %zu are needed\n", available >> 20, needed >> 20);
    return kSkipped;
  }
  Twin twin(&argc, &argv);
  std::vector<unsigned char> field(kBlocks * kPitch, 0x11);
  MPI_Datatype type;
  MPI_Type_vector(kBlocks, kBlock / 8, kPitch / 8, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  const char* const procedure = twin.rank() == 0 ? "MPI_Send" : "MPI_Recv";
  if (twin.rank() == 0) {
    for (std::size_t k = 0; k < field.size(); ++k) field[k] = value(k);
    MPI_Send(field.data(), 1, type, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(field.data(), 1, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (std::size_t k = 0; k < (kBlocks - 1) * kPitch + kBlock; ++k) {
      const unsigned char expected = k % kPitch < kBlock ? value(k) : 0x11;
      CHECK(field[k] == expected, "byte %zu", k);
    }
  }
  const GAPLESS_Counters counters = twin.layer().count(procedure);
  const long long expected = lacks("MPI_Send_c") ? 0 : 1;
  CHECK(counters.accelerated == expected, "%s: %lld of %lld accelerated", procedure, counters.accelerated, counters.calls);
  MPI_Type_free(&type);
  return 0;
}
