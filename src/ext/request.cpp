// GAPLESS_Start, GAPLESS_Wait, GAPLESS_Request_free.
#include "ext/request.hpp"

#include "ext/error.hpp"

using namespace gapless::ext;

namespace {

int raised_on(const gapless_mpi_request& request, int code) noexcept {
  return raised(code, request.comm->raises_on());
}

}  // namespace

int GAPLESS_Start(GAPLESS_Request request) {
  if (!ready()) return kNotReady;
  if (request == GAPLESS_REQUEST_NULL) return raise(MPI_ERR_REQUEST);
  if (request->is_started) return raised_on(*request, MPI_ERR_REQUEST);
  if (request->comm->is_freed()) return raised_on(*request, MPI_ERR_OTHER);  // MPI_Finalize has begun
  request->is_started = true;
  return raised_on(*request, request->start());
}

// Of a request that is not started it returns at once, as MPI_Wait does.
int GAPLESS_Wait(GAPLESS_Request request) {
  if (!ready()) return kNotReady;
  if (request == GAPLESS_REQUEST_NULL || !request->is_started) return MPI_SUCCESS;
  const int code = request->wait();
  request->is_started = false;
  return raised_on(*request, code);
}

int GAPLESS_Request_free(GAPLESS_Request* request) {
  if (!ready()) return kNotReady;
  if (request == nullptr || *request == GAPLESS_REQUEST_NULL) return raise(MPI_ERR_REQUEST);
  if ((*request)->is_started) return raised_on(**request, MPI_ERR_REQUEST);
  delete *request;
  *request = GAPLESS_REQUEST_NULL;
  return MPI_SUCCESS;
}
