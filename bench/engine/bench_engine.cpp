// bench_engine: packing and unpacking by the engine against its rivals, on one processor, in one process.
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "measure.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "serialised.hpp"

namespace {

using namespace gapless;
using namespace gapless::bench;

// Beyond it the caches hold too little of a message for cold and warm to differ.
constexpr std::int64_t kLargestColdBytes = 4'000'000;

void run_operation(const Case& of, Contest& contest, Operation operation, std::int64_t nominal_bytes,
                   const Options& options) {
  Arena& arena = contest.arena();
  std::vector<Rival> rivals = contest.rivals(operation);
  verify(arena, operation, rivals);
  for (const bool cold : {false, true}) {
    if (options.temperature != "both" && (options.temperature == "cold") != cold) continue;
    if (cold && arena.payload_bytes() > kLargestColdBytes) continue;
    // Cold, only the rivals whose speeds are compared there.
    if (cold)
      std::erase_if(
          rivals, [](const Rival& rival) { return rival.chunk_bytes != 0 || rival.name.starts_with("description:"); });
    const std::vector<Samples> measured =
        measure(arena, rivals, options.repetitions, static_cast<std::uint64_t>(options.launch), cold);
    for (std::size_t i = 0; i < rivals.size(); ++i)
      print({{"kind", "samples"},
             {"launch", options.launch},
             {"case", of.name},
             {"group", of.group},
             {"op", operation_name(operation)},
             {"bytes", arena.payload_bytes()},
             {"nominal_bytes", nominal_bytes},
             {"temperature", cold ? "cold" : "warm"},
             {"chunk", rivals[i].chunk_bytes},
             {"rival", rivals[i].name},
             {"loop", measured[i].loop},
             {"times", measured[i].times},
             {"verified", true},
             {"transposes", contest.transposes()},
             {"shortest_run", contest.touched().shortest_run_bytes},
             {"lines", contest.touched().lines},
             {"partial_lines", contest.touched().partial_lines},
             {"samples", measured[i].ns}});
  }
}

void run_case(const Case& of, std::int64_t nominal_bytes, const Options& options) {
  const Message message = of.make(nominal_bytes);
  if (message.descriptions.empty()) {
    print({{"kind", "skipped"},
           {"case", of.name},
           {"nominal_bytes", nominal_bytes},
           {"reason", "not one unit fits, or it spreads over more than a gigabyte"}});
    return;
  }
  if (message.hand.empty()) throw std::runtime_error("no loop by hand is written for it");
  Contest contest(message, options.rivals);
  for (const std::string& name : options.operations)
    run_operation(of, contest, name == "pack" ? Operation::kPack : Operation::kUnpack, nominal_bytes, options);
}

struct Job {
  const Case* of;
  std::int64_t nominal_bytes;
};

void run(const Options& options) {
  Cases all;
  add_layouts(all);
  add_ddtbench(all);
  add_matrices(all);
  add_lists(all, last_cache_bytes());
  std::vector<Job> jobs;
  for (const Case& of : all) {
    if (!is_chosen(of, options)) continue;
    if (!of.scales) jobs.push_back({&of, 0});
    for (std::size_t i = 0; of.scales && i < options.sizes.size(); ++i) jobs.push_back({&of, options.sizes[i]});
  }
  if (options.list) {
    for (const Job& job : jobs)
      std::printf("%s %lld\n", job.of->name.c_str(), static_cast<long long>(job.nominal_bytes));
    return;
  }
  if (options.serialised) {
    for (const Job& job : jobs)
      for (const auto& line : serialised(*job.of, job.nominal_bytes, job.of->make(job.nominal_bytes))) print(line);
    return;
  }
  start(options, {{"jobs", jobs.size()}});
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    print({{"kind", "progress"}, {"done", i}, {"of", jobs.size()}, {"case", jobs[i].of->name}});
    try {
      run_case(*jobs[i].of, jobs[i].nominal_bytes, options);
    } catch (const std::exception& error) {
      throw std::runtime_error(jobs[i].of->name + ", " + std::to_string(jobs[i].nominal_bytes) +
                               " bytes: " + error.what());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what =
      "Measures packing and unpacking by the engine, by hand, by the MPI library that it runs on, and what the "
      "memory allows. Prints JSON lines with raw samples in nanoseconds; `gapless bench engine` judges them.";
  return run_program({"bench_engine", what, Extent::kContest, run}, argc, argv);
}
