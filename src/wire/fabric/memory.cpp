#include "wire/fabric/memory.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace gapless::wire::fabric {

namespace {

std::int64_t pages_of(const char* base, std::int64_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(base) / Memory::kPage;
  const auto last = (reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(bytes) - 1) / Memory::kPage;
  return static_cast<std::int64_t>(last - first + 1);
}

}  // namespace

RegionPtr Memory::find(char* base, std::int64_t bytes) {
  // The regions that begin at or before the first byte, the nearest one first. Those that nobody holds go.
  for (auto at = regions_.upper_bound(base); at != regions_.begin();) {
    --at;
    const RegionPtr region = at->second.lock();
    if (!region) {
      at = regions_.erase(at);
      continue;
    }
    // One further to the left that reaches past this one is not looked for: at most, a region is made once more.
    return region->base + region->bytes >= base + bytes ? region : nullptr;
  }
  return nullptr;
}

RegionPtr Memory::reach(char* base, std::int64_t bytes, bool aside) {
  {
    const std::lock_guard guard(lock_);
    if (RegionPtr known = find(base, bytes)) return known;
  }
  const std::int64_t begin = base::now_ns();
  auto made = std::make_shared<Region>();
  made->base = base;
  made->bytes = bytes;
  made->registration = endpoint_.make_reachable(base, static_cast<std::size_t>(bytes), true);
  const std::int64_t pages = pages_of(base, bytes), until = begin + charge_.ns + charge_.ns_per_page * pages;
  if (charge_.ns + charge_.ns_per_page > 0)
    while (base::now_ns() < until) {
    }
  const std::lock_guard guard(lock_);
  const std::int64_t ns = base::now_ns() - begin;
  ++counters_.regions;
  counters_.bytes += bytes;
  counters_.ns += ns;
  costs_.add(static_cast<double>(pages), static_cast<double>(ns));
  if (aside) ++counters_.aside;
  regions_.insert_or_assign(base, made);
  if (regions_.size() > most_regions_) {
    std::erase_if(regions_, [](const auto& entry) { return entry.second.expired(); });
    most_regions_ = std::max<std::size_t>(64, 2 * regions_.size());
  }
  return made;
}

std::int64_t Memory::expected_ns(std::int64_t bytes) const {
  const std::lock_guard guard(lock_);
  // Where it begins within its first page is not known.
  return static_cast<std::int64_t>(costs_.at(static_cast<double>((bytes + kPage - 1) / kPage)));
}

void Memory::forget(char* base, std::int64_t bytes) {
  const std::lock_guard guard(lock_);
  std::erase_if(regions_, [&](const auto& entry) {
    const RegionPtr region = entry.second.lock();
    return !region || (region->base < base + bytes && base < region->base + region->bytes);
  });
}

Memory::Counters Memory::counters() const {
  const std::lock_guard guard(lock_);
  return counters_;
}

}  // namespace gapless::wire::fabric
