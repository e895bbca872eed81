// Typed copy against the type maps: random pairs of messages of one size.
//
//   copy_pairs_test [--pairs N] [--from K] [--seed S] [--threads T] [--no-thresholds]
//   copy_pairs_test --one SEED
//
// Two of three pairs are of equal signature; the others are of equal size, which is all that the copy looks at. Each is
// copied whole, in random parts and in consecutive chunks, through the C interface; one in eight within one buffer,
// over itself; one in sixty is many times as long. Every byte of the destination's memory is compared, gaps and margins
// too. At the end the run prints which steps the joint plans had, and fails if one was in fewer than one of a hundred
// pairs, unless there are to be no thresholds.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gapless/gapless.h"
#include "notation/print.hpp"
#include "plan/joint.hpp"
#include "property/numbered_run.hpp"
#include "support/fitting_type.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"
#include "support/regular_type.hpp"

namespace gapless::test {
namespace {

constexpr std::int64_t kMargin = 64;  // [bytes]: no kernel writes wider than that
constexpr std::int64_t kMaxBytes = 30'000;
constexpr const char* kSteps[] = {"block",  "moves",  "square", "pack",     "unpack",
                                  "strips", "listed", "loop",   "sequence", "walked"};
using Steps = std::array<std::atomic<std::int64_t>, std::size(kSteps)>;

class Handle {
 public:
  explicit Handle(const layout::Layout& type) {
    if (gapless_type_parse(notation::print(type).c_str(), &type_) != GAPLESS_SUCCESS)
      throw std::runtime_error(gapless_last_error());
  }
  ~Handle() { gapless_type_free(&type_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  gapless_type get() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

// A message, and the place of each of its bytes from the lowest one on.
struct Side {
  layout::LayoutPtr type;
  std::int64_t count = 1;
  std::vector<std::int64_t> bytes;
  std::int64_t low = 0, span = 0;

  void expand() {
    bytes = Oracle(*type).byte_displacements(count);
    const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    low = *least;
    span = *most + 1 - low;
    for (std::int64_t& byte : bytes) byte -= low;
  }
};

std::int64_t whole_part(Random& random, std::int64_t bytes) {
  const std::int64_t count = random.between(1, 6);
  return random.chance(50) && bytes % count == 0 ? count : 1;
}

Side fitting(Random& random, std::int64_t bytes) {
  Side side;
  side.count = whole_part(random, bytes);
  side.type = fitting_type(random, bytes / side.count);
  if (side.count > 1 && random.chance(60)) {
    const std::int64_t span = side.type->true_extent;
    side.type = layout::resized(side.type->lb, random.chance(20) ? -span - 5 : span + random.between(0, 40), side.type);
  }
  side.expand();
  return side;
}

Side any(Random& random) {
  static const std::vector<std::int64_t> kBytes{8,   24,   40,   64,   96,   360,  400,  480,
                                                720, 1000, 1024, 1440, 2400, 3600, 7200, 8000};
  if (!random.chance(33)) return fitting(random, random.chance(80) ? random.pick(kBytes) : random.between(1, 3000));
  Side side;
  side.type = random.chance(50) ? random_type(random.next()) : regular_type(random.next());
  side.count = random.between(1, 3);
  const std::int64_t bytes = Oracle(*side.type).bounds().size * side.count;
  if (bytes == 0 || bytes > kMaxBytes) return any(random);
  side.expand();
  return side;
}

// Blocks of one length on both sides: a matrix and its transpose, or places in a list.
void matched(Random& random, Side& from, Side& to) {
  static const std::vector<std::int64_t> kBlocks{1, 4, 8, 12, 16, 24, 32, 40};
  const std::int64_t block = random.pick(kBlocks), rows = random.between(2, 40), columns = random.between(2, 40);
  const layout::LayoutPtr one = layout::contiguous(block, layout::named(*layout::find_named("byte")));
  const auto matrix = [&](std::int64_t along, std::int64_t across) {
    return layout::hvector(rows, 1, along, layout::hvector(columns, 1, across, one));
  };
  if (random.chance(65)) {
    from.type = matrix((columns + random.between(0, 3)) * block, block);
    to.type = matrix(block, (rows + random.between(0, 3)) * block);
  } else {
    const auto places = [&] {
      std::vector<std::int64_t> all(static_cast<std::size_t>(rows * columns));
      std::int64_t at = 0;
      for (std::int64_t& place : all) place = std::exchange(at, at + block * random.between(1, 3));
      for (std::size_t i = all.size(); i > 1; --i)
        std::swap(all[i - 1], all[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i) - 1))]);
      return layout::hindexed_block(block, all, layout::named(*layout::find_named("byte")));
    };
    from.type = places();
    to.type = random.chance(50) ? places() : layout::hvector(rows * columns, 1, block + random.between(0, 20), one);
  }
  from.expand();
  to.expand();
}

// A loop behind a head of its own, where the copies of the other side's loop do not begin with its own. The head is as
// long as the end of a copy, and sometimes where that would be.
void shifted(Random& random, Side& from, Side& to) {
  const layout::LayoutPtr byte = layout::named(*layout::find_named("byte"));
  const auto copies = [&](std::int64_t count, std::int64_t block, std::int64_t gap) {
    return layout::hvector(count, block, block + gap, byte);
  };
  const std::int64_t block = random.between(2, 24) * 4, other = random.between(2, 24) * 4;
  const std::int64_t gap = random.between(1, 10) * 4, head = random.between(1, block - 1),
                     count = random.between(8, 60);
  const std::int64_t tail = other - (head + count * block) % other, behind = 200 + count * (block + gap);
  const std::int64_t place = random.chance(50) ? 200 - gap - head : random.between(0, 40);
  const std::int64_t up = random.chance(30) ? 3'000'000 : 0;  // further than the offsets of a pattern go
  from.type = layout::structure(std::vector<std::int64_t>{head, 1, tail},
                                std::vector<std::int64_t>{up + place, up + 200, up + behind},
                                std::vector<layout::LayoutPtr>{byte, copies(count, block, gap), byte});
  to.type = copies((head + count * block + tail) / other, other, random.between(1, 40));
  from.expand();
  to.expand();
}

class Check {
 public:
  Check(std::uint64_t seed, Steps& steps) : random_(seed), steps_(steps) {}

  std::string describe() const {
    return "  from: " + std::to_string(from_.count) + " of " + notation::print(*from_.type) + "\n" +
           "  to:   " + std::to_string(to_.count) + " of " + notation::print(*to_.type) + "\n";
  }

  void make() {
    if (random_.chance(10)) {
      matched(random_, from_, to_);
    } else if (random_.chance(10)) {
      shifted(random_, from_, to_);
    } else {
      from_ = any(random_);
      to_ = random_.chance(5) ? from_ : fitting(random_, static_cast<std::int64_t>(from_.bytes.size()));
    }
    if (random_.chance(50)) std::swap(from_, to_);
    if (random_.between(0, 59) == 0) lengthen();
  }

  void run() {
    see_steps();
    const Handle from(*from_.type), to(*to_.type);
    within_one_ = random_.chance(12);
    prepare();
    const std::int64_t total = static_cast<std::int64_t>(from_.bytes.size());
    part(from, to, 0, total);
    for (int i = 0; i < 4; ++i) {
      prepare();
      part(from, to, random_.between(0, total + 2), random_.mostly_small(0, total + 2));
    }
    if (within_one_) return;
    prepare();
    const std::int64_t chunk = random_.mostly_small(1, total);
    if (total / chunk > 200) return;
    for (std::int64_t at = 0; at < total; at += chunk) part(from, to, at, chunk);
  }

 private:
  // So long that it is no longer planned for the caches.
  void lengthen() {
    const std::int64_t copies = 150'000 / static_cast<std::int64_t>(from_.bytes.size()) + 1;
    for (Side* side : {&from_, &to_}) {
      if (side->type->extent < side->type->true_extent || side->count * copies > 20'000) return;
    }
    for (Side* side : {&from_, &to_}) {
      side->count *= copies;
      side->expand();
    }
  }

  // Memory of its own for each side, or one that both lie in.
  void prepare() {
    const std::int64_t from_span = from_.span, to_span = to_.span;
    to_at_ = kMargin + (within_one_ ? random_.between(0, from_span) : from_span + kMargin);
    memory_.resize(static_cast<std::size_t>(std::max(to_at_ + to_span, from_span) + 2 * kMargin));
    for (std::size_t i = 0; i < memory_.size(); i += sizeof(std::uint64_t)) {
      const std::uint64_t value = random_.next();
      std::memcpy(&memory_[i], &value, std::min(sizeof value, memory_.size() - i));
    }
  }

  void part(const Handle& from, const Handle& to, std::int64_t position, std::int64_t budget) {
    const auto total = static_cast<std::int64_t>(from_.bytes.size());
    const std::int64_t bytes = std::max<std::int64_t>(0, std::min(budget, total - position));
    std::vector<unsigned char> expected = memory_;
    for (std::int64_t i = position; i < position + bytes; ++i) {
      const auto at = static_cast<std::size_t>(i);
      expected[static_cast<std::size_t>(to_at_ + to_.bytes[at])] =
          memory_[static_cast<std::size_t>(kMargin + from_.bytes[at])];
    }
    std::int64_t moved = -1;
    const gapless_status status =
        gapless_copy(memory_.data() + kMargin - from_.low, from_.count, from.get(), memory_.data() + to_at_ - to_.low,
                     to_.count, to.get(), position, budget, &moved);
    const std::string what = "position " + std::to_string(position) + ", budget " + std::to_string(budget) + ": ";
    if (status != GAPLESS_SUCCESS) throw std::runtime_error(what + gapless_last_error());
    if (moved != bytes) throw std::runtime_error(what + "moved " + std::to_string(moved));
    const auto wrong = std::mismatch(expected.begin(), expected.end(), memory_.begin());
    if (wrong.first != expected.end())
      throw std::runtime_error(what + "byte " + std::to_string(wrong.first - expected.begin() - to_at_) +
                               " of the destination's memory is wrong");
  }

  void see_steps() {
    const plan::PlanPtr from = plan::compile(*from_.type), to = plan::compile(*to_.type);
    const auto joint = plan::join({*from, from_.count}, {*to, to_.count});
    std::array<bool, std::size(kSteps)> seen{};
    if (joint != nullptr)
      see(*joint, seen);
    else
      seen.back() = true;
    for (std::size_t i = 0; i < seen.size(); ++i) steps_[i] += seen[i] ? 1 : 0;
  }
  static void see(const plan::Joint& step, std::array<bool, std::size(kSteps)>& seen) {
    seen[static_cast<std::size_t>(step.op)] = true;
    for (const plan::Joint& inner : step.steps) see(inner, seen);
  }

  Random random_;
  Steps& steps_;
  Side from_, to_;
  bool within_one_ = false;
  std::int64_t to_at_ = 0;
  std::vector<unsigned char> memory_;
};

class Run {
 public:
  Run(const NumberedOptions& options, bool thresholds) : options_(options), thresholds_(thresholds) {}

  int all() {
    std::printf("copy_pairs_test --pairs %lld --seed %llu\n", static_cast<long long>(options_.cases),
                static_cast<unsigned long long>(options_.seed));
    const bool finished = numbered_run(options_, failures_, [&](unsigned, std::uint64_t seed) { one(seed); });
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::printf("  %-9s %8lld\n", kSteps[i], static_cast<long long>(steps_[i].load()));
      if (thresholds_ && finished && steps_[i] < (options_.cases - options_.from) / 100)
        failures_.add(std::string("in too few pairs: ") + kSteps[i]);
    }
    return failures_.finish(finished);
  }

  int only() {
    one(options_.seed);
    return failures_.finish(true);
  }

 private:
  void one(std::uint64_t seed) {
    Check check(seed, steps_);
    std::string text;
    try {
      check.make();
      text = check.describe();
      if (options_.one) {
        std::printf("%s", text.c_str());
        std::fflush(stdout);  // what follows may crash
      }
      check.run();
    } catch (const std::exception& error) {
      failures_.add(error.what(), text, seed);
    }
  }

  NumberedOptions options_;
  bool thresholds_;
  Steps steps_{};
  Failures failures_{"copy_pairs_test"};
};

int run(int argc, char** argv) {
  NumberedOptions options;
  options.cases = 150'000;
  options.seed = 20'261'122;
  bool thresholds = true;
  Arguments arguments("copy_pairs_test", "--pairs", options);
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
