#include "options.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace gapless::lab {
namespace {

constexpr int kRepsLarge = 25;
constexpr int kRepsSmall = 100;
constexpr int kQuickRepsLarge = 9;
constexpr int kQuickRepsSmall = 30;

const std::vector<std::string> kMethods{"contiguous",
                                        "manual",
                                        "pack",
                                        "native",
                                        "gapless",
                                        "gapless_send",
                                        "gapless_receive",
                                        "native_nonblocking",
                                        "gapless_nonblocking",
                                        "engine",
                                        "engine_pack",
                                        "engine_unpack"};

const std::vector<std::string> kFamilies{"tests", "applications", "found"};

constexpr const char* kAbout =
    "Ping-pong between two ranks of the four basic layouts (tiled, block, bucket, alternating), of all layouts of\n"
    "the expectation tests, or of applications, each sent\n"
    "  contiguous  as plain MPI_INT out of a contiguous buffer: the bound to reach,\n"
    "  manual      packed and unpacked by hand-written loops,\n"
    "  pack        through MPI_Pack, MPI_PACKED and MPI_Unpack,\n"
    "  native      as an MPI derived datatype, the Gapless layer off,\n"
    "  gapless     as the same datatype with the layer on (only where the layer is under the program).\n"
    "Further methods on demand: native_nonblocking and gapless_nonblocking (MPI_Isend, MPI_Irecv, MPI_Wait);\n"
    "gapless_send and gapless_receive (the layer on in one direction); engine (the layer's work done by the\n"
    "program: the engine packs, the packed bytes are sent, the engine unpacks); engine_pack and engine_unpack (no\n"
    "message: a sample is one call).\n"
    "Before timing, all descriptions of a layout are proved to have the same type map, and every method's data are\n"
    "compared with known values on both ranks; once again after timing. A sample is half of a round trip on rank 0,\n"
    "in nanoseconds; up to 64 KB ten round trips are timed together and divided. Programs write what they send: with\n"
    "fresh data the sender writes its data before each message, and the time of that is left out of a sample; the\n"
    "same round trips with it are a second list, `cycle_samples`. Raw samples go to the standard output, one JSON\n"
    "object a line; `gapless measure` runs several launches and judges them.";

constexpr const char* kExamples =
    "Examples:\n"
    "  mpiexec -n 2 pingpong --launch 1 > results/pingpong.1.jsonl\n"
    "  gapless run -- mpiexec -n 2 pingpong --launch 1 --quick      # with the layer\n"
    "  mpiexec -n 2 pingpong --launch 1 --filter tiled/v1/A=2/      # a few groups only\n"
    "  pingpong --list                                              # the names of all groups";

}  // namespace

ParseResult parse_options(int argc, char** argv) {
  ParseResult result{true, 0, "", {}};
  Options& options = result.options;
  CLI::App app(kAbout, "pingpong");
  app.footer(kExamples);
  CLI::Option* launch = app.add_option("--launch", options.launch,
                                       "Number of this launch, written into every row; also changes the order of "
                                       "the methods (required unless --list)");
  app.add_option("--seed", options.seed, "Seed of the shuffled orders")->capture_default_str();
  app.add_flag("--quick", options.quick, "Fewer samples, and A = 2, 10, 1000 only");
  app.add_option("--reps-large", options.reps_large, "Samples of each method at 2560000 bytes (25; quick: 9)")
      ->check(CLI::PositiveNumber);
  app.add_option("--reps-small", options.reps_small, "Samples of each method at 3200 bytes (100; quick: 30)")
      ->check(CLI::PositiveNumber);
  app.add_option("--filter", options.filter, "Only groups whose name contains this text");
  app.add_flag("--all-layouts", options.all_layouts, "Also the layouts of Expectation Tests 2, 10 and 11, and every A");
  app.add_option("--layouts", options.layouts,
                 "tests (of the paper), applications (DDTBench), found (where others found the layer slow)")
      ->delimiter(',')
      ->check(CLI::IsMember(kFamilies));
  std::string data = "fresh";
  app.add_option("--data", data, "fresh: the sender writes its data before each message; constant: never")
      ->check(CLI::IsMember({"fresh", "constant"}));
  app.add_flag("--basic-only", options.basic_only, "No other descriptions of a layout than the basic one");
  app.add_option("--sizes", options.sizes, "Message sizes in bytes (3200,2560000)")
      ->delimiter(',')
      ->check(CLI::Range(4, 1 << 28));
  app.add_option("--blocks", options.blocks, "Values of A (2,10,100,1000; quick: 2,10,1000)")
      ->delimiter(',')
      ->check(CLI::Range(2, 1 << 24));
  app.add_option("--methods", options.methods, "What is measured (contiguous,manual,pack,native,gapless)")
      ->delimiter(',')
      ->check(CLI::IsMember(kMethods));
  app.add_flag("--list", options.list, "Print the names of the groups and leave");
  try {
    app.parse(argc, argv);
    if (!options.list && launch->count() == 0) throw CLI::RequiredError("--launch");
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int code = app.exit(error, out, complaint);
    return {false, code == 0 ? 0 : 2, out.str() + complaint.str(), options};
  }
  options.fresh = data == "fresh";
  if (options.reps_large == 0) options.reps_large = options.quick ? kQuickRepsLarge : kRepsLarge;
  if (options.reps_small == 0) options.reps_small = options.quick ? kQuickRepsSmall : kRepsSmall;
  return result;
}

}  // namespace gapless::lab
