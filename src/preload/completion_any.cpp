// MPI_Waitany, MPI_Testany, MPI_Request_get_status_any.
#include "preload/held.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// `keeps`: the request is left as it is, and the program may look at the data all the same.
template <class Call>
[[gnu::noinline]] int complete(Procedure procedure, bool keeps, int n, const MPI_Request* list, int* index,
                               MPI_Status* status, Call&& call) {
  const AfterReceive look_after_orphans;
  Held held(n, list);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(status);
  }
  OwnStatuses own(1, status, status == MPI_STATUS_IGNORE);
  const Answer answer(index);
  const int code = call(own.get());
  own.give(1);
  bool ended = false;
  const int k = answer.get(MPI_UNDEFINED);  // negative, as in the other ABIs
  if (Pending* const pending = held[k]; pending != nullptr) {
    if (keeps) {
      ended = code == MPI_SUCCESS && own.get()->MPI_SOURCE != kNobody;
      if (ended && own.good(0) != nullptr) pending->deliver(*own.good(0));
    } else if (held.ended(k, list, true)) {
      ended = true;
      held.finish(k, code == MPI_SUCCESS ? own.good(0) : nullptr);
    }
  }
  count_completion(procedure, ended);
  return code;
}

}  // namespace

int wrap_Waitany(int n, MPI_Request* list, int* index, MPI_Status* status) {
  if (index == nullptr || passes_by(n, list)) [[likely]]
    return mpi::library.Waitany(n, list, index, status);
  return complete(Procedure::kWaitany, false, n, list, index, status,
                  [n, list, index](MPI_Status* s) { return mpi::library.Waitany(n, list, index, s); });
}

int wrap_Testany(int n, MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || passes_by(n, list)) [[likely]]
    return mpi::library.Testany(n, list, index, flag, status);
  return complete(Procedure::kTestany, false, n, list, index, status,
                  [n, list, index, flag](MPI_Status* s) { return mpi::library.Testany(n, list, index, flag, s); });
}

int wrap_Request_get_status_any(int n, const MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || passes_by(n, list)) [[likely]]
    return mpi::library.Request_get_status_any(n, list, index, flag, status);
  return complete(
      Procedure::kRequest_get_status_any, true, n, list, index, status,
      [n, list, index, flag](MPI_Status* s) { return mpi::library.Request_get_status_any(n, list, index, flag, s); });
}

}  // namespace gapless::preload
