// MPI_Waitall, MPI_Testall, MPI_Request_get_status_all.
//
// The requests tell which operations have completed, not the return code: they are null then, with an error, if any, in
// the status. Persistent requests stay: for these the flag and the statuses tell.
#include "preload/requests/held_entries.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// `flag`: of MPI_Testall; MPI_Waitall has none.
template <class Call>
[[gnu::noinline]] int complete(Procedure procedure, int n, const MPI_Request* list, int* flag, MPI_Status* statuses,
                               Call&& call) {
  const AfterReceive look_after_orphans;
  HeldEntries held(n, list);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(statuses);
  }
  OwnStatuses own(n, statuses, statuses == MPI_STATUSES_IGNORE);
  const OutputArgument answer(flag);
  const int code = call(own.get());
  const bool all = code == MPI_SUCCESS && (flag == nullptr || answer.value_or(0) != 0);
  const auto has_ended = [&](int k) {
    const bool whole = held[k] != nullptr && held[k]->whole;
    // After an error each status has the outcome of its operation.
    const bool reported = own.is_set(k) ? (all || code != MPI_SUCCESS) && !own.is_pending(k)
                                        : all && (flag != nullptr || n == 1 || whole);
    return held.ended(k, list, reported);
  };
  bool broken = false;
  for (int k = 0; k < n; ++k) broken = (has_ended(k) && own.judge_among(k, held[k])) || broken;
  own.give(n);
  bool ended = false;
  for (int k = 0; k < n; ++k) {
    if (!has_ended(k)) continue;
    ended = true;
    // A collective's data are delivered whatever the status counts, so there must be no error.
    held.finish(k, own[k], own.error(k, held[k]->whole && !own.is_set(k) ? code : MPI_SUCCESS));
  }
  count_completion(procedure, ended);
  return broken && code == MPI_SUCCESS ? raise_broken(MPI_ERR_IN_STATUS, MPI_COMM_NULL) : code;
}

}  // namespace

int wrap_Waitall(int n, MPI_Request* list, MPI_Status* statuses) {
  if (takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitall(n, list, statuses);
  return complete(Procedure::kWaitall, n, list, nullptr, statuses,
                  [n, list](MPI_Status* s) { return mpi::library.Waitall(n, list, s); });
}

int wrap_Testall(int n, MPI_Request* list, int* flag, MPI_Status* statuses) {
  if (flag == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testall(n, list, flag, statuses);
  return complete(Procedure::kTestall, n, list, flag, statuses,
                  [n, list, flag](MPI_Status* s) { return mpi::library.Testall(n, list, flag, s); });
}

int wrap_Request_get_status_all(int n, const MPI_Request* list, int* flag, MPI_Status* statuses) {
  if (flag == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_all(n, list, flag, statuses);
  const AfterReceive look_after_orphans;
  HeldEntries held(n, list);
  OwnStatuses own(n, statuses, statuses == MPI_STATUSES_IGNORE);
  *flag = 0;
  const int code = mpi::library.Request_get_status_all(n, list, flag, own.get());
  const bool ended = code == MPI_SUCCESS && *flag != 0;
  own.give(n);
  for (int k = 0; ended && k < n; ++k) {
    if (held[k] != nullptr && own.error(k) == MPI_SUCCESS) held[k]->deliver(own[k]);
  }
  count_completion(Procedure::kRequest_get_status_all, ended && held.any());
  return code;
}

}  // namespace gapless::preload
