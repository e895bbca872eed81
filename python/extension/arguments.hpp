// Python's numbers, lists and texts as the engine takes them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "errors.hpp"

namespace gapless::python {

// Arguments are taken as they come and converted here: a number beyond 64 bits is an OverflowError that names it, where
// nanobind's own conversion would say that no overload fits. What they are called in the stub:
struct Number : nb::object {
  NB_OBJECT(Number, nb::object, "int", always)
  static bool always(nb::handle) { return true; }
};
struct Numbers : nb::object {
  NB_OBJECT(Numbers, nb::object, "collections.abc.Sequence[int]", always)
  static bool always(nb::handle) { return true; }
};
struct Buffer : nb::object {
  NB_OBJECT(Buffer, nb::object, "typing_extensions.Buffer | numpy.typing.NDArray[typing.Any]", always)
  static bool always(nb::handle) { return true; }
};
struct OptionalNumber : nb::object {
  NB_OBJECT(OptionalNumber, nb::object, "int", always)
  static bool always(nb::handle) { return true; }
};

// What has __index__; TypeError or OverflowError, with `name` in front, for anything else.
std::int64_t number(nb::handle value, const char* name);
std::vector<std::int64_t> numbers(nb::handle value, const char* name);
// Two lists that belong together.
void require_equal_lengths(std::size_t one, const char* name, std::size_t other, const char* other_name);
// UTF-8 without a NUL inside; valid as long as `text`.
const char* c_text(nb::str text);

}  // namespace gapless::python
