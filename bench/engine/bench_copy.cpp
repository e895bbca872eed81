// bench_copy: typed copy between every two messages of the benchmark that have equal signatures, against pack and
// unpack by the same engine with a buffer in between, and each of the two alone, in turn; pairs that transpose a matrix
// also against the naive loop.
#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

#include "bench/samples.h"
#include "check.hpp"
#include "memory.hpp"
#include "program.hpp"

namespace {

using namespace gapless;
using namespace gapless::bench;
using Json = nlohmann::json;

constexpr double kSampleNs = 20e3;  // at least, so that the clock does not show
// Of a last cache, whose size the lists beyond it are made for: more is not one process's (kernel/caches).
constexpr std::int64_t kMaxCacheBytes = std::int64_t{64} << 20;

// A message with memory of its own.
struct End {
  std::string name;
  lab::EngineType type;
  std::int64_t count = 1, bytes = 0, low = 0;
  std::unique_ptr<Pages> pages;
  char* origin() const { return pages->data() - low; }
};

End make_end(const std::string& name, const Description& description) {
  End end;
  end.name = name;
  end.type = description.type.engine();
  end.count = description.count;
  std::int64_t size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(gapless_type_size(end.type.handle(), &size));
  check(gapless_type_extent(end.type.handle(), &lower, &extent));
  check(gapless_type_true_extent(end.type.handle(), &true_lower, &true_extent));
  end.bytes = size * end.count;
  const std::int64_t reach = (end.count - 1) * extent;
  end.low = true_lower + std::min<std::int64_t>(reach, 0);
  end.pages = std::make_unique<Pages>(static_cast<std::size_t>(true_extent + std::abs(reach)));
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < end.pages->size(); ++i) end.pages->data()[i] = static_cast<char>(random());
  return end;
}

// A square matrix of doubles with 8 more in each row, by rows and by columns.
struct Matrix {
  std::int64_t n, leading;
  explicit Matrix(std::int64_t payload_bytes) : n(1), leading(0) {
    while ((n + 1) * (n + 1) * 8 <= payload_bytes) ++n;
    leading = n + 8;
  }
  Description by_rows() const {
    const int rows = static_cast<int>(n), all = static_cast<int>(leading);
    return {"rows", 1, TypeSpec::vector(rows, rows, all, TypeSpec::float64())};
  }
  Description by_columns() const {
    const int rows = static_cast<int>(n), all = static_cast<int>(leading);
    return {"columns", 1, TypeSpec::hvector(rows, 1, 8, TypeSpec::vector(rows, 1, all, TypeSpec::float64()))};
  }
  // What a scientist would write, compiled by itself: what stands around it must not change its loop.
  [[gnu::noinline]] void transpose(const double* from, double* to) const {
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) to[j * leading + i] = from[i * leading + j];
  }
};

std::vector<End> ends_of(const Cases& all, const Options& options, std::int64_t nominal_bytes) {
  std::vector<End> ends;
  for (const Case& of : all) {
    if (of.scales != (nominal_bytes != 0) || !is_chosen(of, options)) continue;
    const Message message = of.make(nominal_bytes);
    if (!message.descriptions.empty()) ends.push_back(make_end(of.name, message.descriptions.front()));
  }
  if (nominal_bytes == 0 || !matches(options.cases, "matrix")) return ends;
  const Matrix matrix(nominal_bytes);
  ends.push_back(make_end("matrix/rows", matrix.by_rows()));
  ends.push_back(make_end("matrix/columns", matrix.by_columns()));
  return ends;
}

class Pair {
 public:
  Pair(const End& from, const End& to, std::int64_t nominal_bytes)
      : from_(from), to_(to), nominal_(nominal_bytes), packed_(static_cast<std::size_t>(from.bytes)) {}

  bool transposes() const { return from_.name == "matrix/rows" && to_.name == "matrix/columns"; }

  void copy() const {
    std::int64_t moved = 0;
    check(gapless_copy(from_.origin(), from_.count, from_.type.handle(), to_.origin(), to_.count, to_.type.handle(), 0,
                       from_.bytes, &moved));
  }
  void pack() {
    std::int64_t moved = 0;
    check(gapless_pack(from_.origin(), from_.count, from_.type.handle(), 0, packed_.data(), from_.bytes, &moved));
  }
  void unpack() const {
    std::int64_t moved = 0;
    check(gapless_unpack(packed_.data(), from_.bytes, 0, to_.origin(), to_.count, to_.type.handle(), &moved));
  }
  void through() {
    pack();
    unpack();
  }
  void naive() const {
    Matrix(nominal_).transpose(reinterpret_cast<const double*>(from_.origin()),
                               reinterpret_cast<double*>(to_.origin()));
  }

  // Every way writes the same bytes, and they are the source's.
  void verify() {
    const std::size_t bytes = to_.pages->size();
    std::vector<char> expected(bytes);
    const auto run = [&](auto way) {
      std::memset(to_.pages->data(), 0x5a, bytes);
      way();
    };
    run([&] { through(); });
    std::memcpy(expected.data(), to_.pages->data(), bytes);
    const auto same = [&](const char* what) {
      if (std::memcmp(expected.data(), to_.pages->data(), bytes) != 0)
        throw std::runtime_error(from_.name + " to " + to_.name + ": " + what + " wrote other bytes");
    };
    run([&] { copy(); });
    same("the copy");
    if (!transposes()) return;
    run([&] { naive(); });
    same("the naive loop");
  }

  Json measure(const Options& options, std::uint64_t seed) {
    std::vector<std::vector<double>> samples(transposes() ? 5 : 4);
    std::vector<std::int64_t> times;
    const auto run = [&](std::size_t way, std::int64_t repeats) {
      const double start = now_ns();
      for (std::int64_t i = 0; i < repeats; ++i) {
        if (way == 0) copy();
        if (way == 1) through();
        if (way == 2) pack();
        if (way == 3) unpack();
        if (way == 4) naive();
        asm volatile("" : : : "memory");
      }
      return now_ns() - start;
    };
    for (std::size_t way = 0; way < samples.size(); ++way) {
      double best = run(way, 1);
      for (int i = 0; i < 3; ++i) best = std::min(best, run(way, 1));
      times.push_back(static_cast<std::int64_t>(kSampleNs / std::max(best, 1.0)) + 1);
    }
    std::mt19937_64 random(seed);
    std::vector<std::size_t> order(samples.size());
    for (std::size_t way = 0; way < order.size(); ++way) order[way] = way;
    for (int repetition = 0; repetition < options.repetitions; ++repetition) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t way : order) {
        run(way, 1);
        samples[way].push_back(run(way, times[way]) / static_cast<double>(times[way]));
      }
    }
    Json line{
        {"kind", "samples"},     {"launch", options.launch},  {"from", from_.name},         {"to", to_.name},
        {"bytes", from_.bytes},  {"nominal_bytes", nominal_}, {"transposes", transposes()}, {"verified", true},
        {"copy_ns", samples[0]}, {"through_ns", samples[1]},  {"pack_ns", samples[2]},      {"unpack_ns", samples[3]}};
    if (transposes()) line["naive_ns"] = samples[4];
    return line;
  }

 private:
  const End &from_, &to_;
  std::int64_t nominal_;
  std::vector<char> packed_;
};

bool are_alike(const End& a, const End& b) {
  int equal = 0;
  if (a.bytes != b.bytes) return false;
  check(gapless_signature_equal(a.type.handle(), a.count, b.type.handle(), b.count, &equal));
  return equal == 1;
}

void run(const Options& options) {
  Cases all;
  add_layouts(all);
  add_ddtbench(all);
  add_lists(all, std::min(last_cache_bytes(), kMaxCacheBytes));
  start(options);
  std::vector<std::int64_t> sizes = options.sizes;
  sizes.push_back(0);
  std::uint64_t seed = static_cast<std::uint64_t>(options.launch) << 32;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::vector<End> ends = ends_of(all, options, sizes[i]);
    for (std::size_t k = 0; k < ends.size(); ++k) {
      print({{"kind", "progress"}, {"done", i * 1000 + 1000 * k / ends.size()}, {"of", 1000 * sizes.size()}});
      for (const End& to : ends) {
        if (!are_alike(ends[k], to)) continue;
        if (&ends[k] == &to) continue;  // one buffer cannot be both ends
        Pair pair(ends[k], to, sizes[i]);
        pair.verify();
        print(pair.measure(options, ++seed));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what =
      "Measures typed copy between every two messages of equal signature, against pack and unpack. Prints JSON lines "
      "with raw samples in nanoseconds; `gapless bench copy` judges them.";
  return run_program({"bench_copy", what, Extent::kCopy, run}, argc, argv);
}
