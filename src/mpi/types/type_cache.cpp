#include "mpi/types/type_cache.hpp"

#include <array>
#include <cstring>
#include <span>

#include "base/immortal.hpp"
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
  void add(std::span<const std::byte> list) noexcept {
    for (; list.size() >= 8; list = list.subspan(8)) {
      std::uint64_t word;
      std::memcpy(&word, list.data(), 8);
      add(word);
    }
    if (list.empty()) return;
    std::uint64_t rest = 0;
    std::memcpy(&rest, list.data(), list.size());
    add(rest);
  }
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0;
};

// What a cached type takes without arguments, layout and plan included, and what it takes for each byte of arguments,
// these included: measured (structures_test prints it, and fails if it is more).
constexpr std::int64_t kBytesOfType = 10240;
constexpr std::int64_t kBytesForByte = 10;

}  // namespace

void Construction::seal() noexcept {
  Hash all;
  all.add(static_cast<std::uint64_t>(contents.combiner));
  // The other counts follow from these and from how many bytes there are, but for collisions.
  all.add(static_cast<std::uint64_t>(contents.counts().integers));
  all.add(contents.arguments());
  hash = all.value();
}

KeptConstruction::KeptConstruction(const Construction& made)
    : hash_(made.hash),
      combiner_(made.contents.combiner),
      counts_(made.contents.counts()),
      arguments_(made.contents.arguments().begin(), made.contents.arguments().end()) {}

bool KeptConstruction::operator==(const Construction& other) const noexcept {
  if (hash_ != other.hash || combiner_ != other.contents.combiner || counts_ != other.contents.counts()) return false;
  const std::span<const std::byte> arguments = other.contents.arguments();  // as many bytes, for the counts are equal
  return arguments.empty() || std::memcmp(arguments_.data(), arguments.data(), arguments.size()) == 0;
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

CachedTypePtr TypeCache::keep(const Construction& construction, layout::LayoutPtr layout,
                              std::int64_t component_bytes) {
  const auto argument_bytes = static_cast<std::int64_t>(construction.contents.arguments().size());
  const std::int64_t bytes = kBytesOfType + kBytesForByte * argument_bytes + component_bytes;
  if (bytes > limits_.bytes / 4 || limits_.types == 0) return nullptr;
  auto made = std::make_shared<CachedType>();
  made->construction = KeptConstruction(construction);
  made->layout = std::move(layout);
  made->bytes = bytes;
  Order own{made}, gone;  // memory is given back behind the lock
  const std::lock_guard lock(mutex_);
  // Only where another thread was faster is there anything to compare.
  const auto [begin, end] = by_hash_.equal_range(construction.hash);
  for (auto found = begin; found != end; ++found) {
    if ((*found->second)->construction == construction) return *found->second;
  }
  evict_to(limits_.types - 1, limits_.bytes - bytes, gone);
  made->serial = ++last_serial_;
  by_hash_.emplace(construction.hash, own.begin());
  order_.splice(order_.begin(), own);
  counts_.bytes += bytes;
  return made;
}

void TypeCache::evict_to(std::size_t types, std::int64_t bytes, Order& gone) noexcept {
  while (!order_.empty() && (order_.size() > types || counts_.bytes > bytes)) {
    const auto last = std::prev(order_.end());
    const auto [begin, end] = by_hash_.equal_range((*last)->construction.hash());
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
  if (cached.has_datatype.load(std::memory_order_acquire)) return cached.datatype;
  DatatypePtr made = compiled(cached.layout);
  const std::lock_guard lock(mutex_);
  ++counts_.plans;
  if (cached.datatype == nullptr) {
    cached.datatype = std::move(made);
    cached.has_datatype.store(true, std::memory_order_release);
  }
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
  return base::immortal<TypeCache>();
}

}  // namespace gapless::mpi
