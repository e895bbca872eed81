// The ping-pong of the layouts of the expectation tests: see --help.
#include "agreement.hpp"
#include "case.hpp"
#include "facts.hpp"
#include "group.hpp"
#include "layer_switch.hpp"
#include "options.hpp"
#include "output.hpp"

#include <mpi.h>

#include <iostream>

namespace {

using namespace gapless::lab;

constexpr int kUsageError = 2;
constexpr std::int64_t kSmallBytes = 65536;  // up to here, several round trips are timed together

GroupSettings settings_of(const Options& options, std::int64_t payload_bytes, std::size_t index) {
  const bool small = payload_bytes <= kSmallBytes;
  const std::uint64_t seed = options.seed * 1'000'003 + static_cast<std::uint64_t>(options.launch) * 1009 + index;
  return {small ? options.reps_small : options.reps_large, 2, small ? 10 : 1, seed};
}

void run_case(const Case& one, std::size_t index, const Options& options, const LayerSwitch& layer, int rank,
              const Output& output) {
  Subject subject = one.make();
  if (!subject.refused.empty()) {
    output.skipped(one.name, subject.refused);
    return;
  }
  if (!options.basic_only)
    for (const std::string& reason : subject.skipped) output.skipped(one.name, reason);
  std::int64_t payload_bytes = 0;
  for (const ByteRun& run : subject.sent) payload_bytes += run.bytes;
  MPI_Barrier(MPI_COMM_WORLD);
  const GroupSettings settings = settings_of(options, payload_bytes, index);
  for (const MethodResult& method : run_group(one.name, subject, options, settings, layer, rank))
    output.samples(one, payload_bytes, method);
}

int run(const Options& options, int rank) {
  const LayerSwitch layer;
  const std::vector<std::string> presence = gather_texts(layer.present() ? "yes" : "no");
  const Output output(rank == 0,
                      {options.launch, mpi_library_line(), layer.present(), 2, distinct_hosts(), options.fresh});
  if (presence[0] != presence[1]) {
    output.error("", "the layer is under rank " + std::string(presence[0] == "yes" ? "0" : "1") + " only");
    return 1;
  }
  output.facts(measure_peer_cost());
  const std::vector<Case> cases = make_cases(options);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    try {
      run_case(cases[i], i, options, layer, rank, output);
    } catch (const VerificationError& error) {
      output.error(cases[i].name, error.what());
      return 1;
    }
    output.progress(static_cast<int>(i + 1), static_cast<int>(cases.size()), cases[i].name);
  }
  layer.set(true);
  return 0;
}

int parse_and_run(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const ParseResult parsed = parse_options(argc, argv);
  if (!parsed.run) {
    if (rank == 0) (parsed.exit_code == 0 ? std::cout : std::cerr) << parsed.text << std::flush;
    return parsed.exit_code;
  }
  const std::vector<Case> cases = make_cases(parsed.options);
  if (parsed.options.list) {
    if (rank == 0)
      for (const Case& one : cases) std::cout << one.name << "\n";
    return 0;
  }
  if (cases.empty()) {
    if (rank == 0) std::cerr << "pingpong: no group's name contains '" << parsed.options.filter << "'; see --list\n";
    return kUsageError;
  }
  if (ranks != 2) {
    if (rank == 0)
      std::cerr << "pingpong: needs exactly 2 ranks, but was started with " << ranks
                << "; try: mpiexec -n 2 pingpong --launch 1\n";
    return kUsageError;
  }
  return run(parsed.options, rank);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = parse_and_run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
