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

// What a type was made of. The library's size and bounds are a function of it, so types of equal construction need not
// be asked for theirs.
struct Construction {
  // With each component's part: of a contiguous predefined type its handle (builtin_part), of any other the serial
  // number of its cached type.
  Contents contents;
  std::uint64_t hash = 0;
  void seal() noexcept;  // computes the hash
};
// Its handle means the same as long as the cache is not cleared; no serial number is so large.
inline std::uint64_t builtin_part(MPI_Datatype type) noexcept {
  return key_of(type) | std::uint64_t{1} << 63;
}

// A construction that is kept.
class KeptConstruction {
 public:
  KeptConstruction() noexcept = default;
  explicit KeptConstruction(const Construction& made);
  bool operator==(const Construction& other) const noexcept;
  std::uint64_t hash() const noexcept { return hash_; }

 private:
  std::uint64_t hash_ = 0;
  int combiner_ = MPI_COMBINER_NAMED;
  Contents::Counts counts_;
  std::vector<std::byte> arguments_;
};

struct CachedType {
  std::uint64_t serial = 0;  // never given twice
  KeptConstruction construction;
  layout::LayoutPtr layout;
  std::int64_t bytes = 0;  // [bytes] kept alive by this, its components' included, the plan's estimated
  // Of TypeCache::datatype: set once, under the cache's lock, before `has_datatype`.
  std::atomic<bool> has_datatype{false};
  DatatypePtr datatype;
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
  CachedTypePtr keep(const Construction& construction, layout::LayoutPtr layout, std::int64_t component_bytes);

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
