// A program that is linked with no MPI: it opens the library itself and asks for each procedure by its name, as
// language bindings do.
//
// opened_test LIBRARY local|global MPI_|PMPI_ layer|plain
#include <numeric>
#include <string>
#include <vector>

#include "support.hpp"

namespace {

void* library = nullptr;
std::string prefix;

void* look_up(const std::string& name) {
  dlerror();
  void* const symbol = dlsym(library, name.c_str());
  const char* const error = dlerror();
  CHECK((symbol == nullptr) == (error != nullptr), "%s: %s", name.c_str(), error != nullptr ? error : "no error");
  return symbol;
}

template <class Function>
Function procedure(const char* name) {
  void* const symbol = look_up(prefix + name);
  CHECK(symbol != nullptr, "%s%s", prefix.c_str(), name);
  return reinterpret_cast<Function>(symbol);
}

#define CALL(name) procedure<decltype(&MPI_##name)>(#name)

#ifdef OPEN_MPI
const auto world = [] { return static_cast<MPI_Comm>(look_up("ompi_mpi_comm_world")); };
const auto integer = [] { return static_cast<MPI_Datatype>(look_up("ompi_mpi_int")); };
#else
const auto world = [] { return MPI_COMM_WORLD; };
const auto integer = [] { return MPI_INT; };
#endif

#ifdef OPEN_MPI
constexpr const char* kUnwrapped = "MPIX_Continue";
#else
constexpr const char* kUnwrapped = "MPIX_Request_is_complete";
#endif

constexpr int kRows = 100;
std::vector<int> field(int rank) {
  std::vector<int> all(4 * kRows, -1);
  if (rank == 0) std::iota(all.begin(), all.end(), 0);
  return all;
}
void check(const std::vector<int>& all) {
  for (int k = 0; k < 4 * kRows; ++k) CHECK(all[static_cast<std::size_t>(k)] == (k % 4 == 0 ? k : -1), "element %d", k);
}

void transfer() {
  int rank = -1;
  MPI_Datatype column;
  CALL(Comm_rank)(world(), &rank);
  CALL(Type_vector)(kRows, 1, 4, integer(), &column);
  CALL(Type_commit)(&column);
  std::vector<int> blocking = field(rank), nonblocking = field(rank);
  MPI_Request request;
  if (rank == 0) {
    CALL(Send)(blocking.data(), 1, column, 1, 0, world());
    CALL(Isend)(nonblocking.data(), 1, column, 1, 1, world(), &request);
    CALL(Wait)(&request, MPI_STATUS_IGNORE);
  } else {
    CALL(Recv)(blocking.data(), 1, column, 0, 0, world(), MPI_STATUS_IGNORE);
    CALL(Irecv)(nonblocking.data(), 1, column, 0, 1, world(), &request);
    CALL(Wait)(&request, MPI_STATUS_IGNORE);
    check(blocking);
    check(nonblocking);
  }
  CALL(Type_free)(&column);
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 5, "usage: opened_test LIBRARY local|global MPI_|PMPI_ layer|plain");
  library = dlopen(argv[1], RTLD_LAZY | (std::strcmp(argv[2], "global") == 0 ? RTLD_GLOBAL : RTLD_LOCAL));
  CHECK(library != nullptr, "%s", dlerror());
  prefix = argv[3];
  CHECK(look_up("MPI_No_such_procedure") == nullptr, "found");
  CALL(Init)(nullptr, nullptr);
  transfer();
  if (std::strcmp(argv[4], "layer") == 0) {
    const test::Layer layer = test::layer();
    int rank = -1;
    CALL(Comm_rank)(world(), &rank);
    for (const char* const name : {"MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv"}) {
      const bool sends = std::strstr(name, "send") != nullptr || std::strstr(name, "Send") != nullptr;
      CHECK(layer.accelerated(name) == (sends == (rank == 0) ? 1 : 0), "%s: %lld", name, layer.accelerated(name));
    }
    // From here on a request may be completed by what no wrapper sees.
    look_up(kUnwrapped);
    transfer();
    CHECK(layer.accelerated("MPI_Irecv") == (rank == 1 ? 1 : 0), "%lld", layer.accelerated("MPI_Irecv"));
    CHECK(layer.accelerated("MPI_Recv") == (rank == 1 ? 2 : 0), "%lld", layer.accelerated("MPI_Recv"));
  }
  CALL(Finalize)();
  return 0;
}
