#include "mpi/types/datatype.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <unordered_map>

#include "mpi/abi/library.hpp"
#include "mpi/per_thread.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/marks.hpp"
#include "mpi/types/named.hpp"

namespace gapless::mpi {

namespace {

// Never destroyed: a program may free types in its own static destructors.
struct Registry {
  std::mutex mutex;  // never held across an MPI call, for the delete callback takes it
  std::unordered_map<std::uint64_t, DatatypePtr> types;
  // Of the contiguous predefined types, whose handles mean the same in every epoch: kept for good, so that what is
  // handed out needs no reference count. They are the types of most calls, which must cost next to nothing.
  std::unordered_map<std::uint64_t, DatatypePtr> builtin;
  int keyval = MPI_KEYVAL_INVALID;
  std::uint64_t attributes = 0;
};

Registry& registry() noexcept {
  static Registry* const the = new Registry;
  return *the;
}

// Outside of the registry, because they need no lock.
constinit Marks marks;
constinit std::atomic<int> epochs{0};  // initialisations that are not finalised: the world and the sessions

constexpr std::size_t kRemembered = 64;

// Counts what was taken out of the registry. What a thread remembers in a slot is valid only while nothing with that
// slot was taken out since: a type that is freed disturbs one in 64.
using Generations = std::array<std::atomic<std::uint64_t>, kRemembered>;
constinit Generations generations{};

struct Remembered {
  std::uint64_t key = 0;
  std::uint64_t generation = 0;
  DatatypePtr type;
};

struct Memory {
  std::array<Remembered, kRemembered> types;
};

std::size_t slot_of(std::uint64_t key) noexcept {
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 58);
}

void forget(std::uint64_t key) noexcept {
  generations[slot_of(key)].fetch_add(1, std::memory_order_release);
}

// No MPI call, and no lock that is ever held across one: the library may be anywhere, MPI_Wait included.
int evict(MPI_Datatype type, int, void*, void*) {
  Registry& all = registry();
  const std::uint64_t key = key_of(type);
  DatatypePtr last;  // its memory is given back behind the lock
  marks.remove(key);
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.types.find(key); found != all.types.end()) {
    last = std::move(found->second);
    all.types.erase(found);
    forget(key);
  }
  return MPI_SUCCESS;
}

// Not MPI_TYPE_NULL_COPY_FN: that may be a function of the library, with which nothing here is linked.
int copy_nothing(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

// The attribute's key, made at the first registration: before an initialisation it could not be made.
int keyval() {
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    if (all.keyval != MPI_KEYVAL_INVALID) return all.keyval;
  }
  int made = MPI_KEYVAL_INVALID;
  if (library.Type_create_keyval(copy_nothing, evict, &made, nullptr) != MPI_SUCCESS) return MPI_KEYVAL_INVALID;
  int kept;
  {
    const std::lock_guard lock(all.mutex);
    if (all.keyval == MPI_KEYVAL_INVALID) all.keyval = made;
    kept = all.keyval;
  }
  if (kept != made) library.Type_free_keyval(&made);  // another thread was faster
  return kept;
}

// Puts the facts under the handle, or finds those that another thread put there.
DatatypePtr keep(std::uint64_t key, DatatypePtr facts, bool& is_first) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [entry, inserted] = all.types.try_emplace(key, std::move(facts));
  is_first = inserted;
  return entry->second;
}

// The facts of a contiguous predefined type, without a count.
DatatypePtr keep_for_good(std::uint64_t key, DatatypePtr facts) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto [entry, inserted] = all.builtin.try_emplace(key, std::move(facts));
  return {DatatypePtr(), entry->second.get()};
}

bool set_attribute(MPI_Datatype type, int key) noexcept {
  void* value = nullptr;
  int has = 0;
  return library.Type_set_attr(type, key, nullptr) == MPI_SUCCESS &&
         library.Type_get_attr(type, key, &value, &has) == MPI_SUCCESS && has == 1;
}

struct Found {
  DatatypePtr facts;
  bool is_kept = false;  // under the handle
};

// Of a type that the program may use now.
Found register_now(MPI_Datatype type) {
  Description described = describe(type);
  if (described.datatype == nullptr || epochs.load(std::memory_order_relaxed) == 0) return {};
  const std::uint64_t key = key_of(type);
  const int attribute = described.is_predefined ? MPI_KEYVAL_INVALID : keyval();
  if (!described.is_predefined && attribute == MPI_KEYVAL_INVALID) return {described.datatype};
  if (is_contiguous_builtin(type)) described.datatype = keep_for_good(key, std::move(described.datatype));
  bool is_first = false;
  Found found{keep(key, std::move(described.datatype), is_first), true};
  if (!is_first) return found;
  Registry& all = registry();
  if (described.is_predefined || set_attribute(type, attribute)) {
    marks.remove(key);
    const std::lock_guard lock(all.mutex);
    all.attributes += described.is_predefined ? 0 : 1;
    return found;
  }
  found.is_kept = false;
  const std::lock_guard lock(all.mutex);
  all.types.erase(key);
  forget(key);
  return found;
}

Found registered(std::uint64_t key) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto entry = all.types.find(key);
  return entry == all.types.end() ? Found{} : Found{entry->second, true};
}

Found find_unremembered(MPI_Datatype type, std::uint64_t key, bool also_builtin) {
  if (Found found = registered(key); found.is_kept) return found;
  if (type == MPI_DATATYPE_NULL || epochs.load(std::memory_order_relaxed) == 0) return {};
  if (is_pair(type)) return register_now(type);
  if (is_contiguous_builtin(type)) return also_builtin ? register_now(type) : Found{};
  switch (marks.use(key)) {
    case Marks::Use::kUnknown:
      // Another thread may have registered the type since we looked; then it took the mark away after that.
      return registered(key);
    case Marks::Use::kFirst: {
      // An attribute costs more than the look-up in some libraries, and many a type is used once and freed.
      const Description described = describe(type);
      return {described.datatype};
    }
    default:
      return register_now(type);
  }
}

// With a reference count of the thread's own, for eight threads that send one type would pass a shared one around.
DatatypePtr owned_by_thread(const DatatypePtr& facts) {
  if (facts.use_count() == 0) return facts;  // never counted
  const auto owner = std::make_shared<DatatypePtr>(facts);
  return {owner, facts.get()};
}

[[gnu::noinline]] DatatypePtr find_slowly(MPI_Datatype type, std::uint64_t key, bool also_builtin, Remembered* mine,
                                          std::uint64_t generation) noexcept {
  try {
    Found found = find_unremembered(type, key, also_builtin);
    // In between, a handler of the program may have been here, and even have ended the epoch.
    if (found.is_kept && mine != nullptr) *mine = {key, generation, owned_by_thread(found.facts)};
    return std::move(found.facts);
  } catch (...) {  // no memory, or no lock
    return nullptr;
  }
}

}  // namespace

namespace {

// Bytes without a gap, so that any number of elements is a run.
bool is_dense(const layout::Layout& type) noexcept {
  return type.size == type.extent && type.size == type.true_extent;
}

struct Constructors {
  int levels = 0;
  bool has_lists = false;
};
// Along the first child alone: a struct has lists whatever the others are.
Constructors constructors_of(const layout::Layout* type) noexcept {
  using layout::Combiner;
  Constructors found;
  for (; type != nullptr && !is_dense(*type); type = type->children.empty() ? nullptr : type->children.front().get()) {
    switch (type->combiner) {
      case Combiner::kNamed:
      case Combiner::kResized:
      case Combiner::kDup:
        break;
      case Combiner::kContiguous:
      case Combiner::kVector:
      case Combiner::kHvector:
        ++found.levels;
        break;
      case Combiner::kSubarray:
        found.levels += type->sizes.size() > 2 ? static_cast<int>(type->sizes.size()) - 1 : 1;
        break;
      default:
        found.has_lists = true;
    }
  }
  return found;
}

}  // namespace

Datatype::Datatype(layout::LayoutPtr layout, plan::PlanPtr plan) : layout_(std::move(layout)), plan_(std::move(plan)) {
  if (plan_ != nullptr && plan_->run_count() > 0) mean_run_bytes_ = plan_->size() / plan_->run_count();
  const Constructors found = constructors_of(layout_.get());
  levels_ = found.levels;
  has_lists_ = found.has_lists;
}

void register_type(MPI_Datatype type) noexcept {
  if (is_contiguous_builtin(type) || type == MPI_DATATYPE_NULL || epochs.load(std::memory_order_relaxed) == 0) return;
  if (marks.add(key_of(type))) [[likely]]
    return;
  try {
    register_now(type);
  } catch (...) {  // no memory, or no lock
  }
}

bool is_registered(MPI_Datatype type) noexcept {
  const std::uint64_t key = key_of(type);
  if (marks.has(key)) return true;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.types.count(key) != 0;
}

void forget_mark(MPI_Datatype type) noexcept {
  marks.remove(key_of(type));
}

namespace {

// This thread's slot for a handle, if it has a memory; `holds`: the slot is of that handle, and still valid.
struct MemorySlot {
  Remembered* memory;
  std::uint64_t generation;  // read before any look-up: what is taken out meanwhile makes it too old, never too new
  bool holds;
};
inline MemorySlot slot_for(std::uint64_t key) noexcept {
  const std::size_t slot = slot_of(key);
  Memory* const memory = PerThread<Memory>::get();
  Remembered* const mine = memory == nullptr ? nullptr : &memory->types[slot];
  const std::uint64_t now = generations[slot].load(std::memory_order_acquire);
  return {mine, now, mine != nullptr && mine->key == key && mine->generation == now && mine->type != nullptr};
}

}  // namespace

const Datatype* remembered_type(MPI_Datatype type) noexcept {
  const MemorySlot slot = slot_for(key_of(type));
  return slot.holds ? slot.memory->type.get() : nullptr;
}

DatatypePtr find_type(MPI_Datatype type, bool also_builtin) noexcept {
  const std::uint64_t key = key_of(type);
  const MemorySlot slot = slot_for(key);
  if (slot.holds) [[likely]]
    return slot.memory->type;
  return find_slowly(type, key, also_builtin, slot.memory, slot.generation);
}

void epoch_began() noexcept {
  epochs.fetch_add(1, std::memory_order_relaxed);
}

bool has_epoch() noexcept {
  return epochs.load(std::memory_order_relaxed) > 0;
}

bool is_last_epoch() noexcept {
  return epochs.load(std::memory_order_relaxed) == 1;
}

void epoch_ending() noexcept {
  if (!is_last_epoch()) return;
  Registry& all = registry();
  int key = MPI_KEYVAL_INVALID;
  {
    const std::lock_guard lock(all.mutex);
    std::swap(key, all.keyval);
  }
  // The types keep their attributes, and the callback its duty, until they are freed.
  if (key != MPI_KEYVAL_INVALID) library.Type_free_keyval(&key);
}

bool epoch_ended() noexcept {
  int before = epochs.load(std::memory_order_relaxed);
  while (before > 0 && !epochs.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
  }
  if (before > 1) return false;
  // The next epoch gives the same handles to other types, without a callback.
  marks.clear();
  type_cache().clear();
  Registry& all = registry();
  std::unordered_map<std::uint64_t, DatatypePtr> dropped;
  const std::lock_guard lock(all.mutex);
  dropped.swap(all.types);
  all.keyval = MPI_KEYVAL_INVALID;
  for (auto& generation : generations) generation.fetch_add(1, std::memory_order_release);
  return true;
}

RegistryCounts registry_counts() noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return {all.types.size(), all.attributes};
}

}  // namespace gapless::mpi
