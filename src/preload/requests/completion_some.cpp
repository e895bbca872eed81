// MPI_Waitsome, MPI_Testsome, MPI_Request_get_status_some.
#include "preload/requests/held_entries.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// The k-th status belongs to the request at the k-th of the returned indices.
template <class Call>
[[gnu::noinline]] int complete(Procedure procedure, bool keeps, int n, const MPI_Request* list, int* done_count,
                               const int* indices, MPI_Status* statuses, Call&& call) {
  const AfterReceive look_after_orphans;
  HeldEntries held(n, list);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(statuses);
  }
  OwnStatuses own(n, statuses, statuses == MPI_STATUSES_IGNORE);
  *done_count = 0;
  const int code = call(own.get());
  const int done = *done_count == MPI_UNDEFINED ? 0 : *done_count;
  bool broken = false;
  for (int k = 0; k < done && !keeps; ++k) {
    broken = (held.ended(indices[k], list, true) && own.judge_among(k, held[indices[k]])) || broken;
  }
  own.give(done);
  bool ended = false;
  for (int k = 0; k < done; ++k) {
    RequestEntry* const entry = held[indices[k]];
    if (entry == nullptr) continue;
    if (keeps) {
      ended = true;
      if (own.error(k) == MPI_SUCCESS) entry->deliver(own[k]);
    } else if (held.ended(indices[k], list, true)) {
      ended = true;
      held.finish(indices[k], own[k], own.error(k));
    }
  }
  count_completion(procedure, ended);
  return broken && code == MPI_SUCCESS ? raise_broken(MPI_ERR_IN_STATUS, MPI_COMM_NULL) : code;
}

}  // namespace

int wrap_Waitsome(int n, MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitsome(n, list, done_count, indices, statuses);
  return complete(Procedure::kWaitsome, false, n, list, done_count, indices, statuses,
                  [=](MPI_Status* s) { return mpi::library.Waitsome(n, list, done_count, indices, s); });
}

int wrap_Testsome(int n, MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testsome(n, list, done_count, indices, statuses);
  return complete(Procedure::kTestsome, false, n, list, done_count, indices, statuses,
                  [=](MPI_Status* s) { return mpi::library.Testsome(n, list, done_count, indices, s); });
}

int wrap_Request_get_status_some(int n, const MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_some(n, list, done_count, indices, statuses);
  return complete(Procedure::kRequest_get_status_some, true, n, list, done_count, indices, statuses,
                  [=](MPI_Status* s) { return mpi::library.Request_get_status_some(n, list, done_count, indices, s); });
}

}  // namespace gapless::preload
