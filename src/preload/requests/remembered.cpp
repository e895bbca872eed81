#include "preload/requests/remembered.hpp"

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/immortal.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/paired/claims.hpp"

namespace gapless::preload {

std::atomic<int> remembered_receives{0};

namespace {

struct Remembered {
  MessageBuffer data;
  int source, tag;
  MPI_Comm comm;
};
// Guarded by the lock of the claims.
std::unordered_map<std::uint64_t, Remembered>& remembered() {
  return base::immortal<std::unordered_map<std::uint64_t, Remembered>>();
}

}  // namespace

void remember_receive(MPI_Request request, const MessageBuffer& data, int source, int tag, MPI_Comm comm) noexcept {
  try {
    const std::lock_guard lock(claims_lock());
    Remembered made{data.as_given(), source, tag, comm};
    made.data.describe();
    remembered().insert_or_assign(mpi::key_of(request), std::move(made));
    remembered_receives.store(static_cast<int>(remembered().size()), std::memory_order_relaxed);
  } catch (...) {
    // Without memory for it no header may come.
    refuse(Refusal::kReceive);
  }
}

void forget_receive_slowly(MPI_Request request) noexcept {
  const std::lock_guard lock(claims_lock());
  remembered().erase(mpi::key_of(request));
  remembered_receives.store(static_cast<int>(remembered().size()), std::memory_order_relaxed);
}

RequestEntry* entry_of_remembered(MPI_Request request) noexcept {
  const std::lock_guard lock(claims_lock());
  const auto found = remembered().find(mpi::key_of(request));
  if (found == remembered().end()) return nullptr;
  Remembered& one = found->second;
  RequestEntry* const entry = requests.make(one.data.procedure());
  if (entry == nullptr) return nullptr;
  entry->make_persistent();
  entry->receives = true;
  entry->comm = one.comm;
  entry->source = one.source;
  entry->tag = one.tag;
  entry->received = std::move(one.data);
  forget_receive_slowly(request);
  requests.add(request, entry);
  return entry;
}

}  // namespace gapless::preload
