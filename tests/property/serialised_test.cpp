// Serialised forms of random types: there and back; changed in every byte; and forms made to be hard to read.
//
//   serialised_test [--types N] [--from K] [--corrupted N] [--hostile N] [--seed S] [--threads T]
//   serialised_test --one SEED
//
// Every failure prints the command that replays its type alone. Interrupted, it says with which --from to go on.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

#include "notation/print.hpp"
#include "property/numbered_run.hpp"
#include "property/serialised_check.hpp"
#include "property/type_check.hpp"
#include "support/random_type.hpp"
#include "support/regular_type.hpp"

namespace gapless::test {
namespace {

struct Options : NumberedOptions {
  std::int64_t corrupted = 1000, hostile = 2000;
};

constexpr std::size_t kMaxCorruptedBytes = 256;  // of a form whose every byte is changed
constexpr double kMaxSeconds = 5;                // of a processor, for a hostile form of a few hundred bytes
constexpr double kLeastSame = 95;                // [percent] of what was read that is serialised as it was

layout::LayoutPtr type_of(std::uint64_t seed) {
  return seed % 2 == 0 ? random_type(seed) : regular_type(seed);
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Tally {
  std::int64_t forms = 0, changes = 0, refused = 0, valid = 0;
  void count(Reading::Result result) {
    ++changes;
    ++(result == Reading::Result::kValid ? valid : refused);
  }
  void add(const Tally& other) {
    forms += other.forms;
    changes += other.changes;
    refused += other.refused;
    valid += other.valid;
  }
};

// Every byte changed to other values, with the checksum as it was and with one that fits; every end cut off; bytes
// behind the end.
Tally corrupt(const SerialisedBytes& form, Random& random, Reading& reading) {
  Tally tally;
  tally.forms = 1;
  const std::size_t end = form.size() - 4;
  for (std::size_t at = 0; at < form.size(); ++at) {
    std::vector<std::uint8_t> values{
        0x00, 0x7F, 0x80, 0xFF, static_cast<std::uint8_t>(form[at] + 1), static_cast<std::uint8_t>(random.next())};
    for (int bit = 0; bit < 8; ++bit) values.push_back(static_cast<std::uint8_t>(form[at] ^ 1u << bit));
    for (const std::uint8_t value : values) {
      if (value == form[at]) continue;
      SerialisedBytes changed = form;
      changed[at] = value;
      reading.check_refused(changed);
      tally.count(Reading::Result::kRefused);
      if (at >= end) continue;
      reseal(changed);
      tally.count(reading.check(changed));
    }
  }
  for (std::size_t length = 0; length < form.size(); ++length) {
    SerialisedBytes cut(form.begin(), form.begin() + static_cast<std::ptrdiff_t>(length));
    reading.check_refused(cut);
    reseal(cut);
    tally.count(reading.check(cut));
  }
  for (const std::uint8_t value : {0x00, 0x01, 0x80, 0xFF}) {
    SerialisedBytes longer = form;
    longer.push_back(value);
    reading.check_refused(longer);
    longer.insert(longer.end() - 1, value);  // where the node that follows would be
    reseal(longer);
    reading.check_refused(longer);
    tally.changes += 2;
    tally.refused += 2;
  }
  return tally;
}

class Run {
 public:
  explicit Run(const Options& options) : options_(options) {}

  int all() {
    std::printf("serialised_test --types %lld --corrupted %lld --hostile %lld --seed %llu\n",
                static_cast<long long>(options_.cases), static_cast<long long>(options_.corrupted),
                static_cast<long long>(options_.hostile), static_cast<unsigned long long>(options_.seed));
    std::vector<Reading> readings(options_.threads);
    const bool finished =
        numbered_run(options_, failures_, [&](unsigned thread, std::uint64_t seed) { one(seed, readings[thread]); });
    if (!finished) return failures_.finish(false);
    NumberedOptions hostile_ones = options_;
    hostile_ones.cases = options_.hostile;
    hostile_ones.from = 0;
    hostile_ones.seed = options_.seed + 1;
    const bool all_hostile = numbered_run(
        hostile_ones, failures_, [&](unsigned thread, std::uint64_t seed) { hostile(seed, readings[thread]); });
    report();
    return failures_.finish(all_hostile);
  }

  int only() {
    Reading reading;
    one(options_.seed, reading);
    return failures_.finish(true);
  }

 private:
  void one(std::uint64_t seed, Reading& reading) {
    std::string text = "(not built)";
    try {
      const layout::LayoutPtr type = type_of(seed);
      text = notation::print(*type);
      const RoundTrip trip = check_round_trip(type);
      const bool corrupts = trip.bytes.size() <= kMaxCorruptedBytes && (options_.one || wanted_-- > 0);
      Random random(mixed(seed, 3));
      const Tally tally = corrupts ? corrupt(trip.bytes, random, reading) : Tally{};
      const std::lock_guard lock(mutex_);
      tally_.add(tally);
      same_ += trip.same_bytes ? 1 : 0;
      sizes_.push_back(trip.bytes.size());
      text_bytes_ += text.size();
    } catch (const std::exception& error) {
      failures_.add(error.what(), "  type: " + text + "\n", seed);
    }
  }

  void hostile(std::uint64_t seed, Reading& reading) {
    Random random(seed);
    const SerialisedBytes form = hostile_form(random, random.chance(80) ? 300 : 3000);
    const double begin = processor_seconds();
    try {
      const Reading::Result result = reading.check(form);
      const double seconds = processor_seconds() - begin;
      const std::lock_guard lock(mutex_);
      hostile_.count(result);
      slowest_ = std::max(slowest_, seconds);
      if (seconds > kMaxSeconds)
        throw Wrong(std::to_string(form.size()) + " bytes took " + std::to_string(seconds) + " s");
    } catch (const std::exception& error) {
      failures_.add("hostile form of seed " + std::to_string(seed) + ": " + error.what());
    }
  }

  void report() {
    std::sort(sizes_.begin(), sizes_.end());
    if (sizes_.empty()) return failures_.add("nothing was serialised");
    std::size_t bytes = 0;
    for (const std::size_t size : sizes_) bytes += size;
    const double same = 100.0 * static_cast<double>(same_) / static_cast<double>(sizes_.size());
    std::printf("%zu types there and back; %.2f %% are serialised again as they were\n", sizes_.size(), same);
    std::printf("bytes of a form: %.1f on average, %zu median, %zu at most; of its text: %.1f on average\n",
                static_cast<double>(bytes) / static_cast<double>(sizes_.size()), sizes_[sizes_.size() / 2],
                sizes_.back(), static_cast<double>(text_bytes_) / static_cast<double>(sizes_.size()));
    std::printf("%lld forms corrupted in %lld ways: %lld refused, %lld valid layouts\n",
                static_cast<long long>(tally_.forms), static_cast<long long>(tally_.changes),
                static_cast<long long>(tally_.refused), static_cast<long long>(tally_.valid));
    std::printf("%lld hostile forms: %lld refused, %lld valid; the slowest took %.3f s of a processor\n",
                static_cast<long long>(hostile_.changes), static_cast<long long>(hostile_.refused),
                static_cast<long long>(hostile_.valid), slowest_);
    if (same < kLeastSame) failures_.add("too few are serialised as they were");
    if (tally_.forms < options_.corrupted && options_.from == 0)
      failures_.add("too few forms are short enough to corrupt them: more --types");
  }

  Options options_;
  std::mutex mutex_;
  Failures failures_{"serialised_test"};
  std::atomic<std::int64_t> wanted_{options_.corrupted};
  Tally tally_, hostile_;
  std::int64_t same_ = 0;
  std::size_t text_bytes_ = 0;
  std::vector<std::size_t> sizes_;
  double slowest_ = 0;
};

int run(int argc, char** argv) {
  Options options;
  options.cases = 20'000;
  Arguments arguments("serialised_test", "--types", options);
  arguments.add("--corrupted", options.corrupted);
  arguments.add("--hostile", options.hostile);
  if (!arguments.parse(argc, argv)) return 2;
  Run run(options);
  return options.one ? run.only() : run.all();
}

}  // namespace
}  // namespace gapless::test

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
