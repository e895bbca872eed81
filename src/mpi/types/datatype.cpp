#include "mpi/types/datatype.hpp"

#include <atomic>
#include <mutex>
#include <unordered_map>

#include "base/immortal.hpp"
#include "layout/signature.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/handle_cache.hpp"
#include "mpi/types/marks.hpp"
#include "mpi/types/named.hpp"
#include "mpi/types/unused.hpp"

namespace gapless::mpi {

namespace {

// Outside of the cache, because they need no lock.
constinit Marks marks;
constinit std::atomic<int> epochs{0};  // initialisations that are not finalised: the world and the sessions

struct TypeHandles {
  using Handle = MPI_Datatype;
  static constexpr auto create_keyval = &Library::Type_create_keyval;
  static constexpr auto free_keyval = &Library::Type_free_keyval;
  static constexpr auto set_attr = &Library::Type_set_attr;
  static constexpr auto get_attr = &Library::Type_get_attr;
  static void freed(std::uint64_t key) noexcept { marks.remove(key); }
};
using Registry = HandleCache<TypeHandles, DatatypePtr, 64>;

// The facts of a contiguous predefined type, whose handle means the same in every epoch: kept for good, so that what is
// handed out needs no reference count. They are the types of most calls, which must cost next to nothing.
DatatypePtr keep_for_good(std::uint64_t key, DatatypePtr facts) {
  struct Builtin {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, DatatypePtr> types;
  };
  Builtin& all = base::immortal<Builtin>();
  const std::lock_guard lock(all.mutex);
  const auto [entry, inserted] = all.types.try_emplace(key, std::move(facts));
  return {DatatypePtr(), entry->second.get()};
}

// Of a type that the program may use now.
Registry::Found register_now(MPI_Datatype type) {
  Description described = describe(type);
  if (described.datatype == nullptr || epochs.load(std::memory_order_relaxed) == 0) return {};
  const std::uint64_t key = key_of(type);
  if (is_contiguous_builtin(type)) described.datatype = keep_for_good(key, std::move(described.datatype));
  Registry::Found found = Registry::keep(type, described.datatype, !described.is_predefined);
  if (found.is_kept) marks.remove(key);
  return found;
}

// Says whether the type is not to be looked up for such a message.
bool passes(MPI_Datatype type, FirstUse& use) {
  // Of so few types each may well be used again, and looking all of them up costs nothing that anybody notices.
  constexpr int kMostLookedUp = 64;
  static constinit std::atomic<int> looked_up{0};
  if (looked_up.load(std::memory_order_relaxed) < kMostLookedUp) {
    looked_up.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  MPI_Count size = -1;
  use.is_passed = library.Type_size_x(type, &size) == MPI_SUCCESS && size >= 0 && size <= (use.below - 1) / use.count;
  return use.is_passed;
}

Registry::Found find_unremembered(MPI_Datatype type, std::uint64_t key, bool also_builtin, FirstUse* first) {
  if (type == MPI_DATATYPE_NULL || epochs.load(std::memory_order_relaxed) == 0) return {};
  if (is_pair(type) || is_contiguous_builtin(type)) {
    const Registry::Found found = Registry::find(key);
    return found.is_kept || !(also_builtin || is_pair(type)) ? found : register_now(type);
  }
  switch (marks.use(key)) {
    case Marks::Use::kUnknown:
      // It is registered, or nobody committed it: whoever registers a type takes the mark away after that.
      return Registry::find(key);
    case Marks::Use::kFirst:
      // An attribute costs more than the look-up in some libraries, and many a type is used once and freed.
      return first != nullptr && passes(type, *first) ? Registry::Found{} : Registry::Found{describe(type).datatype};
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

[[gnu::noinline]] DatatypePtr find_slowly(MPI_Datatype type, std::uint64_t key, bool also_builtin, FirstUse* first,
                                          Registry::Remembered mine) noexcept {
  try {
    Registry::Found found = find_unremembered(type, key, also_builtin, first);
    // In between, a handler of the program may have been here, and even have ended the epoch.
    if (found.is_kept && mine.slot != nullptr) *mine.slot = {key, mine.generation, owned_by_thread(found.facts)};
    return std::move(found.facts);
  } catch (...) {  // no memory, or no lock
    return nullptr;
  }
}

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
  if (layout_ == nullptr) return;
  has_one_basic_type_ = layout::only_basic(*layout_) != nullptr;
  may_hold_long_doubles_ = layout::may_hold_long_doubles(*layout_);
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
  return marks.has(key) || Registry::find(key).is_kept;
}

bool is_known_committed(MPI_Datatype type) noexcept {
  return type != MPI_DATATYPE_NULL && (is_contiguous_builtin(type) || is_pair(type) || is_registered(type));
}

void forget_mark(MPI_Datatype type) noexcept {
  marks.remove(key_of(type));
}

const Datatype* remembered_type(MPI_Datatype type) noexcept {
  const Registry::Remembered mine = Registry::remembered(key_of(type));
  return mine.holds ? mine.slot->facts.get() : nullptr;
}

std::uint64_t generation_of(MPI_Datatype type) noexcept {
  return Registry::remembered(key_of(type)).generation;
}

DatatypePtr find_type(MPI_Datatype type, bool also_builtin, FirstUse* first) noexcept {
  const std::uint64_t key = key_of(type);
  const Registry::Remembered mine = Registry::remembered(key);
  if (mine.holds) [[likely]]
    return mine.slot->facts;
  return find_slowly(type, key, also_builtin, first, mine);
}

bool is_unused(MPI_Datatype type) noexcept {
  return marks.is_unused(key_of(type)) && epochs.load(std::memory_order_relaxed) != 0;
}

DatatypePtr look_at_unused(MPI_Datatype type) noexcept {
  return describe(type).datatype;
}

void use_unused(MPI_Datatype type) noexcept {
  if (marks.is_unused(key_of(type))) marks.use(key_of(type));
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
  if (is_last_epoch()) Registry::epoch_ending();
}

bool epoch_ended() noexcept {
  int before = epochs.load(std::memory_order_relaxed);
  while (before > 0 && !epochs.compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
  }
  if (before > 1) return false;
  marks.clear();
  type_cache().clear();
  Registry::epoch_ended();
  return true;
}

RegistryCounts registry_counts() noexcept {
  const auto [registered, attributes] = Registry::counts();
  return {registered, attributes};
}

}  // namespace gapless::mpi
