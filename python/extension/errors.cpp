#include "errors.hpp"

namespace gapless::python {

void raise(PyObject* exception, const std::string& text) {
  // A text may have been cut inside a character.
  PyObject* const decoded = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded != nullptr) {
    PyErr_SetObject(exception, decoded);
    Py_DECREF(decoded);
  }
  throw nb::python_error();
}

void raise_status(gapless_status status) {
  PyObject* exception = PyExc_ValueError;
  if (status == GAPLESS_ERR_OVERFLOW) exception = PyExc_OverflowError;
  if (status == GAPLESS_ERR_NO_MEM) exception = PyExc_MemoryError;
  raise(exception, gapless_last_error());
}

}  // namespace gapless::python
