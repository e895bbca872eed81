// Random nested types against the oracle.
//
//   random_types_test [--types N] [--from K] [--seed S] [--threads T] [--no-thresholds]
//   random_types_test --one SEED
//
// Every failure prints the command that replays it alone. At the end the run prints what it exercised, and fails if
// depth 4 or any constructor, rule or kernel occurred in fewer than one of a hundred types. Interrupted, it says with
// which --from to go on: the numbers from there to N - 1 are left.
#include <cstdio>
#include <exception>
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

class Run {
 public:
  Run(const NumberedOptions& options, bool thresholds) : options_(options), thresholds_(thresholds) {}

  int all() {
    std::printf("random_types_test --types %lld --seed %llu\n", static_cast<long long>(options_.cases),
                static_cast<unsigned long long>(options_.seed));
    std::vector<Histogram> histograms(options_.threads);
    const bool finished =
        numbered_run(options_, failures_, [&](unsigned thread, std::uint64_t seed) { one(seed, histograms[thread]); });
    Histogram all;
    for (const Histogram& histogram : histograms) all.merge(histogram);
    all.print();
    // An interrupted run has no say on what it did not get to.
    if (thresholds_ && finished)
      for (const auto& name : all.missing((options_.cases - options_.from) / 100))
        failures_.add("hit in too few types: " + name);
    return failures_.finish(finished);
  }

  int only() {
    Histogram histogram;
    one(options_.seed, histogram);
    return failures_.finish(true);
  }

 private:
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
      failures_.add(error.what(), "  type: " + text + "\n", seed);
    }
  }

  static void print(const layout::Layout& type) {
    std::printf("type: %s\n", notation::print(type).c_str());
    std::printf("normal form: %s\n", normal::text(normal::normalise(type)).c_str());
    std::printf("plan:\n%s\n", plan::compile(type)->text().c_str());
    std::fflush(stdout);
  }

  NumberedOptions options_;
  bool thresholds_;
  Failures failures_{"random_types_test"};
};

int run(int argc, char** argv) {
  NumberedOptions options;
  bool thresholds = true;
  Arguments arguments("random_types_test", "--types", options);
  arguments.add_flag("--no-thresholds", thresholds, false);
  if (!arguments.parse(argc, argv)) return 2;
  Run run(options, thresholds);
  return options.one ? run.only() : run.all();
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
