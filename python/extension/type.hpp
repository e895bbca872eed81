// A datatype of the engine, owned by a Python object.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "gapless/gapless.h"

namespace gapless::python {

namespace nb = nanobind;

class Type {
 public:
  explicit Type(gapless_type handle) noexcept : handle_(handle) {}
  Type(Type&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Type& operator=(Type&&) = delete;
  ~Type() {
    if (handle_ != nullptr) gapless_type_free(&handle_);
  }
  gapless_type get() const noexcept { return handle_; }

 private:
  gapless_type handle_;
};

using TypeClass = nb::class_<Type>;
void bind_constructors(nb::module_& module);
void bind_queries(TypeClass& type);
void bind_transfers(nb::module_& module, TypeClass& type);

}  // namespace gapless::python
