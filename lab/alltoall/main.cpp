// All-to-alls, timed as a job file asks, or counted: see --help.
#include "../agreement.hpp"
#include "../exchange/agree.hpp"
#include "../facts.hpp"
#include "../json_line.hpp"
#include "group.hpp"
#include "job.hpp"

#include "gapless/gapless_mpi.h"

#include <mpi.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace gapless::lab;
using namespace gapless::lab::alltoall;

constexpr int kWrongData = 1, kUsageError = 2;

constexpr const char* kHelp =
    "Times all-to-alls of integers, as a job file names them:\n"
    "  library, library_persistent           MPI_Alltoall, MPI_Alltoall_init (MPI 4)\n"
    "  library_v, library_v_persistent       MPI_Alltoallv, MPI_Alltoallv_init\n"
    "  ours, ours_persistent                 GAPLESS_Alltoall, GAPLESS_Alltoall_init, by an algorithm's name\n"
    "  ours_v, ours_v_persistent             GAPLESS_Alltoallv, GAPLESS_Alltoallv_init\n"
    "  messages                              MPI_Startall, MPI_Waitall of persistent messages; own block copied\n"
    "  types, types_v                        init and free alone: what a call makes, without communication\n"
    "The members of a group do the same all-to-all and are timed in turns, in an order drawn anew for each "
    "repetition,\n"
    "a call that is not timed before each; data are compared with known values before and after. A sample is one "
    "call,\n"
    "in nanoseconds: the longest of all ranks, each by its own clock behind a barrier.\n"
    "  {\"schema\": 1, \"seed\": 7, \"groups\": [\n"
    "    {\"id\": \"64 B\", \"block_bytes\": 64, \"data\": \"fresh\", \"random\": false, \"in_place\": false,\n"
    "     \"members\": [{\"name\": \"MPI\", \"call\": \"library\"},\n"
    "                 {\"name\": \"zero\", \"call\": \"ours\", \"algorithm\": \"zero-copy\", \"layer\": false}],\n"
    "     \"reps\": {\"min\": 40, \"max\": 300, \"precision\": 0.02, \"budget_ms\": 500, \"warmup\": 1}}]}\n"
    "\"max\": 0: nothing but the verified call is made, and what it took is \"first\" (of use in a simulation).\n"
    "\"random\": blocks of n (d mod 100) / 100 elements, d drawn once for all launches. No algorithm: the model's "
    "choice.\n"
    "Facts, progress, samples, refused members and errors go to the standard output, one JSON object a line.\n"
    "  mpiexec -n 2 every_alltoall --job job.json\n"
    "  every_alltoall --names                  the algorithms, and which of them are irregular\n"
    "  every_alltoall --count 2,3,1024         rounds, messages, blocks sent and copied, slots of every regular "
    "algorithm\n"
    "Exit status: 0; 1 if data were wrong; 2 if the job or the command line is.\n";

Json line(const char* kind) {
  return {{"schema", kSchema}, {"kind", kind}};
}

void write(const Json& line) {
  std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

// On rank 0 alone.
class Output {
 public:
  explicit Output(bool writes) : writes_(writes) {}
  void operator()(const char* kind, Json more) const {
    if (!writes_) return;
    Json whole = line(kind);
    whole.update(more);
    write(whole);
  }

 private:
  bool writes_;
};

bool run_one(const GroupSpec& group, const Run& run, std::uint64_t seed, const Output& output) {
  try {
    const GroupResult result = run_group(group, run, seed);
    for (const auto& [member, reason] : result.refused)
      output("refused", {{"group", group.id}, {"member", member}, {"reason", reason}});
    for (const MemberSamples& of : result.members)
      output("samples", {{"experiment", "alltoall"},
                         {"group", group.id},
                         {"member", of.member},
                         {"metric", "call"},
                         {"unit", "ns"},
                         {"data", group.fresh ? "fresh" : "constant"},
                         {"samples", tenths(of.ns)},
                         {"first", tenth(of.first_ns)},
                         {"verified", true}});
  } catch (const exchange::Refused& refusal) {
    output("refused", {{"group", group.id}, {"reason", refusal.what()}});
  } catch (const MemberError& error) {
    output("error", {{"group", group.id}, {"member", error.member}, {"reason", error.what()}});
    return false;
  }
  return true;
}

int run_job(const std::string& path) {
  Run run;
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  MPI_Comm_dup(MPI_COMM_WORLD, &run.comm);
  MPI_Comm_set_errhandler(run.comm, MPI_ERRORS_RETURN);
  const Output output(run.rank == 0);
  int status = 0;
  try {
    Job job;
    exchange::together([&] { job = read_job(path); });
    const bool present = run.layer.present();
    agree_or_throw(gather_texts(present ? "yes" : "no").front() == (present ? "yes" : "no")
                       ? std::nullopt
                       : std::optional<std::string>("it is not there"),
                   "the layer is under some ranks only");
    const std::vector<std::string> hosts = distinct_hosts();
    output("facts", {{"mpi_library", mpi_library_line()},
                     {"layer_present", present},
                     {"ranks", run.ranks},
                     {"hosts", hosts},
                     {"experiment", "alltoall"}});
    run.layer.set_all(false);
    for (std::size_t i = 0; i < job.groups.size(); ++i) {
      if (!run_one(job.groups[i], run, job.seed * 1'000'003 + i, output)) status = kWrongData;
      output("progress", {{"done", i + 1}, {"of", job.groups.size()}, {"group", job.groups[i].id}});
    }
    run.layer.set_all(true);
  } catch (const std::runtime_error& error) {
    if (run.rank == 0) std::cerr << "every_alltoall: " << error.what() << "\n";
    status = kUsageError;
  }
  MPI_Comm_free(&run.comm);
  return status;
}

int print_names() {
  for (const int irregular : {0, 1})
    for (int k = 0; const char* name = GAPLESS_Alltoall_algorithm(irregular, k); ++k) {
      Json row = line("algorithm");
      row["name"] = name;
      row["irregular"] = irregular != 0;
      write(row);
    }
  return 0;
}

int print_counts(const std::string& list) {
  for (std::size_t at = 0; at < list.size();) {
    char* end = nullptr;
    const long processes = std::strtol(list.c_str() + at, &end, 10);
    if (end == list.c_str() + at || (*end != ',' && *end != '\0') || processes < 1 || processes > (1 << 20)) {
      std::cerr << "every_alltoall: --count wants numbers of processes, with commas\n";
      return kUsageError;
    }
    at = static_cast<std::size_t>(end - list.c_str()) + 1;
    for (int k = 0; const char* name = GAPLESS_Alltoall_algorithm(0, k); ++k)
      for (const int in_place : {0, 1}) {
        GAPLESS_Alltoall_counts counts;
        if (GAPLESS_Alltoall_count(name, static_cast<int>(processes), in_place, &counts) != MPI_SUCCESS) continue;
        Json row = line("counts");
        row.update({{"algorithm", name},
                    {"processes", processes},
                    {"in_place", in_place != 0},
                    {"rounds", counts.rounds},
                    {"messages", counts.messages},
                    {"blocks_sent", counts.blocks_sent},
                    {"blocks_copied", counts.blocks_copied},
                    {"slots", counts.slots}});
        write(row);
      }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string option = argc > 1 ? argv[1] : "";
  if (option == "--help" || option == "-h") return std::cout << kHelp, 0;
  if (option == "--names" && argc == 2) return print_names();
  if (option == "--count" && argc == 3) return print_counts(argv[2]);
  if (option != "--job" || argc != 3)
    return std::cerr << "every_alltoall: --job FILE is wanted; see --help\n", kUsageError;
  MPI_Init(&argc, &argv);
  const int status = run_job(argv[2]);
  MPI_Finalize();
  return status;
}
