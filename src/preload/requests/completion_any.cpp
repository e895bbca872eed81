// MPI_Waitany, MPI_Testany, MPI_Request_get_status_any.
#include "preload/requests/held_entries.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// `keeps`: the procedure leaves the request as it is, and the program may read the data all the same.
template <class Call>
[[gnu::noinline]] int complete(Procedure procedure, bool keeps, int n, const MPI_Request* list, int* index,
                               MPI_Status* status, Call&& call) {
  const AfterReceive look_after_orphans;
  HeldEntries held(n, list);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(status);
  }
  OwnStatuses own(1, status, status == MPI_STATUS_IGNORE);
  const OutputArgument answer(index);
  const int code = call(own.get());
  const int k = answer.value_or(MPI_UNDEFINED);  // negative, as in the other ABIs
  const bool ended = keeps ? held[k] != nullptr && code == MPI_SUCCESS && own[0].MPI_SOURCE != kUnsetSource
                           : held.ended(k, list, true);
  const int broken = ended && !keeps ? own.judge(0, held[k], code) : MPI_SUCCESS;
  own.give(1);
  if (ended && keeps && own.error(0) == MPI_SUCCESS) held[k]->deliver(own[0]);
  if (ended && !keeps) held.finish(k, own[0], own.error(0, code));
  count_completion(procedure, ended);
  return broken == MPI_SUCCESS ? code : raise_broken(broken, MPI_COMM_NULL);
}

}  // namespace

int wrap_Waitany(int n, MPI_Request* list, int* index, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitany(n, list, index, status);
  return complete(Procedure::kWaitany, false, n, list, index, status,
                  [n, list, index](MPI_Status* s) { return mpi::library.Waitany(n, list, index, s); });
}

int wrap_Testany(int n, MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testany(n, list, index, flag, status);
  return complete(Procedure::kTestany, false, n, list, index, status,
                  [n, list, index, flag](MPI_Status* s) { return mpi::library.Testany(n, list, index, flag, s); });
}

int wrap_Request_get_status_any(int n, const MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_any(n, list, index, flag, status);
  return complete(
      Procedure::kRequest_get_status_any, true, n, list, index, status,
      [n, list, index, flag](MPI_Status* s) { return mpi::library.Request_get_status_any(n, list, index, flag, s); });
}

}  // namespace gapless::preload
