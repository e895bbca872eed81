// Opens a library that uses MPI, uses it and closes it, several times, and goes on. usage: plugin_host (beside plugin.so)
#include "twin.hpp"

using namespace conformance;

int main(int argc, char** argv) {
  const std::string own = argv[0];
  const std::string plugin = own.substr(0, own.rfind('/') + 1) + "plugin.so";
  Twin twin(&argc, &argv);
  for (int round = 0; round < 5; ++round) {
    void* const handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != nullptr, "%s", dlerror());
    const auto exchange = reinterpret_cast<int (*)(int)>(dlsym(handle, "plugin_exchange"));
    CHECK(exchange != nullptr, "%s", dlerror());
    const int wrong = exchange(3 + round);
    CHECK(wrong == 0, "round %d: element %d", round, wrong - 1);
    dlclose(handle);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  CHECK(twin.layer().accelerated("MPI_Isend") == 5, "%lld accelerated", twin.layer().accelerated("MPI_Isend"));
  return 0;
}
