// Equal messages, equal normal forms: random regular types and random re-descriptions of them.
//
//   redescriptions_test [--types N] [--from K] [--seed S] [--threads T] [--least PERCENT] [--show N]
//   redescriptions_test --one SEED
//
// The oracle proves each pair to be the same sequence of runs with the same extent; one that is not is an error of this
// test and fails it. A normal form that expands to another sequence is an error of the engine and fails it. A pair
// whose forms differ is a miss: the run prints the rate, and exits with 1 if it is below --least.
#include <array>
#include <cstdio>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "normal/normalise.hpp"
#include "notation/print.hpp"
#include "property/expand.hpp"
#include "property/numbered_run.hpp"
#include "support/oracle.hpp"
#include "support/redescribe.hpp"
#include "support/regular_type.hpp"

namespace gapless::test {
namespace {

using layout::LayoutPtr;

struct Options : NumberedOptions {
  std::int64_t show = 3;
  double least = 99;  // [percent]
};

// One place, so that the notation can change.
std::string notation(const LayoutPtr& type) {
  return notation::print(*type);
}

struct Pair {
  Redescription kind = Redescription::kMixed;
  LayoutPtr type, other;  // null: there is no re-description
};

Pair pair_of(std::uint64_t seed) {
  Pair pair;
  pair.type = regular_type(seed);
  Random random(mixed(seed, 1));
  // A kind may apply nowhere; noise always does.
  for (int attempt = 0; attempt < 10 && !pair.other; ++attempt) {
    pair.kind = static_cast<Redescription>(random.between(0, kRedescriptionCount - 1));
    pair.other = redescribe(random, pair.kind, pair.type);
  }
  return pair;
}

// What is wrong with the pair; empty if nothing is.
std::string error_of(const Pair& pair, const normal::Form& form, const normal::Form& other) {
  const Oracle oracle(*pair.type), other_oracle(*pair.other);
  const std::vector<Entry> runs = fused(oracle.entries());
  if (fused(other_oracle.entries()) != runs) return "THE TEST IS WRONG: not the same sequence of runs";
  if (other_oracle.bounds().extent() != oracle.bounds().extent()) return "THE TEST IS WRONG: not the same extent";
  if (pair.other->extent != pair.type->extent) return "the engine is wrong: extents differ";
  if (fused(expand(form)) != runs) return "the engine is wrong: the first form expands to another sequence";
  if (fused(expand(other)) != runs) return "the engine is wrong: the second form expands to another sequence";
  return "";
}

bool same(const normal::Form& a, const normal::Form& b) {
  if (!a.node || !b.node) return a.node == b.node;
  return a.offset == b.offset && normal::equal(*a.node, *b.node) && normal::equal(*b.node, *a.node);
}

std::string described(const Pair& pair, const normal::Form& form, const normal::Form& other) {
  const auto shortened = [](std::string text) {
    constexpr std::size_t kMax = 3000;
    if (text.size() > kMax) text.replace(kMax, std::string::npos, "...");
    return text;
  };
  return "  " + shortened(notation(pair.type)) + "\n  " + shortened(notation(pair.other)) + "\n    forms\n    " +
         shortened(normal::text(form)) + "\n    " + shortened(normal::text(other)) + "\n";
}

struct Tally {
  std::int64_t pairs = 0, misses = 0;
  void add(bool miss) {
    ++pairs;
    misses += miss ? 1 : 0;
  }
  void print(const std::string& name) const {
    const double rate = pairs > 0 ? 100.0 * static_cast<double>(pairs - misses) / static_cast<double>(pairs) : 100.0;
    std::printf("  %-16s %9lld pairs %8lld misses  %7.3f %% equal\n", name.c_str(), static_cast<long long>(pairs),
                static_cast<long long>(misses), rate);
  }
};

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  int all() {
    std::printf("redescriptions_test --types %lld --seed %llu\n", static_cast<long long>(options_.cases),
                static_cast<unsigned long long>(options_.seed));
    const bool finished = numbered_run(options_, failures_, [&](unsigned, std::uint64_t seed) { one(seed); });
    report();
    return failures_.finish(finished);
  }

  int replay() {
    const Pair pair = pair_of(options_.seed);
    if (!pair.other) return std::printf("no re-description of %s\n", notation(pair.type).c_str()), 1;
    const normal::Form form = normal::normalise(*pair.type), other = normal::normalise(*pair.other);
    const std::string error = error_of(pair, form, other);
    const bool equal = same(form, other);
    std::printf("%s, %s %s\n%s", redescription_name(pair.kind), equal ? "equal" : "MISS", error.c_str(),
                described(pair, form, other).c_str());
    return equal && error.empty() ? 0 : 1;
  }

 private:
  void one(std::uint64_t seed) {
    Pair pair;
    try {
      pair = pair_of(seed);
      if (!pair.other) {
        const std::lock_guard lock(mutex_);
        ++without_;
        return;
      }
      const normal::Form form = normal::normalise(*pair.type), other = normal::normalise(*pair.other);
      const std::string error = error_of(pair, form, other);
      const bool equal = same(form, other);
      const std::string text = equal && error.empty() ? "" : described(pair, form, other);
      if (!error.empty()) failures_.add(error, text, seed);
      const std::lock_guard lock(mutex_);
      count(pair, form.node ? form.node->runs : 0, !equal);
      if (!equal) keep(pair.kind, seed, text);
    } catch (const std::exception& error) {
      failures_.add(error.what(), "", seed);
    }
  }

  void count(const Pair& pair, std::int64_t runs, bool miss) {
    all_.add(miss);
    sizes_[runs < 2 ? 0 : runs < 10 ? 1 : runs < 100 ? 2 : 3].add(miss);
    kinds_[static_cast<std::size_t>(pair.kind)].add(miss);
    depths_[pair.type->depth - 1].add(miss);
  }

  // The shortest misses of each kind: they say the most. Equal lengths by seed, so that threads do not matter.
  void keep(Redescription kind, std::uint64_t seed, const std::string& text) {
    auto& kept = misses_[static_cast<std::size_t>(kind)];
    kept[{text.size(), seed}] = text;
    if (static_cast<std::int64_t>(kept.size()) > options_.show) kept.erase(std::prev(kept.end()));
  }

  void report() {
    for (int kind = 0; kind < kRedescriptionCount; ++kind) {
      for (const auto& [key, text] : misses_[static_cast<std::size_t>(kind)])
        std::printf("miss, %s:\n%s    replay: redescriptions_test --one %llu\n",
                    redescription_name(static_cast<Redescription>(kind)), text.c_str(),
                    static_cast<unsigned long long>(key.second));
    }
    std::printf("by kind\n");
    for (int kind = 0; kind < kRedescriptionCount; ++kind)
      kinds_[static_cast<std::size_t>(kind)].print(redescription_name(static_cast<Redescription>(kind)));
    std::printf("by constructors above the named types\n");
    for (const auto& [depth, tally] : depths_) tally.print("depth " + std::to_string(depth));
    // What melts into one run is easy.
    std::printf("by number of runs\n");
    for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i].print(kSizes[i]);
    all_.print("all");
    if (without_ > 0) std::printf("  %lld types without a re-description\n", static_cast<long long>(without_));
    const bool enough =
        static_cast<double>(all_.pairs - all_.misses) * 100 >= options_.least * static_cast<double>(all_.pairs);
    if (!enough) failures_.add("fewer are equal than --least");
    if (all_.pairs == 0) failures_.add("nothing was compared");
  }

  Options options_;
  std::mutex mutex_;
  Tally all_;
  std::array<Tally, kRedescriptionCount> kinds_;
  std::map<int, Tally> depths_;
  static constexpr std::array<const char*, 4> kSizes = {"at most 1", "2 to 9", "10 to 99", "100 and more"};
  std::array<Tally, kSizes.size()> sizes_;
  std::array<std::map<std::pair<std::size_t, std::uint64_t>, std::string>, kRedescriptionCount> misses_;
  std::int64_t without_ = 0;
  Failures failures_{"redescriptions_test"};
};

int run(int argc, char** argv) {
  Options options;
  Arguments arguments("redescriptions_test", "--types", options);
  arguments.add("--least", options.least);
  arguments.add("--show", options.show);
  if (!arguments.parse(argc, argv)) return 2;
  Run run(options);
  return options.one ? run.replay() : run.all();
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
