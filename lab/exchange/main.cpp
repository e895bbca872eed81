// Messages of any datatypes, timed as a job file asks: see --help.
#include "../agreement.hpp"
#include "../facts.hpp"
#include "agree.hpp"
#include "eager_limit.hpp"
#include "group.hpp"
#include "job.hpp"
#include "options.hpp"
#include "output.hpp"

#include <mpi.h>

#include <cstdint>
#include <iostream>
#include <set>
#include <string>

namespace {

using namespace gapless::lab;
using namespace gapless::lab::exchange;

constexpr int kWrongData = 1;
constexpr int kUsageError = 2;
constexpr std::int64_t kMostEagerBytes = 64 << 20;

// Whether the group's data were right, or it was refused. `said`: methods that were refused before.
bool run_one(const GroupSpec& group, Run& run, std::uint64_t seed, const Output& output, std::set<std::string>& said) {
  try {
    const GroupResult result = run_group(group, run, seed);
    for (const std::string& member : result.without_layer)
      output.refused_member(group.id, member, "the layer is not under this program");
    for (const auto& [member, reason] : result.refused) output.refused_member(group.id, member, reason);
    for (const auto& [method, reason] : result.lacking)
      if (said.insert(method).second) output.refused_method(method, reason);
    for (const MemberSamples& samples : result.members) output.samples(group, samples);
  } catch (const Refused& refusal) {
    output.refused(group.id, refusal.what());
  } catch (const MemberError& error) {
    output.error(group.id, error.member, error.what());
    return false;
  }
  return true;
}

int run_job(const Job& job, Run& run, const Output& output) {
  const std::vector<std::string> presence = gather_texts(run.layer.present() ? "yes" : "no");
  const std::vector<std::string> hosts = distinct_hosts();
  output.facts(mpi_library_line(), run.layer.present(), run.place.ranks, hosts, measure_peer_cost());
  for (const std::string& there : presence) {
    if (there == presence.front()) continue;
    output.error("", "", "the layer is under some ranks only");
    return kWrongData;
  }
  run.layer.set_all(false);
  if (job.asks_eager_limit) output.eager_limit(eager_limit(run.place.rank, kMostEagerBytes), kMostEagerBytes);
  bool right = true;
  std::set<std::string> said;
  for (std::size_t i = 0; i < job.groups.size(); ++i) {
    right = run_one(job.groups[i], run, job.seed * 1'000'003 + i, output, said) && right;
    output.progress(i + 1, job.groups.size(), job.groups[i].id);
  }
  run.layer.set_all(true);
  return right ? 0 : kWrongData;
}

int parse_and_run(int argc, char** argv) {
  Run run;
  MPI_Comm_rank(MPI_COMM_WORLD, &run.place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.place.ranks);
  const bool speaks = run.place.rank == 0;
  const ParseResult parsed = parse_options(argc, argv);
  if (!parsed.run) {
    if (speaks) (parsed.exit_code == 0 ? std::cout : std::cerr) << parsed.text << std::flush;
    return parsed.exit_code;
  }
  if (run.place.ranks < 2) {
    if (speaks) std::cerr << "exchange: needs at least 2 ranks; try: mpiexec -n 2 exchange --job job.json\n";
    return kUsageError;
  }
  try {
    Job job;
    together([&] { job = read_job(parsed.options.job); });
    run.plant = job.plant;
    run.validate = parsed.options.validate;
    return run_job(job, run, Output(speaks));
  } catch (const JobError& error) {
    if (speaks) std::cerr << "exchange: " << error.what() << "\n";
    return kUsageError;
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = parse_and_run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
