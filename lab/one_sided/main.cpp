// Put, Get and independent file operations with derived datatypes, each described in several ways: see --help.
#include "../agreement.hpp"
#include "../exchange/agree.hpp"
#include "../facts.hpp"
#include "group.hpp"

#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

using namespace gapless::lab;
using namespace gapless::lab::one_sided;
using Json = nlohmann::ordered_json;

constexpr int kWrongData = 1, kUsageError = 2;

constexpr const char* kAbout =
    "Times MPI_Put and MPI_Get between two ranks, and MPI_File_write_at and _read_at on a file of rank 0, with "
    "derived\n"
    "datatypes at one end or both. A group is one operation with one message, and its members are\n"
    "  the descriptions of that message (equal type maps and signatures, proved first),\n"
    "  normalised   the simplest type of the same type map and signature, made from the engine's normal form,\n"
    "  packed       the engine packs or unpacks the local data, and contiguous bytes are carried,\n"
    "  contiguous   the payload as contiguous ints at both ends,\n"
    "  gapless      the first description with the Gapless layer on (files, and only where it is under the program).\n"
    "What every member moves is compared with known values, gaps included, before and after timing. Members take\n"
    "turns, in an order drawn anew each time; a sample is one completed operation on rank 0, in nanoseconds (the mean\n"
    "of several where the payload is small), after one that is not timed. Raw samples go to the standard output, one\n"
    "JSON object a line; `gapless bench one-sided` runs several launches and judges them.";
constexpr const char* kExamples =
    "Examples:\n"
    "  mpiexec -n 2 one_sided --launch 1 > one_sided.1.jsonl\n"
    "  mpiexec -n 2 one_sided --launch 1 --quick --filter put/allocate\n"
    "  one_sided --list                                               # the names of all groups";

struct Options {
  int launch = 0, reps = 9;
  bool quick = false, list = false;
  std::string filter, folder = "/dev/shm";
};

// The exit status where nothing is to be run.
std::optional<int> parse(int argc, char** argv, Options& options, bool speaks) {
  CLI::App app(kAbout, "one_sided");
  app.footer(kExamples);
  CLI::Option* launch = app.add_option("--launch", options.launch, "Number of this launch, written into every row");
  app.add_option("--reps", options.reps, "Samples of each member")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--quick", options.quick, "3200 bytes and 2.56 MB, blocks of 10 ints only");
  app.add_option("--filter", options.filter, "Only groups whose name contains this text");
  app.add_option("--folder", options.folder, "Where files are made")->capture_default_str();
  app.add_flag("--list", options.list, "Print the names of the groups and leave");
  try {
    app.parse(argc, argv);
    if (!options.list && launch->count() == 0) throw CLI::RequiredError("--launch");
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int code = app.exit(error, out, complaint);
    if (speaks) (code == 0 ? std::cout : std::cerr) << out.str() << complaint.str() << std::flush;
    return code == 0 ? 0 : kUsageError;
  }
}

struct Named {
  std::string name;
  OperationSpec operation;
  Case one;
};

// A transfer of many runs into a created window takes Open MPI 17 GB of memory at 2.56 MB (5.0.11: an operation of the
// network for each run), and Intel MPI half a second: it is measured at smaller sizes only.
constexpr std::int64_t kMaxIntoCreatedWindow = 64'000;

std::vector<Named> chosen(const Options& options) {
  std::vector<Named> groups;
  for (const OperationSpec& operation : operations()) {
    for (const Case& one : make_cases(options.quick)) {
      if (operation.carrier == Carrier::kCreatedWindow && one.bytes > kMaxIntoCreatedWindow) continue;
      const std::string name = operation.name + "/" + one.name();
      if (name.find(options.filter) != std::string::npos) groups.push_back({name, operation, one});
    }
  }
  return groups;
}

class Output {
 public:
  Output(bool writes, int launch) : writes_(writes), launch_(launch), library_(mpi_library_line()) {}
  void write(const char* kind, const Json& more) const {
    Json line{{"schema", 1}, {"kind", kind}, {"experiment", "one_sided"}, {"launch", launch_}};
    line.update(more);
    if (writes_) std::cout << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }
  void result(const Named& group, const GroupResult& result) const {
    for (const auto& [member, reason] : result.refused)
      write("refused", {{"group", group.name}, {"member", member}, {"reason", reason}});
    for (const MemberSamples& samples : result.members) {
      Json numbers = Json::array();
      for (const double ns : samples.ns) numbers.push_back(std::round(ns * 10) / 10);
      write("samples", {{"mpi_library", library_},
                        {"group", group.name},
                        {"operation", group.operation.name},
                        {"case", group.one.name()},
                        {"member", samples.member},
                        {"payload_bytes", result.payload_bytes},
                        {"unit", "ns"},
                        {"verified", true},
                        {"samples", std::move(numbers)}});
    }
  }

 private:
  bool writes_;
  int launch_;
  std::string library_;
};

int run(const Options& options, int rank) {
  const Output output(rank == 0, options.launch);
  const std::vector<Named> groups = chosen(options);
  const LayerSwitch layer;
  layer.set(false);
  bool right = true;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::uint64_t seed = static_cast<std::uint64_t>(options.launch) * 1'000'003 + i;
    try {
      output.result(groups[i],
                    run_group(groups[i].operation, groups[i].one, {options.reps, rank, options.folder, &layer, seed}));
    } catch (const exchange::Refused& refusal) {
      output.write("refused", {{"group", groups[i].name}, {"reason", refusal.what()}});
    } catch (const VerificationError& error) {
      output.write("error", {{"group", groups[i].name}, {"reason", error.what()}});
      right = false;
    }
    output.write("progress", {{"done", i + 1}, {"of", groups.size()}, {"group", groups[i].name}});
  }
  layer.set(true);
  return right ? 0 : kWrongData;
}

int parse_and_run(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Options options;
  if (const auto status = parse(argc, argv, options, rank == 0)) return *status;
  if (options.list) {
    if (rank == 0)
      for (const Named& group : chosen(options)) std::cout << group.name << "\n";
    return 0;
  }
  if (ranks != 2) {
    if (rank == 0) std::cerr << "one_sided: needs 2 ranks; try: mpiexec -n 2 one_sided --launch 1\n";
    return kUsageError;
  }
  return run(options, rank);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = parse_and_run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
