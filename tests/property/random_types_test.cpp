// Random nested types against the oracle.
//
//   random_types_test [--types N] [--from K] [--seed S] [--threads T] [--no-thresholds]
//   random_types_test --one SEED
//
// Every failure prints the command that replays it alone. At the end the run prints what it exercised, and fails if
// depth 4 or any constructor, rule or kernel occurred in fewer than one of a hundred types. Interrupted, it says with
// which --from to go on: the numbers from there to N - 1 are left.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "normal/normalise.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "property/histogram.hpp"
#include "property/numbered_run.hpp"
#include "property/type_check.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

struct Options {
  std::int64_t types = 100'000, from = 0;
  std::uint64_t seed = 20'240'611;
  unsigned threads = 2;
  bool thresholds = true;
  bool one = false;
};

constexpr int kMostFailures = 10;

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  int all() {
    std::printf("random_types_test --types %lld --seed %llu\n", static_cast<long long>(options_.types),
                static_cast<unsigned long long>(options_.seed));
    std::vector<Histogram> histograms(options_.threads);
    const std::int64_t end =
        numbered_run(options_.from, options_.types, options_.threads, [&](unsigned thread, std::int64_t i) {
          one(mixed(options_.seed, static_cast<std::uint64_t>(i)), histograms[thread]);
          return failures_ < kMostFailures;
        });
    Histogram all;
    for (const Histogram& histogram : histograms) all.merge(histogram);
    all.print();
    // An interrupted run has no say on what it did not get to.
    if (end < options_.types && failures_ == 0) return 130;
    if (options_.thresholds) {
      for (const auto& name : all.missing((options_.types - options_.from) / 100)) {
        std::printf("FAILED: hit in too few types: %s\n", name.c_str());
        ++failures_;
      }
    }
    std::printf("%s: %d failures\n", failures_ == 0 ? "passed" : "FAILED", failures_.load());
    return failures_ == 0 ? 0 : 1;
  }

  // Checks the type of one seed; prints what is wrong with it.
  void one(std::uint64_t seed, Histogram& histogram) {
    std::string text = "(not built)";
    try {
      const layout::LayoutPtr type = random_type(seed);
      if (options_.one) print(*type);
      text = notation::print(*type);
      const Observed observed = check_type(type, seed);
      histogram.add(*type, observed);
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      ++failures_;
      std::printf("FAILED: %s\n  type: %s\n  replay: random_types_test --one %llu\n", error.what(), text.c_str(),
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
  }

  int failures() const { return failures_; }

 private:
  static void print(const layout::Layout& type) {
    std::printf("type: %s\n", notation::print(type).c_str());
    std::printf("normal form: %s\n", normal::text(normal::normalise(type)).c_str());
    std::printf("plan:\n%s\n", plan::compile(type)->text().c_str());
    std::fflush(stdout);
  }

  Options options_;
  std::atomic<int> failures_{0};
  std::mutex mutex_;
};

int usage(const char* argument) {
  std::fprintf(
      stderr,
      "random_types_test: what is '%s'?\n"
      "usage: random_types_test [--types N] [--from K] [--seed S] [--threads T] [--no-thresholds] | --one SEED\n",
      argument);
  return 2;
}

int run(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--no-thresholds") {
      options.thresholds = false;
      continue;
    }
    char* end = nullptr;
    const std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 0) : 0;
    if (end == nullptr || end == argv[i + 1] || *end != '\0') return usage(argv[i]);
    ++i;
    if (name == "--types") {
      options.types = static_cast<std::int64_t>(value);
    } else if (name == "--from") {
      options.from = static_cast<std::int64_t>(value);
    } else if (name == "--seed") {
      options.seed = value;
    } else if (name == "--threads") {
      options.threads = std::max(1u, static_cast<unsigned>(value));
    } else if (name == "--one") {
      options.one = true;
      options.seed = value;
    } else {
      return usage(name.c_str());
    }
  }
  Run run(options);
  if (!options.one) return run.all();
  Histogram histogram;
  run.one(options.seed, histogram);
  if (run.failures() == 0) std::printf("passed\n");
  return run.failures() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
