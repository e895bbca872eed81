#include "ext/error.hpp"

namespace gapless::ext {

int raise(int code, MPI_Comm comm) noexcept {
  MPI_Comm_call_errhandler(comm, code);
  return code;
}

int raise(int code) noexcept {
  return raise(code, MPI_COMM_SELF);
}

int class_of(const base::Error& error) noexcept {
  switch (error.status()) {
    case base::Status::kOverflow:
      return MPI_ERR_COUNT;
    case base::Status::kOutOfMemory:
      return MPI_ERR_NO_MEM;
    case base::Status::kTruncated:
      return MPI_ERR_TRUNCATE;
    default:
      return MPI_ERR_ARG;
  }
}

}  // namespace gapless::ext
