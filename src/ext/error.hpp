// Errors, raised as MPI raises its own.
#pragma once

#include <exception>
#include <new>

#include "base/status.hpp"
#include "ext/library.hpp"

namespace gapless::ext {

// Calls the communicator's error handler with a code, or a class, and returns it if the handler comes back: to be
// returned to the program.
int raise(int code, MPI_Comm comm) noexcept;
// Where there is no communicator.
int raise(int code) noexcept;
// Of a call on own_comm(), or on a private communicator: raises its error, if it is one.
inline int raised(int code) noexcept {
  return code == MPI_SUCCESS ? code : raise(code);
}
inline int raised(int code, MPI_Comm comm) noexcept {
  return code == MPI_SUCCESS ? code : raise(code, comm);
}

// The first error of several.
inline void note(int& first, int code) noexcept {
  if (first == MPI_SUCCESS) first = code;
}

// Thrown where an error has been raised already: the code to return.
struct Raised : std::exception {
  explicit Raised(int given) noexcept : code(given) {}
  int code;
};

// The class of an error that the engine threw.
int class_of(const base::Error& error) noexcept;

// The code that `body` returns, or of what it throws, which is not Raised: not raised yet.
template <class Body>
int code_of(Body&& body) noexcept {
  try {
    return body();
  } catch (const base::Error& error) {
    return class_of(error);
  } catch (...) {
    return MPI_ERR_NO_MEM;
  }
}

// What `body` returns; what it throws is raised.
template <class Body>
int guard(MPI_Comm comm, Body&& body) noexcept {
  int error_class = MPI_ERR_OTHER;
  try {
    return body();
  } catch (const Raised& raised) {
    return raised.code;
  } catch (const base::Error& error) {
    error_class = class_of(error);
  } catch (const std::bad_alloc&) {
    error_class = MPI_ERR_NO_MEM;
  } catch (...) {
  }
  return raise(error_class, comm);
}
template <class Body>
int guard(Body&& body) noexcept {
  return guard(MPI_COMM_SELF, static_cast<Body&&>(body));
}

}  // namespace gapless::ext
