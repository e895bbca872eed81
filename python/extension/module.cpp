#include "gapless/gapless.h"
#include "type.hpp"

NB_MODULE(_engine, module) {
  using namespace gapless::python;
  // Types that module globals hold outlive the interpreter's last look at them; a program's end is no place to say so.
  nb::set_leak_warnings(false);
  module.doc() = "The engine, as gapless.Datatype uses it: every function is a function of include/gapless/gapless.h.";
  module.def("version", gapless_version);
  TypeClass type(module, "Type");
  bind_constructors(module);
  bind_queries(type);
  bind_transfers(module, type);
}
