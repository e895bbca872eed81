// MPI_Request_free, MPI_Cancel.
#include <utility>

#include "preload/requests/held_entries.hpp"
#include "preload/requests/remembered.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Its message came before it was started, so this waits for nothing.
void end_stand_in(RequestEntry& entry) noexcept {
  MPI_Status status{};
  status.MPI_SOURCE = mpi::kUnsetSource;
  const int code = mpi::library.Wait(&entry.stand_in, &status);
  entry.complete(status, code);
}

// The library frees an inactive persistent request at once. The entry is out of the table already, for another thread
// may get the handle before this call ends.
int free_inactive(MPI_Request* request, RequestEntry* entry) noexcept {
  const MPI_Request handle = *request;
  const int code = mpi::library.Request_free(request);
  if (*request == MPI_REQUEST_NULL) {
    requests.finish(entry);
  } else {
    requests.add(handle, entry);
    requests.release(entry);
  }
  return code;
}

// A header on its way goes on; the program's own request is inactive, or has completed.
int free_with_header(MPI_Request* request, RequestEntry* entry) noexcept {
  const MPI_Request header = std::exchange(entry->stand_in, MPI_REQUEST_NULL);
  if (entry->header) entry->header->request = MPI_REQUEST_NULL;
  const int code = mpi::library.Request_free(request);
  adopt(header, entry);
  return code;
}

}  // namespace

int wrap_Request_free(MPI_Request* request) {
  if (request != nullptr) forget_receive(*request);
  if (request == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Request_free(request);
  // It is out of the table before the library is called.
  RequestEntry* entry =
      requests.may_have(*request) ? requests.hold_for(Requests::Use::kLooks, *request).entry : nullptr;
  // A nonblocking collective may not be freed: this one shares its handle with a message that has completed.
  if (entry != nullptr && entry->collective != nullptr && !entry->persistent) {
    requests.release(entry);
    entry = nullptr;
  }
  count_completion(Procedure::kRequest_free, entry != nullptr);
  if (entry == nullptr) {
    const int code = mpi::library.Request_free(request);
    if (slow_path_required()) progress_orphans();
    return code;
  }
  requests.take(entry);
  if (entry->stand_in != MPI_REQUEST_NULL) {
    if (entry->header || !entry->receives) return free_with_header(request, entry);
    end_stand_in(*entry);
  }
  if (entry->is_own()) entry->finish_own();  // the library's request is inactive
  if (entry->is_own() || !entry->is_active()) return free_inactive(request, entry);
  adopt(*request, entry);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

// The operation completes as any other does, with a status of a cancelled one.
int wrap_Cancel(MPI_Request* request) {
  if (counting()) {
    const bool staged = request != nullptr && requests.may_have(*request);
    count_completion(Procedure::kCancel, staged);
  }
  RequestEntry* const entry = request != nullptr && requests.may_have(*request) ? requests.hold(*request) : nullptr;
  if (entry == nullptr) return mpi::library.Cancel(request);
  entry->cancelled = true;
  const int code = mpi::library.Cancel(entry->stand_in != MPI_REQUEST_NULL ? &entry->stand_in : request);
  requests.release(entry);
  return code;
}

}  // namespace gapless::preload
