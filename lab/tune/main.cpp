// What `gapless tune` runs, on two ranks under the layer: every way to move a message, over a grid of messages, in
// turn. Prints raw samples; what follows from them is the command's business (python/gapless/tune/measure.py).
#include "agreement.hpp"
#include "facts.hpp"
#include "layer_switch.hpp"
#include "peer_cost.hpp"
#include "tune/cell.hpp"
#include "tune/split.hpp"
#include "tune/ways.hpp"

#include <mpi.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <sstream>

namespace {

using namespace gapless::lab;
using namespace gapless::lab::tune;
using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kUsageError = 2;
constexpr std::int64_t kSmallestPast = 32 << 10;  // [bytes] nothing is gained below

struct Options {
  int launch = 1;
  double seconds = 5;
  bool constant = false;
  bool paired = false;
  std::optional<double> split;
  std::vector<std::string> grids;
};

std::vector<std::int64_t> numbers(const std::string& text) {
  std::vector<std::int64_t> found;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) found.push_back(std::stoll(word));
  return found;
}

// "vector:64,256:4,8" is every size with every length of runs, at least two runs each.
std::vector<Size> sizes_of(const std::vector<std::string>& grids) {
  std::vector<Size> sizes;
  for (const std::string& grid : grids) {
    std::istringstream parts(grid);
    std::string name, bytes, runs;
    std::getline(parts, name, ':');
    std::getline(parts, bytes, ':');
    std::getline(parts, runs, ':');
    const auto shape = std::find(std::begin(kShapeNames), std::end(kShapeNames), name);
    if (shape == std::end(kShapeNames)) throw std::invalid_argument("no shape is called " + name);
    for (const std::int64_t size : numbers(bytes)) {
      for (const std::int64_t run : numbers(runs)) {
        if (run < 4 || run % 4 != 0) throw std::invalid_argument("runs are multiples of 4 bytes");
        // Whole runs, and whole rows of a nest.
        const std::int64_t unit = name == "nest" && size / run >= 16 ? 8 * run : 2 * run;
        if (size / unit < 1) continue;
        sizes.push_back({static_cast<Shape>(shape - std::begin(kShapeNames)), size / unit * unit, run});
      }
    }
  }
  return sizes;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Measurement {
 public:
  Measurement(const Options& options, int rank, const LayerSwitch& layer)
      : options_(options),
        rank_(rank),
        layer_(layer),
        mover_(rank, layer, !options.constant),
        random_(static_cast<unsigned>(options.launch)) {}

  // Pass after pass over all cells, in another order each time, until the time is up. Without time: one pass.
  void run(const std::vector<Size>& sizes) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    const auto begin = Clock::now();
    while (!is_over(begin) || samples_.empty()) {
      std::shuffle(order.begin(), order.end(), random_);
      std::size_t done = 0;
      for (const std::size_t k : order) {
        if (is_over(begin) && options_.seconds > 0) break;
        Cell cell(sizes[k]);
        one(cell, samples_[k]);
        ++done;
        if (rank_ == 0 && done % 8 == 0) {
          const double share = std::min(1.0, seconds_since(begin) / std::max(options_.seconds, 0.1));
          std::cout << Json{{"kind", "progress"}, {"share", share}}.dump() << std::endl;
        }
      }
    }
    for (const auto& [k, of] : samples_) print(sizes[k], of);
    if (options_.paired && rank_ == 0) {
      std::cout << Json{{"kind", "paired"}, {"messages", paired_}, {"not", not_paired_}}.dump() << '\n';
    }
  }

 private:
  using Samples = std::map<std::string, std::vector<double>>;

  // Rank 0 looks at the clock.
  bool is_over(Clock::time_point begin) const {
    int over = seconds_since(begin) >= options_.seconds ? 1 : 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over != 0;
  }

  // All ways in turn, in another order each time; the first time warms up. Short messages more often.
  void one(Cell& cell, Samples& samples) {
    const int times = cell.size().bytes <= 4096 ? 9 : cell.size().bytes <= 131072 ? 5 : 2;
    std::vector<const Way*> order;
    for (const Way& way : options_.paired ? paired_ways() : ways()) {
      if (way.sent != Deed::kPackedPast || cell.size().bytes >= kSmallestPast) order.push_back(&way);
    }
    for (int k = 0; k <= times; ++k) {
      std::shuffle(order.begin(), order.end(), random_);
      for (const Way* const way : order) {
        std::optional<double> ns = options_.paired ? time_of_two(cell, *way) : mover_.time(cell, *way);
        if (k > 0 && ns) samples[way->name].push_back(*ns);
      }
    }
  }

  // The second of two messages: each way has memory of its own, which it finds as programs do that go one way. Nothing,
  // on rank 0, where what it sent and received was not paired, by the layer's own counters, but should have been.
  std::optional<double> time_of_two(Cell& cell, const Way& way) {
    mover_.time(cell, way);
    const long long before = layer_.counted().value_or(LayerSwitch::Counted{}).paired;
    const double ns = mover_.time(cell, way);
    const long long paired = layer_.counted().value_or(LayerSwitch::Counted{}).paired - before;
    if (way.sent != Deed::kPaired) return paired == 0 ? std::optional(ns) : std::nullopt;
    ++(paired == 2 ? paired_ : not_paired_);
    return paired == 2 ? std::optional(ns) : std::nullopt;
  }

  void print(const Size& size, const Samples& samples) const {
    if (rank_ != 0) return;
    Json line{{"kind", "cell"},
              {"launch", options_.launch},
              {"shape", kShapeNames[static_cast<int>(size.shape)]},
              {"bytes", size.bytes},
              {"run_bytes", size.run_bytes}};
    for (const auto& [name, ns] : samples) line["ns"][name] = ns;
    std::cout << line.dump() << '\n';
  }

  const Options& options_;
  int rank_;
  const LayerSwitch& layer_;
  Mover mover_;
  std::mt19937 random_;
  int paired_ = 0, not_paired_ = 0;  // of the messages that were to be
  std::map<std::size_t, Samples> samples_;
};

int measure(const Options& options, int rank) {
  const LayerSwitch layer;
  const std::vector<std::string> presence = gather_texts(layer.present() ? "yes" : "no");
  const std::vector<std::string> hosts = distinct_hosts();
  MPI_Comm node;
  int here = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  const std::optional<PeerCost> cost = measure_peer_cost();
  if (rank == 0) {
    Json line{{"kind", "facts"}, {"library", mpi_library_line()}, {"hosts", hosts}, {"near", here == 2}};
    if (cost) line["peer_line_ns"] = {{"plain", cost->plain_ns}, {"past", cost->past_ns}};
    std::cout << line.dump() << std::endl;
  }
  if (presence[0] != "yes" || presence[1] != "yes") {
    if (rank == 0) std::cerr << "tune: the layer is not under both ranks\n";
    return 1;
  }
  if (options.split) {
    layer.set_all(false);
    const Json ratios = here == 2 ? measure_split(*options.split) : Json::array();
    if (rank == 0) std::cout << Json{{"kind", "split"}, {"ratios", ratios}}.dump() << '\n';
  }
  if (options.grids.empty()) return 0;
  int code = 0;
  try {
    Measurement(options, rank, layer).run(sizes_of(options.grids));
  } catch (const WrongData& error) {
    std::cerr << "tune: rank " << rank << ": " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
    code = 1;
  }
  layer.set(true);
  return code;
}

int parse_and_measure(int argc, char** argv) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CLI::App app("Times every way to move a message: what 'gapless tune' runs");
  Options options;
  app.add_option("--launch", options.launch, "The number of this launch");
  app.add_option("--seconds", options.seconds, "How long to measure, once over everything apart");
  app.add_flag("--constant", options.constant, "Send the same data each time, as benchmarks do and programs do not");
  app.add_flag("--paired", options.paired, "Time messages through memory that both share, against the rules in force");
  app.add_option("--split", options.split,
                 "Time packed messages in one piece and in two, without the layer; which share of the time is a gain");
  app.add_option("--grid", options.grids, "SHAPE:BYTES,...:BYTES OF A RUN,...");
  try {
    app.parse(argc, argv);
    sizes_of(options.grids);
  } catch (const CLI::ParseError& error) {
    return rank == 0 ? app.exit(error) : error.get_exit_code();
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "tune: " << error.what() << '\n';
    return kUsageError;
  }
  if (options.grids.empty() && !options.split) {
    if (rank == 0) std::cerr << "tune: name what to measure: --grid or --split\n";
    return kUsageError;
  }
  if (ranks != 2) {
    if (rank == 0) std::cerr << "tune: needs exactly 2 ranks, but was started with " << ranks << '\n';
    return kUsageError;
  }
  return measure(options, rank);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = parse_and_measure(argc, argv);
  MPI_Finalize();
  return code;
}
