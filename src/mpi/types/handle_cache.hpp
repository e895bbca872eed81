// What is known of a handle, kept until the library says that the handle is freed: by the delete callback of an
// attribute, which it calls before it gives the handle to another object. (Interception of the procedures that free
// could not do that: objects are freed inside other procedures and under other names.)
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/immortal.hpp"
#include "base/per_thread.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::mpi {

// `Kind`: the type of handles, `Handle`; the library's functions for attributes, `create_keyval`, `free_keyval`,
// `set_attr`, `get_attr`; and `freed(key)`, called when the handle is freed. `Facts`: copied to each thread that uses
// the handle, which remembers `kSlots` of them, a power of two.
template <class Kind, class Facts, std::size_t kSlots>
class HandleCache {
 public:
  using Handle = Kind::Handle;
  struct Found {
    Facts facts{};
    bool is_kept = false;
  };
  struct Slot {
    std::uint64_t key = 0;
    std::uint64_t generation = UINT64_MAX;
    Facts facts{};
  };
  // This thread's slot for a handle, if it has a memory; `holds`: the slot is of that handle, and still valid.
  struct Remembered {
    Slot* slot;
    std::uint64_t generation;  // read before any look-up: what is taken out meanwhile makes it too old, never too new
    bool holds;
  };

  static Remembered remembered(std::uint64_t key) noexcept {
    const std::size_t index = index_of(key);
    Slots* const slots = base::PerThread<Slots>::get();
    Slot* const slot = slots == nullptr ? nullptr : &(*slots)[index];
    const std::uint64_t now = generations_[index].load(std::memory_order_acquire);
    return {slot, now, slot != nullptr && slot->key == key && slot->generation == now};
  }

  static Found find(std::uint64_t key) {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    const auto entry = all.kept.find(key);
    return entry == all.kept.end() ? Found{} : Found{entry->second, true};
  }

  // Keeps the facts under a handle that the program may use now, or finds those that another thread put there.
  // `is_freed`: false for an object that lives as long as the epoch and gets no attribute.
  static Found keep(Handle handle, const Facts& facts, bool is_freed = true) {
    const std::uint64_t key = key_of(handle);
    const int attribute = is_freed ? keyval() : MPI_KEYVAL_INVALID;
    if (is_freed && attribute == MPI_KEYVAL_INVALID) return {facts};
    State& all = state();
    {
      const std::lock_guard lock(all.mutex);
      if (all.dying.contains(key)) return {facts};
      const auto [entry, is_first] = all.kept.try_emplace(key, facts);
      if (!is_first) return {entry->second, true};
    }
    const bool is_kept = !is_freed || set_attribute(handle, attribute);
    const std::lock_guard lock(all.mutex);
    if (is_kept) {
      all.attributes += is_freed ? 1 : 0;
      all.kept.try_emplace(key, facts);  // again: setting an attribute that was there evicts, see clear()
    } else {
      all.kept.erase(key);
      forget(index_of(key));
    }
    return {facts, is_kept};
  }

  // While an object is being freed, the program's own delete callbacks may still use it. Nothing is kept of it then: an
  // attribute that it gets now may be lost without a callback. May throw bad_alloc.
  static void begin_freeing(Handle handle) {
    State& all = state();
    {
      const std::lock_guard lock(all.mutex);
      all.dying.insert(key_of(handle));
    }
    take_out(key_of(handle));
  }
  // When the library's call has ended: another object may have the handle already. `key`: key_of(handle).
  static void end_freeing(std::uint64_t key) noexcept {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    if (const auto one = all.dying.find(key); one != all.dying.end()) all.dying.erase(one);
  }

  // Forgets all facts; the objects keep their attributes.
  static void clear() {
    State& all = state();
    std::unordered_map<std::uint64_t, Facts> dropped;
    const std::lock_guard lock(all.mutex);
    dropped.swap(all.kept);
    for (std::size_t k = 0; k < kSlots; ++k) forget(k);
  }

  // Before the last epoch ends. The objects keep their attributes, and the callback its duty, until they are freed.
  static void epoch_ending() {
    int key = exchange_keyval();
    if (key != MPI_KEYVAL_INVALID) (library.*Kind::free_keyval)(&key);
  }

  // The next epoch gives the same handles to other objects, without a callback.
  static void epoch_ended() {
    clear();
    exchange_keyval();
  }

  // Handles that are kept now; attributes set so far.
  static std::pair<std::size_t, std::uint64_t> counts() {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    return {all.kept.size(), all.attributes};
  }

 private:
  using Slots = std::array<Slot, kSlots>;
  // Never destroyed: a program may free handles in its own static destructors.
  struct State {
    std::mutex mutex;  // never held across an MPI call, for the delete callback takes it
    std::unordered_map<std::uint64_t, Facts> kept;
    std::unordered_multiset<std::uint64_t> dying;
    int keyval = MPI_KEYVAL_INVALID;
    std::uint64_t attributes = 0;
  };
  static State& state() noexcept { return base::immortal<State>(); }

  static std::size_t index_of(std::uint64_t key) noexcept {
    static_assert(std::has_single_bit(kSlots));
    return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> (64 - std::countr_zero(kSlots)));
  }
  static void forget(std::size_t index) noexcept { generations_[index].fetch_add(1, std::memory_order_release); }

  // No MPI call, and no lock that is ever held across one: the library may be anywhere, MPI_Wait included.
  static int evict(Handle handle, int, void*, void*) {
    const std::uint64_t key = key_of(handle);
    Kind::freed(key);
    take_out(key);
    return MPI_SUCCESS;
  }

  static void take_out(std::uint64_t key) {
    State& all = state();
    Facts last;  // its memory is given back behind the lock
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.kept.find(key); found != all.kept.end()) {
      last = std::move(found->second);
      all.kept.erase(found);
      forget(index_of(key));
    }
  }

  // Not MPI_TYPE_NULL_COPY_FN: that may be a function of the library, with which nothing here is linked.
  static int copy_nothing(Handle, int, void*, void*, void*, int* flag) {
    *flag = 0;
    return MPI_SUCCESS;
  }

  static int exchange_keyval() {
    State& all = state();
    const std::lock_guard lock(all.mutex);
    return std::exchange(all.keyval, MPI_KEYVAL_INVALID);
  }

  // The attribute's key, made at the first use: before an initialisation it could not be made.
  static int keyval() {
    State& all = state();
    {
      const std::lock_guard lock(all.mutex);
      if (all.keyval != MPI_KEYVAL_INVALID) return all.keyval;
    }
    int made = MPI_KEYVAL_INVALID;
    if ((library.*Kind::create_keyval)(copy_nothing, evict, &made, nullptr) != MPI_SUCCESS) return MPI_KEYVAL_INVALID;
    int kept;
    {
      const std::lock_guard lock(all.mutex);
      if (all.keyval == MPI_KEYVAL_INVALID) all.keyval = made;
      kept = all.keyval;
    }
    if (kept != made) (library.*Kind::free_keyval)(&made);  // another thread was faster
    return kept;
  }

  static bool set_attribute(Handle handle, int key) noexcept {
    void* value = nullptr;
    int has = 0;
    return (library.*Kind::set_attr)(handle, key, nullptr) == MPI_SUCCESS &&
           (library.*Kind::get_attr)(handle, key, &value, &has) == MPI_SUCCESS && has != 0;
  }

  // Count what was taken out. What a thread remembers in a slot is valid only while nothing with that slot was taken
  // out since: a handle that is freed disturbs one in kSlots.
  constinit inline static std::array<std::atomic<std::uint64_t>, kSlots> generations_{};
};

}  // namespace gapless::mpi
