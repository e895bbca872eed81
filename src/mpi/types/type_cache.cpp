#include "mpi/types/type_cache.hpp"

#include <array>
#include <cstring>

#include "base/status.hpp"

namespace gapless::mpi {

namespace {

// Only equality matters, and a collision costs a comparison: one multiplication for eight bytes, in one process.
class Hash {
 public:
  void add(std::uint64_t word) noexcept {
    state_ = (state_ ^ word) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
  }
  template <class T>
  void add(const std::vector<T>& list) noexcept {
    const char* bytes = reinterpret_cast<const char*>(list.data());
    const std::size_t size = list.size() * sizeof(T);
    add(size);
    std::size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, 8);
      add(word);
    }
    std::uint64_t rest = 0;
    if (at < size) {
      std::memcpy(&rest, bytes + at, size - at);
      add(rest);
    }
  }
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) noexcept {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same(const ReportedBounds& a, const ReportedBounds& b) noexcept {
  return a.size == b.size && a.lb == b.lb && a.extent == b.extent && a.true_lb == b.true_lb &&
         a.true_extent == b.true_extent;
}

// What a cached type takes without arguments, layout and plan included, and what it takes for each byte of arguments,
// these included: measured (structures_test prints it, and fails if it is more).
constexpr std::int64_t kBytesOfType = 10240;
constexpr std::int64_t kBytesForByte = 10;

}  // namespace

void Construction::seal() noexcept {
  Hash all;
  all.add(static_cast<std::uint64_t>(contents.combiner));
  for (const MPI_Count number : {reported.size, reported.lb, reported.extent, reported.true_lb, reported.true_extent}) {
    all.add(static_cast<std::uint64_t>(number));
  }
  all.add(contents.integers);
  all.add(contents.addresses);
  all.add(contents.large_counts);
  all.add(parts);
  hash = all.value();
}

std::int64_t Construction::bytes() const noexcept {
  return static_cast<std::int64_t>(contents.integers.size() * sizeof(int) +
                                   contents.addresses.size() * sizeof(MPI_Aint) +
                                   contents.large_counts.size() * sizeof(MPI_Count) + parts.size() * sizeof(parts[0]));
}

bool Construction::operator==(const Construction& other) const noexcept {
  return hash == other.hash && contents.combiner == other.contents.combiner && same(reported, other.reported) &&
         same(contents.integers, other.contents.integers) && same(contents.addresses, other.contents.addresses) &&
         same(contents.large_counts, other.contents.large_counts) && same(parts, other.parts);
}

CachedTypePtr TypeCache::find(const Construction& wanted) {
  // Compared outside of the lock: lists may be long. More than a few of one hash are there on purpose, and lose.
  std::array<CachedTypePtr, 4> candidates;
  std::size_t count = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = by_hash_.equal_range(wanted.hash);
    for (auto found = begin; found != end && count < candidates.size(); ++found) {
      order_.splice(order_.begin(), order_, found->second);
      candidates[count++] = *found->second;
    }
  }
  for (CachedTypePtr& candidate : candidates) {
    if (candidate == nullptr || !(candidate->construction == wanted)) continue;
    hits_.fetch_add(1, std::memory_order_relaxed);
    return std::move(candidate);
  }
  misses_.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

CachedTypePtr TypeCache::keep(Construction&& construction, layout::LayoutPtr layout, std::int64_t component_bytes) {
  const std::int64_t bytes = kBytesOfType + kBytesForByte * construction.bytes() + component_bytes;
  if (bytes > limits_.bytes / 4 || limits_.types == 0) return nullptr;
  auto made = std::make_shared<CachedType>();
  made->construction = std::move(construction);
  made->construction.contents.datatypes = {};
  made->layout = std::move(layout);
  made->bytes = bytes;
  Order own{made}, gone;  // memory is given back behind the lock
  const std::lock_guard lock(mutex_);
  // Only where another thread was faster is there anything to compare.
  const auto [begin, end] = by_hash_.equal_range(made->construction.hash);
  for (auto found = begin; found != end; ++found) {
    if ((*found->second)->construction == made->construction) return *found->second;
  }
  evict_to(limits_.types - 1, limits_.bytes - bytes, gone);
  made->serial = ++last_serial_;
  by_hash_.emplace(made->construction.hash, own.begin());
  order_.splice(order_.begin(), own);
  counts_.bytes += bytes;
  return made;
}

void TypeCache::evict_to(std::size_t types, std::int64_t bytes, Order& gone) noexcept {
  while (!order_.empty() && (order_.size() > types || counts_.bytes > bytes)) {
    const auto last = std::prev(order_.end());
    const auto [begin, end] = by_hash_.equal_range((*last)->construction.hash);
    for (auto found = begin; found != end; ++found) {
      if (found->second != last) continue;
      by_hash_.erase(found);
      break;
    }
    counts_.bytes -= (*last)->bytes;
    ++counts_.evictions;
    gone.splice(gone.end(), order_, last);
  }
}

CachedTypePtr TypeCache::find_named(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto found = named_.find(handle);
  return found == named_.end() ? nullptr : found->second;
}

CachedTypePtr TypeCache::keep_named(std::uint64_t handle, layout::LayoutPtr layout) {
  auto made = std::make_shared<CachedType>();
  made->layout = std::move(layout);
  made->bytes = 0;
  const std::lock_guard lock(mutex_);
  if (named_.size() >= limits_.types) return nullptr;
  made->serial = ++last_serial_;
  return named_.try_emplace(handle, std::move(made)).first->second;
}

DatatypePtr TypeCache::datatype(CachedType& cached) {
  {
    const std::lock_guard lock(mutex_);
    if (cached.datatype != nullptr) return cached.datatype;
  }
  DatatypePtr made = compiled(cached.layout);
  const std::lock_guard lock(mutex_);
  ++counts_.plans;
  if (cached.datatype == nullptr) cached.datatype = std::move(made);
  return cached.datatype;
}

void TypeCache::clear() noexcept {
  // Serial numbers go on, so that a construction that is under way cannot be taken for one of the next epoch.
  Order gone;
  std::unordered_map<std::uint64_t, CachedTypePtr> named;
  const std::lock_guard lock(mutex_);
  gone.swap(order_);
  named.swap(named_);
  by_hash_.clear();
  counts_.bytes = 0;
}

TypeCache::Counts TypeCache::counts() {
  const std::lock_guard lock(mutex_);
  Counts now = counts_;
  now.hits = hits_.load(std::memory_order_relaxed);
  now.misses = misses_.load(std::memory_order_relaxed);
  now.types = order_.size();
  return now;
}

DatatypePtr compiled(layout::LayoutPtr layout) {
  plan::PlanPtr plan;
  try {
    plan = plan::compile_one_first(layout);
  } catch (const base::Error&) {  // such a type stays the library's
  }
  return std::make_shared<const Datatype>(std::move(layout), std::move(plan));
}

TypeCache& type_cache() {
  static TypeCache* const the = new TypeCache;
  return *the;
}

}  // namespace gapless::mpi
