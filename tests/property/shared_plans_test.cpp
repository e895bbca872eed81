// One plan, many threads: each packs into memory of its own, and each unpacks its part of one message into memory that
// all share, while another thread writes to the gaps. Under the thread sanitizer (tools/test_tsan.sh) any byte that two
// of them touch is reported, whenever they do it: a gap byte that is written with its old value too.
//
//   shared_plans_test [--types N] [--seed S] | --one SEED
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "layout/layout.hpp"
#include "move/move.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "property/page_shape.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

constexpr int kThreads = 4;
constexpr std::int64_t kMaxSpan = 1 << 20, kMaxBytes = 1 << 16;
constexpr std::byte kGap{0x3C};

std::uint64_t seed_now = 0;  // of the type under way, for reports

template <class Work>
void on_threads(int count, Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

class Sharing {
 public:
  Sharing(const layout::LayoutPtr& type, std::int64_t count, Random& random)
      : plan_(plan::compile_one_first(type)), count_(count), bytes_(Oracle(*type).byte_displacements(count)) {
    const auto [low, high] = std::minmax_element(bytes_.begin(), bytes_.end());
    low_ = *low;
    memory_.resize(static_cast<std::size_t>(*high + 1 - low_));
    stream_.resize(bytes_.size());
    for (std::byte& byte : stream_) byte = static_cast<std::byte>(random.next());
    const std::unordered_set<std::int64_t> runs(bytes_.begin(), bytes_.end());
    disjoint_ = runs.size() == bytes_.size();
    for (std::int64_t at = low_; at <= *high; ++at)
      if (!runs.contains(at)) gaps_.push_back(static_cast<std::size_t>(at - low_));
    // Cuts anywhere, in the middle of a block too.
    cuts_ = {0, size()};
    for (int i = 1; i < kThreads; ++i) cuts_.push_back(random.between(0, size()));
    std::sort(cuts_.begin(), cuts_.end());
  }

  // Where bytes land on one another, only one thread may unpack.
  bool unpack() {
    on_threads((disjoint_ ? kThreads : 1) + 1, [&](int thread) {
      plan_->prepare(count_);
      if (thread == 0) {
        for (const std::size_t gap : gaps_) memory_[gap] = kGap;
        return;
      }
      const std::int64_t from = disjoint_ ? cuts_[static_cast<std::size_t>(thread) - 1] : 0;
      const std::int64_t to = disjoint_ ? cuts_[static_cast<std::size_t>(thread)] : size();
      move::unpack(*plan_, count_, memory_.data() - low_, from, stream_.data() + from, to - from);
    });
    std::vector<std::byte> expected(memory_.size(), kGap);
    oracle_unpack(bytes_, expected.data() - low_, 0, stream_.data(), size());
    return memory_ == expected;
  }

  bool pack() {
    std::vector<std::byte> expected(bytes_.size());
    oracle_pack(bytes_, memory_.data() - low_, 0, expected.data(), size());
    std::vector<std::vector<std::byte>> packed(kThreads, std::vector<std::byte>(bytes_.size()));
    on_threads(kThreads, [&](int thread) {
      std::byte* to = packed[static_cast<std::size_t>(thread)].data();
      move::pack(*plan_, count_, memory_.data() - low_, 0, to, size());
    });
    // And all of them into one buffer.
    std::vector<std::byte> together(bytes_.size());
    on_threads(kThreads, [&](int thread) {
      const std::int64_t from = cuts_[static_cast<std::size_t>(thread)],
                         to = cuts_[static_cast<std::size_t>(thread) + 1];
      move::pack(*plan_, count_, memory_.data() - low_, from, together.data() + from, to - from);
    });
    return together == expected &&
           std::all_of(packed.begin(), packed.end(), [&](const auto& p) { return p == expected; });
  }

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }

  plan::PlanPtr plan_;
  std::int64_t count_, low_ = 0;
  std::vector<std::int64_t> bytes_;
  std::vector<std::byte> memory_, stream_;
  std::vector<std::size_t> gaps_;
  std::vector<std::int64_t> cuts_;
  bool disjoint_ = false;
};

bool one(std::uint64_t seed) {
  seed_now = seed;
  Random random(seed);
  const bool far = random.chance(25);
  const int kind = static_cast<int>(random.between(0, kPageShapes - 1));
  const PageShape shape = far ? page_shape(random, kind) : PageShape{"random", random_type(seed), 0};
  std::int64_t count = far ? shape.count : random.mostly_small(1, 70);
  const layout::Layout& type = *shape.type;
  const auto span = [&] { return type.true_extent + (count - 1) * std::abs(type.extent); };
  while (count > 1 && (span() > kMaxSpan || type.size * count > kMaxBytes)) count /= 2;
  if (type.size == 0) return true;
  Sharing sharing(shape.type, count, random);
  const char* wrong = !sharing.unpack() ? "unpack" : !sharing.pack() ? "pack" : nullptr;
  if (wrong == nullptr) return true;
  std::printf(
      "FAILED: %s by several threads: wrong bytes\n  type: %s, count %lld\n  replay: shared_plans_test --one %llu\n",
      wrong, notation::print(type).c_str(), static_cast<long long>(count), static_cast<unsigned long long>(seed));
  return false;
}

int run(int argc, char** argv) {
  std::int64_t types = 400;
  std::uint64_t seed = 20'261'121;
  bool alone = false;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    char* end = nullptr;
    const std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 0) : 0;
    if (end == nullptr || end == argv[i + 1] || *end != '\0' ||
        (name != "--types" && name != "--seed" && name != "--one")) {
      std::fprintf(stderr, "usage: shared_plans_test [--types N] [--seed S] | --one SEED\n");
      return 2;
    }
    if (name == "--types") types = static_cast<std::int64_t>(value);
    if (name != "--types") seed = value;
    alone = alone || name == "--one";
  }
  if (alone) return one(seed) ? 0 : 1;
  for (std::int64_t i = 0; i < types; ++i)
    if (!one(mixed(seed, static_cast<std::uint64_t>(i)))) return 1;
  std::printf("%lld types on %d threads\n", static_cast<long long>(types), kThreads);
  return types > 0 ? 0 : 1;
}

}  // namespace
}  // namespace gapless::test

// The sanitizer calls it with each race that it reports.
extern "C" __attribute__((visibility("default"))) void __tsan_on_report(const void*) {
  std::printf("FAILED: a race\n  replay: shared_plans_test --one %llu\n",
              static_cast<unsigned long long>(gapless::test::seed_now));
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
