#include "program.hpp"

#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "gapless/gapless.h"
#include "memory.hpp"

namespace gapless::bench {
namespace {

using Json = nlohmann::json;

// Returns the processor that this process now stays on.
int pin(int core) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  for (int i = 0; core < 0 && i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(CPU_SETSIZE - 1 - i, &allowed)) core = CPU_SETSIZE - 1 - i;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    throw std::runtime_error("cannot stay on processor " + std::to_string(core));
  return core;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of("\n"));
}

// The engine's own word for it: GAPLESS_ISA may name a set that this machine does not run.
std::string kernels_in_force() {
  gapless_type type = nullptr;
  std::size_t bytes = 0;
  std::string text;
  if (gapless_type_named("byte", &type) == GAPLESS_SUCCESS &&
      gapless_type_explain(type, 1, nullptr, 0, &bytes) == GAPLESS_SUCCESS) {
    text.resize(bytes);
    gapless_type_explain(type, 1, text.data(), bytes, &bytes);
  }
  gapless_type_free(&type);
  if (text.empty()) throw std::runtime_error(std::string("engine: ") + gapless_last_error());
  // An older engine, put in this one's place to be compared, does not say.
  return Json::parse(text.c_str()).value("isa", "unknown");
}

}  // namespace

void print(const Json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

bool is_chosen(const Case& of, const Options& options) {
  return matches(options.cases, of.name) && (of.quick || !options.quick);
}

void start(const Options& options, const Json& more) {
  const int core = pin(options.core);
  Json line{{"kind", "start"}, {"launch", options.launch},  {"library", library_version()},
            {"core", core},    {"isa", kernels_in_force()}, {"cache_bytes", last_cache_bytes()}};
  line.update(more);
  print(line);
}

int run_program(const Program& program, int argc, char** argv) {
  const Options options = read_options(argc, argv, program.what, program.extent);
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    program.run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: error: %s\n", program.name, error.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}

}  // namespace gapless::bench
