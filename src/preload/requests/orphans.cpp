#include "preload/requests/orphans.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "mpi/abi/library.hpp"

namespace gapless::preload {

std::atomic<int> orphan_count{0};

namespace {

struct Orphan {
  MPI_Request request;
  RequestEntry* entry;
  Orphan* next;
};

std::mutex adopting;  // never held across an MPI call
Orphan* orphans = nullptr;

void push(Orphan* orphan) noexcept {
  const std::lock_guard lock(adopting);
  orphan->next = orphans;
  orphans = orphan;
}

Orphan* pop_all() noexcept {
  const std::lock_guard lock(adopting);
  return std::exchange(orphans, nullptr);
}

void forget(Orphan* orphan) noexcept {
  requests.finish(orphan->entry);
  delete orphan;
  orphan_count.fetch_sub(1, std::memory_order_relaxed);
  release_slow_path();
}

}  // namespace

void adopt(MPI_Request request, RequestEntry* entry) noexcept {
  auto* const orphan = new (std::nothrow) Orphan{request, entry, nullptr};
  if (orphan == nullptr) {
    // No memory: wait for its data now.
    entry->sent.end_offer();
    MPI_Status status{};
    status.MPI_SOURCE = mpi::kUnsetSource;
    if (mpi::library.Wait(&request, &status) == MPI_SUCCESS) entry->deliver(status);
    if (request != MPI_REQUEST_NULL) mpi::library.Request_free(&request);
    return requests.finish(entry);
  }
  require_slow_path(true);
  orphan_count.fetch_add(1, std::memory_order_relaxed);
  push(orphan);
  progress_orphans();
}

void progress_orphans() noexcept {
  for (Orphan* orphan = pop_all(); orphan != nullptr;) {
    Orphan* const next = orphan->next;
    MPI_Status status{};
    status.MPI_SOURCE = mpi::kUnsetSource;
    int flag = 0;
    const bool is_ready = orphan->entry->poll(orphan->request);
    const int code = is_ready ? mpi::library.Test(&orphan->request, &flag, &status) : MPI_SUCCESS;
    // A request that stays is persistent: this one, or another that has got the handle of a completed operation.
    const bool stays = flag != 0 && orphan->request != MPI_REQUEST_NULL;
    if (stays) mpi::library.Request_free(&orphan->request);
    if (orphan->request == MPI_REQUEST_NULL) {
      if (code == MPI_SUCCESS && stays == orphan->entry->persistent) orphan->entry->deliver(status);
      forget(orphan);
    } else {
      push(orphan);
    }
    orphan = next;
  }
}

void abandon_orphans() noexcept {
  progress_orphans();
  for (Orphan* orphan = pop_all(); orphan != nullptr;) {
    Orphan* const next = orphan->next;
    orphan->entry->sent.end_offer();
    mpi::library.Request_free(&orphan->request);
    orphan_count.fetch_sub(1, std::memory_order_relaxed);
    release_slow_path();
    delete orphan;  // not its entry: the library may still read or write its staging
    orphan = next;
  }
}

void forget_orphans() noexcept {
  for (Orphan* orphan = pop_all(); orphan != nullptr;) {
    Orphan* const next = orphan->next;
    forget(orphan);
    orphan = next;
  }
}

}  // namespace gapless::preload
