// bench_copy_mpi: GAPLESS_Copy on MPI's own handles between every two messages of the benchmark that are strided and
// have equal signatures, against MPI_Sendrecv of the process with itself and MPI_Pack + MPI_Unpack; and bounded and
// circular vectors against a plain vector of as many bytes. In turn, in a process of one MPI library, without the
// layer.
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>

#include "bench/samples.h"
#include "check.hpp"
#include "gapless/gapless_mpi.h"
#include "memory.hpp"
#include "program.hpp"

namespace {

using namespace gapless;
using namespace gapless::bench;
using Json = nlohmann::json;
using Way = std::function<void()>;

constexpr double kSampleNs = 20e3;  // at least, so that the clock does not show

void must(int code) {
  if (code != MPI_SUCCESS) throw std::runtime_error("an MPI call failed");
}

// A message with memory of its own.
struct End {
  std::string name;
  lab::EngineType engine;
  lab::MpiType type;
  int count = 1;
  std::int64_t bytes = 0, low = 0, reach = 0;  // [bytes] of data; where they begin, and how far they go from there
  std::unique_ptr<Pages> pages;
  char* origin() const { return pages->data() - low; }
  bool is_strided() const { return reach > bytes; }
};

End make_end(const std::string& name, int count, const TypeSpec& spec) {
  End end;
  end.name = name;
  end.engine = spec.engine();
  end.type = spec.commit();
  end.count = count;
  std::int64_t size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(gapless_type_size(end.engine.handle(), &size));
  check(gapless_type_extent(end.engine.handle(), &lower, &extent));
  check(gapless_type_true_extent(end.engine.handle(), &true_lower, &true_extent));
  end.bytes = size * count;
  const std::int64_t last = (count - 1) * extent;
  end.low = true_lower + std::min<std::int64_t>(last, 0);
  end.reach = true_extent + std::abs(last);
  end.pages = std::make_unique<Pages>(static_cast<std::size_t>(end.reach));
  std::mt19937_64 random(7);
  for (std::size_t i = 0; i < end.pages->size(); ++i) end.pages->data()[i] = static_cast<char>(random());
  return end;
}

// Samples of each way [ns], which take turns in an order of their own each time.
std::vector<std::vector<double>> measure(const std::vector<Way>& ways, int repetitions, std::uint64_t seed) {
  const auto run = [&](std::size_t way, std::int64_t repeats) {
    const double start = now_ns();
    for (std::int64_t i = 0; i < repeats; ++i) {
      ways[way]();
      asm volatile("" : : : "memory");
    }
    return now_ns() - start;
  };
  std::vector<std::int64_t> times;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    double best = run(way, 1);
    for (int i = 0; i < 3; ++i) best = std::min(best, run(way, 1));
    times.push_back(static_cast<std::int64_t>(kSampleNs / std::max(best, 1.0)) + 1);
  }
  std::vector<std::vector<double>> samples(ways.size());
  std::vector<std::size_t> order(ways.size());
  for (std::size_t way = 0; way < order.size(); ++way) order[way] = way;
  std::mt19937_64 random(seed);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t way : order) {
      run(way, 1);
      samples[way].push_back(run(way, times[way]) / static_cast<double>(times[way]));
    }
  }
  return samples;
}

class Pair {
 public:
  Pair(const End& from, const End& to) : from_(from), to_(to), packed_(static_cast<std::size_t>(from.bytes)) {}

  std::vector<Way> ways() {
    return {[this] { copy(); }, [this] { exchange(); }, [this] { through(); }};
  }
  // The two halves of a copy, each alone: no copy by the same kernels takes less than the slower one.
  Way packing() {
    return [this] {
      MPI_Count moved = 0;
      must(GAPLESS_Pack_at(from_.origin(), from_.count, from_.type.handle(), 0, packed_.data(), from_.bytes, &moved));
    };
  }
  Way unpacking() {
    return [this] {
      MPI_Count moved = 0;
      must(GAPLESS_Unpack_at(packed_.data(), from_.bytes, 0, to_.origin(), to_.count, to_.type.handle(), &moved));
    };
  }

  // Every way writes the same bytes.
  void verify() {
    std::vector<char> expected;
    for (const Way& way : ways()) {
      std::memset(to_.pages->data(), 0x5a, to_.pages->size());
      way();
      if (expected.empty()) expected.assign(to_.pages->data(), to_.pages->data() + to_.pages->size());
      if (std::memcmp(expected.data(), to_.pages->data(), expected.size()) != 0)
        throw std::runtime_error(from_.name + " to " + to_.name + ": the ways wrote different bytes");
    }
  }

 private:
  void copy() const {
    must(GAPLESS_Copy(from_.origin(), from_.count, from_.type.handle(), to_.origin(), to_.count, to_.type.handle()));
  }
  void exchange() const {
    must(MPI_Sendrecv(from_.origin(), from_.count, from_.type.handle(), 0, 1, to_.origin(), to_.count,
                      to_.type.handle(), 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  }
  void through() {
    int position = 0;
    const int size = static_cast<int>(packed_.size());
    must(MPI_Pack(from_.origin(), from_.count, from_.type.handle(), packed_.data(), size, &position, MPI_COMM_SELF));
    position = 0;
    must(MPI_Unpack(packed_.data(), size, &position, to_.origin(), to_.count, to_.type.handle(), MPI_COMM_SELF));
  }
  const End &from_, &to_;
  std::vector<char> packed_;
};

bool are_alike(const End& a, const End& b) {
  int equal = 0;
  if (a.bytes != b.bytes) return false;
  check(gapless_signature_equal(a.engine.handle(), a.count, b.engine.handle(), b.count, &equal));
  return equal == 1;
}

std::vector<End> ends_of(const Cases& all, const Options& options, std::int64_t nominal_bytes) {
  std::vector<End> ends;
  for (const Case& of : all) {
    if (of.scales != (nominal_bytes != 0) || !is_chosen(of, options)) continue;
    const Message message = of.make(nominal_bytes);
    if (message.descriptions.empty()) continue;
    const Description& first = message.descriptions.front();
    End end = make_end(of.name, first.count, first.type);
    if (end.is_strided()) ends.push_back(std::move(end));
  }
  return ends;
}

void pairs(const Options& options, const std::vector<End>& ends, std::uint64_t& seed) {
  for (const End& from : ends) {
    for (const End& to : ends) {
      if (&from == &to || !are_alike(from, to)) continue;  // one buffer cannot be both ends
      Pair pair(from, to);
      pair.verify();
      std::vector<Way> ways = pair.ways();
      ways.push_back(pair.packing());
      ways.push_back(pair.unpacking());
      const auto samples = measure(ways, options.repetitions, ++seed);
      print({{"kind", "samples"},
             {"launch", options.launch},
             {"from", from.name},
             {"to", to.name},
             {"bytes", from.bytes},
             {"verified", true},
             {"copy_ns", samples[0]},
             {"sendrecv_ns", samples[1]},
             {"through_ns", samples[2]},
             {"pack_ns", samples[3]},
             {"unpack_ns", samples[4]}});
    }
  }
}

// So many blocks of ints, one in two, as a plain vector, as a bounded one whose last block is cut, and as a circular
// one that wraps inside a block: packed by the library, and copied by GAPLESS_Copy to memory without gaps.
void vectors(const Options& options, std::int64_t bytes, std::uint64_t& seed) {
  for (const int length : {1, 2, 10, 100}) {
    const int stride = 2 * length, blocks = static_cast<int>(bytes / (4 * length));
    if (blocks < 4 || !matches(options.cases, "vectors")) continue;
    const std::int64_t total = std::int64_t{blocks} * stride;
    MPI_Datatype types[3];
    must(MPI_Type_vector(blocks, length, stride, MPI_INT, &types[0]));
    must(GAPLESS_Type_create_vector_bounded(total - stride + (length + 1) / 2, length, stride, MPI_INT, &types[1]));
    must(GAPLESS_Type_create_vector_circular(total, total / 2 + length / 2, total, length, stride, MPI_INT, &types[2]));
    const char* const names[] = {"plain", "bounded", "circular"};
    Pages memory(static_cast<std::size_t>(total) * 4), packed(static_cast<std::size_t>(bytes) + 64);
    std::vector<Way> ways;
    int sizes[3];
    for (int k = 0; k < 3; ++k) {
      must(MPI_Type_commit(&types[k]));
      must(MPI_Type_size(types[k], &sizes[k]));
      ways.push_back([&, k] {
        int position = 0;
        must(MPI_Pack(memory.data(), 1, types[k], packed.data(), sizes[k], &position, MPI_COMM_SELF));
      });
      ways.push_back([&, k] { must(GAPLESS_Copy(memory.data(), 1, types[k], packed.data(), sizes[k] / 4, MPI_INT)); });
    }
    const auto samples = measure(ways, options.repetitions, ++seed);
    for (std::size_t k = 1; k < 3; ++k) {
      print({{"kind", "vectors"},
             {"launch", options.launch},
             {"vector", names[k]},
             {"length", length},
             {"bytes", sizes[k]},
             {"plain_bytes", sizes[0]},
             {"pack_ns", samples[2 * k]},
             {"copy_ns", samples[2 * k + 1]},
             {"plain_pack_ns", samples[0]},
             {"plain_copy_ns", samples[1]}});
    }
    for (MPI_Datatype& type : types) must(MPI_Type_free(&type));
  }
}

void run(const Options& options) {
  Cases all;
  add_layouts(all);
  add_ddtbench(all);
  start(options);
  std::vector<std::int64_t> sizes = options.sizes;
  sizes.push_back(0);
  std::uint64_t seed = static_cast<std::uint64_t>(options.launch) << 32;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    print({{"kind", "progress"}, {"done", i}, {"of", sizes.size()}});
    if (sizes[i] != 0) vectors(options, sizes[i], seed);
    pairs(options, ends_of(all, options, sizes[i]), seed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what =
      "Measures GAPLESS_Copy between every two strided messages of equal signature, against MPI_Sendrecv with itself "
      "and "
      "MPI_Pack + MPI_Unpack. Prints JSON lines with raw samples in nanoseconds; `gapless bench copy-mpi` judges them.";
  return run_program({"bench_copy_mpi", what, Extent::kCopy, run}, argc, argv);
}
