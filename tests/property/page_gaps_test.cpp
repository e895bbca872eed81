// Messages in memory of which only the pages that hold their bytes exist, and packed buffers between pages that do not:
// what a kernel reads or writes beyond is a fault, and the test says of which type. Under the address sanitizer a fault
// is also what it reads in a cache line, or writes in a word of 8 bytes, that holds no byte of the message.
//
//   page_gaps_test [--types N] [--seed S] | --one SEED
//
// Half of the types are page_shape()'s, whose gaps are some pages long; half are random_type()'s.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"
#include "move/move.hpp"
#include "notation/print.hpp"
#include "plan/plan.hpp"
#include "property/guarded_buffer.hpp"
#include "property/page_shape.hpp"
#include "property/sparse_memory.hpp"
#include "property/type_check.hpp"
#include "support/oracle.hpp"
#include "support/random_type.hpp"

namespace gapless::test {
namespace {

constexpr std::byte kUntouched{0xA5};
constexpr std::int64_t kMaxSpan = 1 << 20;    // [bytes] of a random type's message
constexpr std::int64_t kMaxPacked = 1 << 18;  // [bytes]
constexpr int kParts = 4;
constexpr int kFewestWithHoles = 3;  // one of so many types

// What is under way, for the handler. One thread.
struct {
  std::uint64_t seed = 0;
  std::string type;
  std::string operation;
  const std::byte* origin = nullptr;
  const std::byte* packed = nullptr;
  std::int64_t budget = 0;
} now;

// The fault is a kernel's, so nothing that is used here is in use.
void touched_too_far(int number, siginfo_t* info, void*) {
  const std::byte* address = static_cast<const std::byte*>(info->si_addr);
  const auto in_packed = static_cast<long long>(address - now.packed), page = 0LL + SparseMemory::page_bytes();
  const bool packed = in_packed >= -page && in_packed < now.budget + page;
  std::printf(
      "FAILED: signal %d: %s touches %s %lld, where nothing is\n  type: %s\n  replay: page_gaps_test --one %llu\n",
      number, now.operation.c_str(), packed ? "packed byte" : "displacement",
      packed ? in_packed : static_cast<long long>(address - now.origin), now.type.c_str(),
      static_cast<unsigned long long>(now.seed));
  std::fflush(stdout);
  _exit(1);
}

void catch_faults() {
  struct sigaction action{};
  action.sa_sigaction = touched_too_far;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

class PageCheck {
 public:
  PageCheck(const layout::LayoutPtr& type, std::int64_t count, Random& random)
      : random_(random),
        plan_(plan::compile(*type)),
        count_(count),
        bytes_(Oracle(*type).byte_displacements(count)),
        anchor_(random.pick(bytes_)),
        in_page_(place(random)),
        memory_(bytes_, anchor_, in_page_),
        expected_(bytes_, anchor_, in_page_),
        packed_(bytes_.size()),
        incoming_(bytes_.size()),
        stream_(bytes_.size()) {
    for (std::byte& byte : incoming_) byte = static_cast<std::byte>(random_.next());
    now.origin = memory_.origin();
  }

  std::int64_t holes() const { return memory_.holes(); }

  void run() {
    const auto total = static_cast<std::int64_t>(bytes_.size());
    for (const Edge edge : {Edge::kFront, Edge::kBack}) part(0, total, edge);
    for (int i = 0; i < kParts; ++i) {
      const std::int64_t position = random_.between(0, total - 1);
      part(position, random_.between(1, total - position), i % 2 == 0 ? Edge::kFront : Edge::kBack);
    }
  }

 private:
  // Blocks that begin with a page, end with one, and anything between.
  std::int64_t place(Random& random) {
    const std::int64_t roll = random.between(0, 3), page = SparseMemory::page_bytes();
    if (roll > 1) return random.between(0, page - 1);
    // The anchor becomes the first or the last byte of its run as far as it ascends.
    const std::int64_t step = roll == 0 ? -1 : 1;
    auto at = std::find(bytes_.begin(), bytes_.end(), anchor_);
    while (at + step >= bytes_.begin() && at + step < bytes_.end() && *(at + step) == anchor_ + step) {
      at += step;
      anchor_ += step;
    }
    return roll == 0 ? 0 : page - 1;
  }

  void part(std::int64_t position, std::int64_t budget, Edge edge) {
    const std::string range = "[" + std::to_string(position) + ", " + std::to_string(position + budget) +
                              ") of count " + std::to_string(count_);
    std::byte* packed = packed_.place(budget, edge);
    now.packed = packed;
    now.budget = budget;
    memory_.fill(kUntouched);
    expected_.fill(kUntouched);
    std::memcpy(packed, incoming_.data() + position, static_cast<std::size_t>(budget));
    oracle_unpack(bytes_, expected_.origin(), position, packed, budget);
    now.operation = "unpack " + range;
    memory_.shut_units(8);
    const std::int64_t unpacked = move::unpack(*plan_, count_, memory_.origin(), position, packed, budget);
    memory_.open_units();
    require(unpacked == budget, "moved less");
    const std::int64_t wrong = memory_.first_difference(expected_);
    require(wrong == SparseMemory::kNone, "wrong byte at displacement " + std::to_string(wrong));

    std::memset(packed, 0, static_cast<std::size_t>(budget));
    oracle_pack(bytes_, memory_.origin(), position, stream_.data(), budget);
    now.operation = "pack " + range;
    memory_.shut_units(kernel::kLine);
    const std::int64_t moved = move::pack(*plan_, count_, memory_.origin(), position, packed, budget);
    memory_.open_units();
    require(moved == budget, "moved less");
    require(std::memcmp(packed, stream_.data(), static_cast<std::size_t>(budget)) == 0, "wrong bytes");
  }

  static void require(bool condition, const std::string& what) {
    if (!condition) throw Wrong(now.operation + ": " + what);
  }

  Random& random_;
  plan::PlanPtr plan_;
  std::int64_t count_;
  std::vector<std::int64_t> bytes_;
  std::int64_t anchor_, in_page_;
  SparseMemory memory_, expected_;
  GuardedBuffer packed_;
  std::vector<std::byte> incoming_, stream_;
};

struct Tally {
  std::int64_t types = 0, with_holes = 0, holes = 0;
};

// False if there is something wrong with the type of this seed, which is printed.
bool one(std::uint64_t seed, Tally& tally) {
  now.seed = seed;
  now.type = "(not built)";
  try {
    Random random(seed);
    const int kind = static_cast<int>(random.between(0, 2 * kPageShapes - 1));
    const bool far = kind < kPageShapes;
    const PageShape shape = far ? page_shape(random, kind) : PageShape{"random", random_type(seed), 0};
    std::int64_t count = far ? shape.count : random.mostly_small(1, 70);
    const layout::Layout& type = *shape.type;
    const auto span = [&] { return type.true_extent + (count - 1) * std::abs(type.extent); };
    while (!far && count > 1 && (span() > kMaxSpan || type.size * count > kMaxPacked)) count /= 2;
    if (type.size == 0) return true;
    now.type = notation::print(type);
    PageCheck check(shape.type, count, random);
    check.run();
    if (far && check.holes() == 0) throw Wrong(std::string(shape.name) + ": no hole in its gaps");
    ++tally.types;
    tally.with_holes += check.holes() > 0;
    tally.holes += check.holes();
    return true;
  } catch (const std::exception& error) {
    std::printf("FAILED: %s\n  type: %s\n  replay: page_gaps_test --one %llu\n", error.what(), now.type.c_str(),
                static_cast<unsigned long long>(seed));
    return false;
  }
}

int run(int argc, char** argv) {
  std::int64_t types = 4000;
  std::uint64_t seed = 20'261'121;
  bool alone = false;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    char* end = nullptr;
    const std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 0) : 0;
    if (end == nullptr || end == argv[i + 1] || *end != '\0' ||
        (name != "--types" && name != "--seed" && name != "--one")) {
      std::fprintf(stderr, "usage: page_gaps_test [--types N] [--seed S] | --one SEED\n");
      return 2;
    }
    if (name == "--types") types = static_cast<std::int64_t>(value);
    if (name != "--types") seed = value;
    alone = alone || name == "--one";
  }
  catch_faults();
  Tally tally;
  if (alone) return one(seed, tally) ? 0 : 1;
  for (std::int64_t i = 0; i < types; ++i)
    if (!one(mixed(seed, static_cast<std::uint64_t>(i)), tally)) return 1;
  std::printf("%lld types, %lld with unmapped pages in their gaps, %lld such pages\n",
              static_cast<long long>(tally.types), static_cast<long long>(tally.with_holes),
              static_cast<long long>(tally.holes));
  if (tally.with_holes * kFewestWithHoles < tally.types || tally.types == 0) {
    std::printf("FAILED: too few of them have holes\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace gapless::test

// The address sanitizer calls it before it reports an error.
extern "C" __attribute__((visibility("default"))) void __asan_on_error() {
  std::printf("FAILED: %s touches what holds no byte of the message\n  type: %s\n  replay: page_gaps_test --one %llu\n",
              gapless::test::now.operation.c_str(), gapless::test::now.type.c_str(),
              static_cast<unsigned long long>(gapless::test::now.seed));
  std::fflush(stdout);
}

int main(int argc, char** argv) {
  return gapless::test::run(argc, argv);
}
