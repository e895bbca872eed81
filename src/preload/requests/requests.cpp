#include "preload/requests/requests.hpp"

#include <sched.h>

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

Pending* Requests::make(Procedure procedure) noexcept {
  lock();
  Pending* pending = idle_;
  if (pending != nullptr) idle_ = pending->next_;
  unlock();
  if (pending == nullptr) pending = new (std::nothrow) Pending;
  if (pending != nullptr) pending->procedure = procedure;
  return pending;
}

void Requests::recycle(Pending* pending) noexcept {
  // Gives back staging and the plan, outside of the lock.
  *pending = Pending{};
  lock();
  pending->next_ = idle_;
  idle_ = pending;
  unlock();
}

void Requests::drop(Pending* pending) noexcept {
  recycle(pending);
}

void Requests::unlist(Pending* pending) noexcept {
  const std::size_t k = place(pending->handle_);
  Pending** link = &heads_[k];
  while (*link != pending) link = &(*link)->next_;
  *link = pending->next_;
  pending->listed_ = false;
  filter_[k].fetch_sub(1, std::memory_order_relaxed);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

void Requests::add(MPI_Request handle, Pending* pending) noexcept {
  const std::size_t k = place(handle);
  lock();
  Pending* old = heads_[k];
  while (old != nullptr && old->handle_ != handle) old = old->next_;
  if (old != nullptr) unlist(old);
  const bool over = old != nullptr && old->holds_ == 0;  // else its holder ends it
  pending->handle_ = handle;
  pending->listed_ = true;
  pending->next_ = heads_[k];
  heads_[k] = pending;
  filter_[k].fetch_add(1, std::memory_order_relaxed);
  count_.fetch_add(1, std::memory_order_relaxed);
  unlock();
  if (!over) return;
  // Collectives of a single process are over at once, and share a handle, too: their data are due.
  if (old->collective != nullptr) old->deliver(MPI_Status{});
  recycle(old);
}

void Requests::follow(Pending* pending, MPI_Request handle) noexcept {
  if (pending->handle_ == handle || handle == MPI_REQUEST_NULL) return;
  take(pending);
  add(handle, pending);
}

Pending* Requests::hold(MPI_Request handle) noexcept {
  lock();
  Pending* pending = heads_[place(handle)];
  while (pending != nullptr && pending->handle_ != handle) pending = pending->next_;
  if (pending != nullptr) ++pending->holds_;
  unlock();
  return pending;
}

void Requests::let_go(Pending* pending) noexcept {
  lock();
  const bool last = --pending->holds_ == 0 && !pending->listed_;
  unlock();
  if (last) recycle(pending);
}

void Requests::finish(Pending* pending) noexcept {
  lock();
  if (pending->listed_) unlist(pending);
  const bool last = --pending->holds_ == 0;
  unlock();
  if (last) recycle(pending);
}

void Requests::take(Pending* pending) noexcept {
  lock();
  if (pending->listed_) unlist(pending);
  unlock();
}

void Requests::forget_all() noexcept {
  for (std::size_t k = 0; k < kPlaces && any(); ++k) {
    for (;;) {
      lock();
      Pending* const pending = heads_[k];
      if (pending != nullptr) unlist(pending);
      const bool over = pending != nullptr && pending->holds_ == 0;
      unlock();
      if (pending == nullptr) break;
      // Not a receive's: where sessions are not seen (a front without them), it may still be under way.
      if (over && (!pending->receives || !pending->is_active())) recycle(pending);
    }
  }
}

}  // namespace gapless::preload
