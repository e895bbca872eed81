// MPI_Wait, MPI_Test, MPI_Request_get_status.
#include "preload/requests/held_entries.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// `request`: the program's, not null. `flag`: of MPI_Test; MPI_Wait has none.
template <class Call>
[[gnu::noinline]] int complete(Procedure procedure, MPI_Request* request, int* flag, MPI_Status* status, Call&& call) {
  const AfterReceive look_after_orphans;
  HeldEntries held(1, request);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(status);
  }
  OwnStatuses own(1, status, status == MPI_STATUS_IGNORE);
  const OutputArgument answer(flag);
  const int code = call(own.get());
  // An error is of this very operation, and ends it.
  const bool ended = held.ended(0, request, code != MPI_SUCCESS || flag == nullptr || answer.value_or(0) != 0);
  const int broken = ended ? own.judge(0, held[0], code) : MPI_SUCCESS;
  const MPI_Comm comm = held[0]->comm;
  own.give(1);
  count_completion(procedure, ended);
  if (ended) held.finish(0, own[0], own.error(0, code));
  return broken == MPI_SUCCESS ? code : raise_broken(broken, policy.broken.through_world ? MPI_COMM_NULL : comm);
}

}  // namespace

int wrap_Wait(MPI_Request* request, MPI_Status* status) {
  if (request == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Wait(request, status);
  return complete(Procedure::kWait, request, nullptr, status,
                  [request](MPI_Status* s) { return mpi::library.Wait(request, s); });
}

int wrap_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (request == nullptr || flag == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Test(request, flag, status);
  return complete(Procedure::kTest, request, flag, status,
                  [request, flag](MPI_Status* s) { return mpi::library.Test(request, flag, s); });
}

// The request stays, but the program may read the data after this call.
int wrap_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (flag == nullptr || takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Request_get_status(request, flag, status);
  const AfterReceive look_after_orphans;
  HeldEntries held(1, &request);
  if (!held.any()) {
    count_completion(Procedure::kRequest_get_status, false);
    return mpi::library.Request_get_status(request, flag, status);
  }
  OwnStatuses own(1, status, status == MPI_STATUS_IGNORE);
  *flag = 0;
  const int code = mpi::library.Request_get_status(request, flag, own.get());
  const bool ended = code == MPI_SUCCESS && *flag != 0;
  own.give(1);
  count_completion(Procedure::kRequest_get_status, ended);
  if (ended && own.error(0) == MPI_SUCCESS) held[0]->deliver(own[0]);
  return code;
}

}  // namespace gapless::preload
