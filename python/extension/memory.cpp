#include "memory.hpp"

#include <algorithm>
#include <string>

#include "arguments.hpp"
#include "errors.hpp"

namespace gapless::python {
namespace {

__extension__ using Wide = __int128;

// In a struct-style format, names of fields stand between colons.
bool holds_objects(const char* format) {
  bool in_name = false;
  for (const char* at = format; at != nullptr && *at != '\0'; ++at) {
    if (*at == ':') in_name = !in_name;
    if (*at == 'O' && !in_name) return true;
  }
  return false;
}

std::string digits(Wide value) {
  const bool negative = value < 0;
  std::string text;
  do {
    const int digit = static_cast<int>(value % 10);
    text += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    value /= 10;
  } while (value != 0);
  if (negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

}  // namespace

Memory::Memory(nb::handle object, Access access, const char* name) : name_(name) {
  if (PyObject_CheckBuffer(object.ptr()) == 0)
    raise(PyExc_TypeError,
          std::string(name) + ": what has a buffer is needed, not '" + nb::inst_name(object).c_str() + "'");
  // The strides are asked for only to see that they leave no gaps, the format because of pointers to objects.
  constexpr int kFlags = PyBUF_STRIDES | PyBUF_FORMAT;
  const bool writes = access == Access::kWrite;
  if (PyObject_GetBuffer(object.ptr(), &view_, kFlags | (writes ? PyBUF_WRITABLE : 0)) != 0) {
    nb::python_error why;
    const std::string text = nb::str(why.value()).c_str();
    if (why.matches(PyExc_MemoryError)) why.restore(), throw nb::python_error();
    if (writes && PyObject_GetBuffer(object.ptr(), &view_, kFlags) == 0) {
      PyBuffer_Release(&view_);
      raise(PyExc_ValueError,
            std::string(name) + ": the buffer of '" + nb::inst_name(object).c_str() + "' is read-only");
    }
    PyErr_Clear();
    raise(PyExc_TypeError,
          std::string(name) + ": no usable buffer in '" + nb::inst_name(object).c_str() + "': " + text);
  }
  const char* refused = nullptr;
  if (writes && view_.readonly != 0)
    refused = "the buffer is read-only";
  else if (view_.len < 0 || (view_.buf == nullptr && view_.len > 0))
    refused = "the buffer has no memory";
  else if (holds_objects(view_.format))
    refused = "the buffer holds references to Python objects, whose bytes are nobody's to move";
  else if (PyBuffer_IsContiguous(&view_, 'A') == 0)
    refused =
        "the buffer is a view with gaps: pass the array that it is a view of, and its layout from "
        "gapless.layout_in_base(view)";
  if (refused != nullptr) {
    PyBuffer_Release(&view_);
    raise(PyExc_ValueError, std::string(name) + ": " + refused);
  }
}

char* Memory::origin(std::int64_t offset, std::int64_t count, gapless_type type) const {
  std::int64_t size = 0, lower = 0, extent = 0, true_lower = 0, true_extent = 0;
  check(gapless_type_size(type, &size));
  check(gapless_type_extent(type, &lower, &extent));
  check(gapless_type_true_extent(type, &true_lower, &true_extent));
  if (count < 0) raise(PyExc_ValueError, "the count is negative");
  // Nothing is touched; an address outside the memory is not even formed.
  if (size == 0 || count == 0) return data();
  const Wide reach = Wide{count - 1} * extent;
  const Wide first = Wide{offset} + true_lower + std::min<Wide>(reach, 0);
  const Wide end = Wide{offset} + true_lower + true_extent + std::max<Wide>(reach, 0);
  if (first < 0 || end > this->size())
    raise(PyExc_ValueError, std::string(name_) + ": the message would touch the bytes from " + digits(first) + " to " +
                                digits(end) + " of a buffer of " + std::to_string(this->size()) +
                                " (its displacement 0 is at offset " + std::to_string(offset) + ")");
  // Displacement 0 itself may lie outside.
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(data()) + static_cast<std::uintptr_t>(offset));
}

}  // namespace gapless::python
