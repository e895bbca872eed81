// The second level: from the construction of a type to its layout and plan, whatever its handle. A program that builds
// a type for every message pays a look-up here and not a plan.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "mpi/types/contents.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::mpi {

// All that the library says of a type: what it was made of, and the numbers that a layout must agree with.
struct Construction {
  Contents contents;                 // without the handles, which differ from call to call
  std::vector<std::uint64_t> parts;  // instead of them: the components' cached types, by serial number
  ReportedBounds reported;
  std::uint64_t hash = 0;

  void seal() noexcept;  // computes the hash
  std::int64_t bytes() const noexcept;
  bool operator==(const Construction& other) const noexcept;
};

struct CachedType {
  std::uint64_t serial = 0;  // never given twice
  Construction construction;
  layout::LayoutPtr layout;
  std::int64_t bytes = 0;  // [bytes] kept alive by this, its components' included, the plan's estimated
  DatatypePtr datatype;    // of TypeCache::datatype; guarded by the cache's lock
};
using CachedTypePtr = std::shared_ptr<CachedType>;

// Bounded in number and in bytes; the one that was not used for the longest time goes first. The lock is held neither
// across an MPI call nor while a plan is compiled, and while long arguments are compared only if two threads had the
// same type at the same time. Functions throw std::bad_alloc.
class TypeCache {
 public:
  struct Limits {
    std::size_t types;
    std::int64_t bytes;
  };
  // As many shapes as a program may come back to, if it comes back to any: the small ones among them are some 10 MiB.
  // 32 MiB: what a process with large index lists may lose to this, 3 GiB at worst on a node with 100 of them. A type
  // that takes more than a quarter (lists of 130000 blocks) is not kept, for it would push out everything else; the
  // library takes 10 ns and more to make each of its blocks, so that a plan on top is a factor, not an order.
  static constexpr Limits kDefault{2048, 32 << 20};

  explicit TypeCache(Limits limits = kDefault) : limits_(limits) {}
  TypeCache(const TypeCache&) = delete;
  TypeCache& operator=(const TypeCache&) = delete;

  // The cached type of an equal construction, or nullptr. A hash finds, comparison of all arguments decides.
  CachedTypePtr find(const Construction& wanted);
  // Keeps what find() did not find; another thread may have been faster, then its type is the result. nullptr if
  // it is too large. `component_bytes`: those of its components' cached types.
  CachedTypePtr keep(Construction&& construction, layout::LayoutPtr layout, std::int64_t component_bytes);

  // The same for predefined types, by handle, for as long as the cache is not cleared.
  CachedTypePtr find_named(std::uint64_t handle);
  CachedTypePtr keep_named(std::uint64_t handle, layout::LayoutPtr layout);

  // Layout and plan, the plan compiled at the first call. Equal constructions share it while the type is cached.
  DatatypePtr datatype(CachedType& cached);

  void clear() noexcept;

  struct Counts {
    std::uint64_t hits = 0, misses = 0, evictions = 0, plans = 0;
    std::size_t types = 0;
    std::int64_t bytes = 0;
  };
  Counts counts();

 private:
  using Order = std::list<CachedTypePtr>;
  void evict_to(std::size_t types, std::int64_t bytes, Order& gone) noexcept;

  const Limits limits_;
  std::mutex mutex_;
  Order order_;  // the latest first
  std::unordered_multimap<std::uint64_t, Order::iterator> by_hash_;
  std::unordered_map<std::uint64_t, CachedTypePtr> named_;
  std::uint64_t last_serial_ = 0;
  Counts counts_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0};
};

// Layout and plan; the plan is nullptr if it would go beyond 63 bits.
DatatypePtr compiled(layout::LayoutPtr layout);

// The process's own. Never destroyed: a program may finalise MPI in its own static destructors.
TypeCache& type_cache();

}  // namespace gapless::mpi
