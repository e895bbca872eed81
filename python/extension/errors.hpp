// How what the engine refuses, and what an argument is wrong with, becomes a Python exception.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "gapless/gapless.h"

namespace gapless::python {

namespace nb = nanobind;

// Each sets the Python error and throws nb::python_error. They need the GIL.
[[noreturn]] void raise(PyObject* exception, const std::string& text);
[[noreturn]] void raise_status(gapless_status status);

// Raises ValueError, OverflowError or MemoryError with the text of gapless_last_error() unless `status` is success.
inline void check(gapless_status status) {
  if (status != GAPLESS_SUCCESS) raise_status(status);
}

}  // namespace gapless::python
