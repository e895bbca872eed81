#include "fuzz/judge.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "base/status.hpp"
#include "normal/normalise.hpp"
#include "plan/plan.hpp"
#include "property/type_check.hpp"

namespace gapless::test::fuzz {
namespace {

using layout::Layout;

constexpr std::int64_t kMaxWork = 3'000;     // steps of the oracle, literal as it is
constexpr std::int64_t kMaxReach = 100'000;  // [bytes] buffers are that large
constexpr std::int64_t kMaxBytes = 20'000;   // of data
constexpr std::int64_t kTooMuch = kMaxWork + 1;

std::int64_t plus(std::int64_t a, std::int64_t b) {
  return std::min(kTooMuch, std::min(kTooMuch, a) + std::min(kTooMuch, b));
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a > kTooMuch / b ? kTooMuch : std::min(kTooMuch, a * b);
}

// An upper bound of what writing out a type takes, also of copies without data. Saturates at kTooMuch.
class Work {
 public:
  std::int64_t of(const Layout& type) {
    const auto known = known_.find(&type);
    if (known != known_.end()) return known->second;
    const std::int64_t work = plus(1, counted(type));
    known_.emplace(&type, work);
    return work;
  }

 private:
  std::int64_t counted(const Layout& type) {
    std::int64_t copies = std::max<std::int64_t>(type.bound, type.total);
    if (!type.sizes.empty()) copies = std::max<std::int64_t>(copies, 1);
    for (const std::int64_t size : type.sizes) copies = times(copies, std::min(size, kTooMuch));
    std::int64_t work = type.expansion ? of(*type.expansion) : 0;
    if (type.combiner == layout::Combiner::kStruct) {
      for (std::size_t i = 0; i < type.children.size(); ++i)
        work = plus(work, plus(of(*type.children[i]), times(type.blocklengths[i], of(*type.children[i]))));
      return work;
    }
    if (type.children.empty()) return work;
    if (type.blocklengths.empty()) {
      copies = plus(copies, times(type.count, std::max<std::int64_t>(1, type.blocklength)));
    } else {
      for (const std::int64_t length : type.blocklengths) copies = plus(copies, length);
    }
    return plus(work, times(std::max<std::int64_t>(copies, 1), of(*type.children[0])));
  }

  std::unordered_map<const Layout*, std::int64_t> known_;
};

bool near(std::int64_t value) {
  return value >= -kMaxReach && value <= kMaxReach;
}

bool small(const Layout& type) {
  return type.size <= kMaxBytes && near(type.lb) && near(type.extent) && near(type.true_lb) && near(type.true_extent) &&
         Work().of(type) <= kMaxWork;
}

// Whether everything inside is small as well, the places of empty blocks included: the oracle multiplies without a
// check.
bool small_throughout(const Layout& type, int depth = 0) {
  if (depth > 64 || !small(type) || !near(type.stride)) return false;
  if (!std::all_of(type.displacements.begin(), type.displacements.end(), near)) return false;
  return std::all_of(type.children.begin(), type.children.end(),
                     [&](const auto& child) { return small_throughout(*child, depth + 1); });
}

}  // namespace

void finding(const char* what, const char* detail) {
  std::fprintf(stderr, "FINDING: %s: %s\n", what, detail);
  std::abort();
}

void judge(const layout::LayoutPtr& type) {
  try {
    if (small_throughout(*type)) {
      check_type(type, 1);
    } else {
      plan::compile(*type);
    }
  } catch (const Wrong& wrong) {
    finding("the oracle disagrees", wrong.what());
  } catch (const base::Error& error) {
    finding("a type that was built cannot be used", error.what());
  }
}

}  // namespace gapless::test::fuzz
