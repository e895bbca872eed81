#include "arguments.hpp"

#include <cstring>

namespace gapless::python {

std::int64_t number(nb::handle value, const char* name) {
  const auto refuse = [&] {
    raise(PyExc_TypeError, std::string(name) + ": an integer is needed, not '" + nb::inst_name(value).c_str() + "'");
  };
  if (!value.is_valid() || PyIndex_Check(value.ptr()) == 0) refuse();
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long converted = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow != 0) raise(PyExc_OverflowError, std::string(name) + ": the number does not fit into 64 bits");
  if (converted == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return converted;
}

std::vector<std::int64_t> numbers(nb::handle value, const char* name) {
  // Not any iterable: one may be endless, and texts and sets are no lists of numbers.
  if (!value.is_valid() || PySequence_Check(value.ptr()) == 0 || PyUnicode_Check(value.ptr()))
    raise(PyExc_TypeError,
          std::string(name) + ": a sequence of integers is needed, not '" + nb::inst_name(value).c_str() + "'");
  const Py_ssize_t size = PySequence_Size(value.ptr());
  if (size < 0) throw nb::python_error();
  std::vector<std::int64_t> converted;
  for (Py_ssize_t i = 0; i < size; ++i) {
    // Borrowed from no one: an __index__ may change the list.
    const nb::object item = nb::steal(PySequence_GetItem(value.ptr(), i));
    if (!item.is_valid()) throw nb::python_error();
    converted.push_back(number(item, name));
  }
  return converted;
}

void require_equal_lengths(std::size_t one, const char* name, std::size_t other, const char* other_name) {
  if (one != other)
    raise(PyExc_ValueError, std::to_string(one) + " " + name + ", but " + std::to_string(other) + " " + other_name);
}

const char* c_text(nb::str text) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  if (std::strlen(bytes) != static_cast<std::size_t>(size)) raise(PyExc_ValueError, "a type holds no NUL characters");
  return bytes;
}

}  // namespace gapless::python
