// Which memory of this process the network may reach: registrations, each as wide as it was asked for, kept as long as
// somebody holds it, and found again for any part of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "wire/fabric/cost_line.hpp"
#include "wire/fabric/endpoint.hpp"

namespace gapless::wire::fabric {

struct Region {
  char* base = nullptr;
  std::int64_t bytes = 0;
  Registration registration;
};
using RegionPtr = std::shared_ptr<const Region>;

// A stated cost of each registration, for providers that have none to pay for, so that what others pay can be studied
// (GAPLESS_FABRIC_CHARGE=NS,NS_PER_PAGE). It is spent by working, as pinning pages is.
struct Charge {
  std::int64_t ns = 0, ns_per_page = 0;
};

class Memory {
 public:
  static constexpr std::int64_t kPage = 4096;

  Memory(Endpoint& endpoint, Charge charge) : endpoint_(endpoint), charge_(charge) {}

  // The region that has [base, base + bytes), or a new one. Any thread. Throws Failure(kFabric).
  RegionPtr reach(char* base, std::int64_t bytes, bool aside = false);
  // What a registration of so many bytes is expected to take [ns], by those there were; 0: none was made yet.
  std::int64_t expected_ns(std::int64_t bytes) const;
  // Forgets what is known of this memory, which its owner is about to give back.
  void forget(char* base, std::int64_t bytes);

  struct Counters {
    std::int64_t regions = 0, bytes = 0, ns = 0, aside = 0;
  };
  Counters counters() const;

 private:
  // The region, or nullptr; with the lock held.
  RegionPtr find(char* base, std::int64_t bytes);

  Endpoint& endpoint_;
  const Charge charge_;
  mutable std::mutex lock_;
  std::map<char*, std::weak_ptr<const Region>> regions_;  // by their first byte; some that nobody holds any more
  std::size_t most_regions_ = 64;                         // before those are looked for
  Counters counters_;
  CostLine costs_;  // [ns] by pages
};

}  // namespace gapless::wire::fabric
