// The memory behind a Python object, and whether a message lies inside it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>

#include "gapless/gapless.h"

namespace gapless::python {

namespace nb = nanobind;

// What has the buffer protocol and is one piece of memory, C- or Fortran-contiguous; held, so that it cannot move or be
// resized, as long as this lives. Needs the GIL to come and to go.
class Memory {
 public:
  enum class Access { kRead, kWrite };
  // Raises TypeError or ValueError, with `name` in front.
  Memory(nb::handle object, Access access, const char* name);
  ~Memory() { PyBuffer_Release(&view_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  char* data() const noexcept { return static_cast<char*>(view_.buf); }
  std::int64_t size() const noexcept { return view_.len; }
  // The place that displacement 0 of a message means, `offset` bytes behind the beginning. Raises ValueError unless all
  // bytes of (count, type) lie inside; gaps between them may not.
  char* origin(std::int64_t offset, std::int64_t count, gapless_type type) const;

 private:
  Py_buffer view_;
  const char* name_;
};

}  // namespace gapless::python
