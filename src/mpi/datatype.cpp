#include "mpi/datatype.hpp"

#include <array>
#include <mutex>
#include <new>
#include <unordered_map>

#include "mpi/decode.hpp"
#include "mpi/library.hpp"
#include "mpi/per_thread.hpp"

namespace gapless::mpi {

namespace {

// Never destroyed: a program may free types in its own static destructors.
struct Registry {
  std::mutex mutex;  // never held across an MPI call, for the delete callback takes it
  std::unordered_map<std::uint64_t, DatatypePtr> types;
  int keyval = MPI_KEYVAL_INVALID;
  int epochs = 0;  // initialisations that are not finalised: the world and the sessions
};

Registry& registry() noexcept {
  static Registry* const the = new Registry;
  return *the;
}

// Counts evictions: what a thread remembers is valid only while nothing was evicted since.
std::atomic<std::uint64_t> generation{1};

constexpr std::size_t kRemembered = 64;

struct Remembered {
  std::uint64_t key = 0;
  std::uint64_t generation = 0;  // 0 is no generation
  DatatypePtr type;
};

struct Memory {
  std::array<Remembered, kRemembered> types;
};

// Not MPI_TYPE_NULL_COPY_FN: in Open MPI that is a function of the library, with which nothing here is linked.
int copy_nothing(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int evict(MPI_Datatype type, int, void*, void*) {
  Registry& all = registry();
  DatatypePtr last;  // its memory is given back behind the lock
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.types.find(key_of(type)); found != all.types.end()) {
    last = std::move(found->second);
    all.types.erase(found);
    generation.fetch_add(1, std::memory_order_release);
  }
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
  if (library.Type_create_keyval(copy_nothing, evict, &made, nullptr) != MPI_SUCCESS) {
    return MPI_KEYVAL_INVALID;
  }
  int kept;
  {
    const std::lock_guard lock(all.mutex);
    if (all.keyval == MPI_KEYVAL_INVALID) all.keyval = made;
    kept = all.keyval;
  }
  if (kept != made) library.Type_free_keyval(&made);  // another thread was faster
  return kept;
}

}  // namespace

const plan::Plan* Datatype::decode_now() noexcept {
  plan::PlanPtr made;
  try {
    if (const auto layout = decode(handle_); layout != nullptr) made = plan::compile(*layout);
  } catch (...) {
    made = nullptr;  // a layout beyond 63 bits, or no memory: such a type stays native
  }
  State expected = State::kUnknown;
  if (state_.compare_exchange_strong(expected, State::kBeingSet, std::memory_order_acquire)) {
    plan_ = std::move(made);
    state_.store(State::kKnown, std::memory_order_release);
  } else {
    // Another thread decoded the same type at the same time; it needs a few instructions to publish its plan.
    while (state_.load(std::memory_order_acquire) != State::kKnown) {
    }
  }
  return plan_.get();
}

void register_type(MPI_Datatype type) noexcept {
  if (is_contiguous_builtin(type) || type == MPI_DATATYPE_NULL) return;
  Registry& all = registry();
  try {
    const int key = keyval();
    if (key == MPI_KEYVAL_INVALID) return;
    // Where the program's error handler returns, MPICH says MPI_SUCCESS for a commit that failed. A handle that is no
    // type must never get in here: nothing would ever take it out again. It leaves `has` alone.
    void* value = nullptr;
    int has = -1;
    if (library.Type_get_attr(type, key, &value, &has) != MPI_SUCCESS || has != 0)
      return;  // or committed a second time
    {
      const std::lock_guard lock(all.mutex);
      if (all.epochs == 0) return;
      // An entry without an attribute is of an earlier type with this handle (MPICH takes the commit of a freed one).
      if (!all.types.insert_or_assign(key_of(type), nullptr).second) generation.fetch_add(1, std::memory_order_release);
    }
    auto entry = std::make_shared<Datatype>(type);
    const bool set = library.Type_set_attr(type, key, nullptr) == MPI_SUCCESS;
    const std::lock_guard lock(all.mutex);
    if (set) {
      all.types[key_of(type)] = std::move(entry);
    } else {
      all.types.erase(key_of(type));
    }
  } catch (...) {  // no memory, or no lock
  }
}

bool is_registered(MPI_Datatype type) noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return all.types.count(key_of(type)) != 0;
}

DatatypePtr find_type(MPI_Datatype type) noexcept {
  const std::uint64_t key = key_of(type);
  Memory* const memory = PerThread<Memory>::get();
  Remembered* const mine = memory == nullptr ? nullptr : &memory->types[(key ^ (key >> 26)) % kRemembered];
  // Read before the look-up: an eviction in between makes what is remembered too old, never too new.
  const std::uint64_t now = generation.load(std::memory_order_acquire);
  if (mine != nullptr && mine->key == key && mine->generation == now) return mine->type;
  DatatypePtr found;
  Registry& all = registry();
  {
    const std::lock_guard lock(all.mutex);
    if (const auto entry = all.types.find(key); entry != all.types.end()) found = entry->second;
  }
  if (found != nullptr && mine != nullptr) *mine = {key, now, found};
  return found;
}

void epoch_began() noexcept {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  ++all.epochs;
}

void epoch_ending() noexcept {
  Registry& all = registry();
  int key = MPI_KEYVAL_INVALID;
  {
    const std::lock_guard lock(all.mutex);
    if (all.epochs == 1) std::swap(key, all.keyval);
  }
  // The types keep their attributes, and the callback its duty, until they are freed.
  if (key != MPI_KEYVAL_INVALID) library.Type_free_keyval(&key);
}

bool epoch_ended() noexcept {
  Registry& all = registry();
  std::unordered_map<std::uint64_t, DatatypePtr> dropped;
  const std::lock_guard lock(all.mutex);
  if (all.epochs > 0) --all.epochs;
  if (all.epochs > 0) return false;
  // The next epoch gives the same handles to other types, without a callback.
  dropped.swap(all.types);
  all.keyval = MPI_KEYVAL_INVALID;
  generation.fetch_add(1, std::memory_order_release);
  return true;
}

}  // namespace gapless::mpi
