// MPI_Request_free, MPI_Cancel.
#include "preload/requests/held.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// A persistent request that is not started: the library frees it at once. The entry is out of the table already, for
// the handle may come again before we look.
int free_at_rest(MPI_Request* request, Pending* pending) noexcept {
  const MPI_Request handle = *request;
  const int code = mpi::library.Request_free(request);
  if (*request == MPI_REQUEST_NULL) {
    requests.finish(pending);
  } else {
    requests.add(handle, pending);
    requests.let_go(pending);
  }
  return code;
}

}  // namespace

int wrap_Request_free(MPI_Request* request) {
  if (request == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Request_free(request);
  Pending* const pending = requests.may_have(*request) ? requests.hold(*request) : nullptr;
  count_completion(Procedure::kRequest_free, pending != nullptr);
  if (pending == nullptr) {
    const int code = mpi::library.Request_free(request);
    if (slow_path_required()) progress_orphans();
    return code;
  }
  requests.take(pending);
  if (!pending->is_active()) return free_at_rest(request, pending);
  adopt(*request, pending);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

// The operation ends as any other does, with a status that says that it was cancelled.
int wrap_Cancel(MPI_Request* request) {
  if (counting()) {
    const bool staged = request != nullptr && requests.may_have(*request);
    count_completion(Procedure::kCancel, staged);
  }
  return mpi::library.Cancel(request);
}

}  // namespace gapless::preload
