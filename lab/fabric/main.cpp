// What `gapless measure fabric` runs, once for each rank, with nothing of MPI: ping-pongs of layouts between two ranks
// by each way of a channel in turn, or channels that hold their memory and do little (--idle). Prints raw samples.
//
//   fabric_exchange --rank R --processes P --meeting HOST:PORT [--provider NAME] --job FILE | --idle BYTES
//
// The secret of the job is in GAPLESS_JOB_SECRET, further settings in GAPLESS_FABRIC_*.
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "fabric/exchange.hpp"

namespace {

using namespace gapless::lab::fabric;

constexpr int kWrongData = 1, kUsageError = 2, kFailed = 3;

int run(int argc, char** argv) {
  CLI::App app{"Times layouts between processes by libfabric"};
  Place place;
  std::string file;
  std::int64_t idle_bytes = 0;
  app.add_option("--rank", place.rank)->required();
  app.add_option("--processes", place.processes);
  app.add_option("--meeting", place.meeting, "HOST:PORT, where rank 0 listens")->required();
  app.add_option("--provider", place.provider);
  app.add_option("--domain", place.domain);
  app.add_option("--timeout", place.timeout_s, "[s]");
  app.add_option("--job", file);
  app.add_option("--idle", idle_bytes, "Of a message around the ring");
  try {
    app.parse(argc, argv);
    if (file.empty() == (idle_bytes == 0)) throw CLI::ValidationError("one of --job and --idle");
    if (!file.empty() && place.processes != 2) throw CLI::ValidationError("a job has two processes");
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  if (!file.empty()) return exchange(read_job(file), place) ? 0 : kWrongData;
  idle(place, idle_bytes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fabric_exchange: %s\n", error.what());
    return kFailed;
  }
}
