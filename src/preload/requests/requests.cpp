#include "preload/requests/requests.hpp"

#include <pthread.h>
#include <sched.h>

#include <memory>
#include <new>
#include <utility>

namespace gapless::preload {

// Never destroyed: a program may complete requests in its static destructors.
constinit Requests requests;

void Requests::lock() noexcept {
  for (int tries = 0; locked_.test_and_set(std::memory_order_acquire); ++tries) {
    if (tries > 100) sched_yield();
  }
}

RequestEntry* Requests::make(Procedure procedure) noexcept {
  lock();
  RequestEntry* entry = idle_;
  if (entry != nullptr) idle_ = entry->next_;
  unlock();
  if (entry == nullptr) entry = new (std::nothrow) RequestEntry;
  if (entry != nullptr) entry->procedure = procedure;
  return entry;
}

void Requests::recycle(RequestEntry* entry) noexcept {
  // Releases staging and the plan, outside of the lock. An assignment would move every member first.
  std::destroy_at(entry);
  std::construct_at(entry);
  lock();
  entry->next_ = idle_;
  idle_ = entry;
  unlock();
}

void Requests::drop(RequestEntry* entry) noexcept {
  recycle(entry);
}

void Requests::unlist(RequestEntry* entry) noexcept {
  const std::size_t k = bucket(entry->handle_);
  RequestEntry** link = &heads_[k];
  while (*link != entry) link = &(*link)->next_;
  *link = entry->next_;
  entry->listed_ = false;
  filter_[k].fetch_sub(1, std::memory_order_release);
  count_.fetch_sub(1, std::memory_order_release);
}

RequestEntry* Requests::find(MPI_Request handle) const noexcept {
  RequestEntry* entry = heads_[bucket(handle)];
  while (entry != nullptr && entry->handle_ != handle) entry = entry->next_;
  return entry;
}

void Requests::add(MPI_Request handle, RequestEntry* entry) noexcept {
  const std::size_t k = bucket(handle);
  lock();
  while (RequestEntry* const old = find(handle)) {
    ++old->holds_;
    // Collectives of a single process complete at once, and share a handle, too. Their data are delivered now, and
    // before the entry is unlisted: another thread that waits for the handle must find them delivered.
    if (old->collective != nullptr) {
      unlock();
      old->deliver(MPI_Status{});
      lock();
    }
    if (old->listed_) unlist(old);
    if (--old->holds_ != 0) continue;  // its holder recycles it
    unlock();
    recycle(old);
    lock();
  }
  entry->handle_ = handle;
  entry->listed_ = true;
  entry->next_ = heads_[k];
  heads_[k] = entry;
  filter_[k].fetch_add(1, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  unlock();
}

void Requests::update_handle(RequestEntry* entry, MPI_Request handle) noexcept {
  if (entry->handle_ == handle || handle == MPI_REQUEST_NULL) return;
  take(entry);
  add(handle, entry);
}

RequestEntry* Requests::hold(MPI_Request handle) noexcept {
  lock();
  RequestEntry* const entry = find(handle);
  if (entry != nullptr) ++entry->holds_;
  unlock();
  return entry;
}

Requests::Held Requests::hold_for(Use use, MPI_Request handle) noexcept {
  lock();
  Held held{find(handle), false};
  // Not the same thread, in an error handler.
  const auto another_starts = [&] {
    return held.entry != nullptr && held.entry->is_in_call_ && held.entry->persistent &&
           pthread_equal(held.entry->caller_, pthread_self()) == 0;
  };
  while (another_starts()) {
    unlock();
    sched_yield();
    lock();
    held.entry = find(handle);
  }
  if (held.entry != nullptr && held.entry->is_in_call_ && !held.entry->persistent) {
    if (held.entry->collective == nullptr) held.entry = nullptr;
    held.is_others = held.entry != nullptr && use == Use::kCompletes;
  } else if (held.entry != nullptr && keeps_to_itself(use, *held.entry)) {
    held.entry->is_in_call_ = true;
    held.entry->caller_ = pthread_self();
  }
  if (held.entry != nullptr) ++held.entry->holds_;
  unlock();
  return held;
}

void Requests::give_back(Use use, RequestEntry* entry) noexcept {
  lock();
  if (keeps_to_itself(use, *entry)) entry->is_in_call_ = false;
  const bool last = --entry->holds_ == 0 && !entry->listed_;
  unlock();
  if (last) recycle(entry);
}

void Requests::release(RequestEntry* entry) noexcept {
  give_back(Use::kLooks, entry);
}

void Requests::finish(RequestEntry* entry) noexcept {
  lock();
  if (entry->listed_) unlist(entry);
  const bool last = --entry->holds_ == 0;
  unlock();
  if (last) recycle(entry);
}

void Requests::take(RequestEntry* entry) noexcept {
  lock();
  if (entry->listed_) unlist(entry);
  unlock();
}

void Requests::forget_all() noexcept {
  for (std::size_t k = 0; k < kBuckets && any(); ++k) {
    for (;;) {
      lock();
      RequestEntry* const entry = heads_[k];
      if (entry != nullptr) unlist(entry);
      const bool over = entry != nullptr && entry->holds_ == 0;
      unlock();
      if (entry == nullptr) break;
      // Not an active receive's: where sessions are not wrapped, by a front without them, it may go on.
      if (over && (!entry->receives || !entry->is_active())) recycle(entry);
    }
  }
}

}  // namespace gapless::preload
