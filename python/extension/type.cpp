// The constructors, in MPI's names and order, and what a type says of itself.
#include "type.hpp"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "errors.hpp"
#include "gapless/gapless.h"
#include "memory.hpp"

namespace gapless::python {
namespace {

using List = std::vector<std::int64_t>;

// Calls a constructor of the C interface with all but its last argument.
template <class Function, class... Arguments>
Type made(Function function, Arguments... arguments) {
  gapless_type handle = nullptr;
  check(function(arguments..., &handle));
  return Type(handle);
}

std::int64_t entries(const List& list) {
  return static_cast<std::int64_t>(list.size());
}

// As the C interface takes it.
int dimension_count(const List& sizes) {
  if (sizes.size() > 1000) raise(PyExc_ValueError, "an array of more than 1000 dimensions");
  return static_cast<int>(sizes.size());
}

gapless_order order_of(bool fortran) {
  return fortran ? GAPLESS_ORDER_FORTRAN : GAPLESS_ORDER_C;
}

Type indexed(Numbers blocklengths, Numbers displacements, const Type& old) {
  const List lengths = numbers(blocklengths, "blocklengths"), places = numbers(displacements, "displacements");
  require_equal_lengths(lengths.size(), "blocklengths", places.size(), "displacements");
  return made(gapless_type_indexed, entries(lengths), lengths.data(), places.data(), old.get());
}

Type hindexed(Numbers blocklengths, Numbers displacements_bytes, const Type& old) {
  const List lengths = numbers(blocklengths, "blocklengths"), places = numbers(displacements_bytes, "displacements");
  require_equal_lengths(lengths.size(), "blocklengths", places.size(), "displacements");
  return made(gapless_type_hindexed, entries(lengths), lengths.data(), places.data(), old.get());
}

Type indexed_block(Number blocklength, Numbers displacements, const Type& old) {
  const List places = numbers(displacements, "displacements");
  return made(gapless_type_indexed_block, entries(places), number(blocklength, "blocklength"), places.data(),
              old.get());
}

Type hindexed_block(Number blocklength, Numbers displacements_bytes, const Type& old) {
  const List places = numbers(displacements_bytes, "displacements");
  return made(gapless_type_hindexed_block, entries(places), number(blocklength, "blocklength"), places.data(),
              old.get());
}

Type structure(Numbers blocklengths, Numbers displacements_bytes, nb::list types) {
  const List lengths = numbers(blocklengths, "blocklengths"), places = numbers(displacements_bytes, "displacements");
  std::vector<gapless_type> handles;
  for (nb::handle type : types) handles.push_back(nb::cast<const Type&>(type).get());
  require_equal_lengths(lengths.size(), "blocklengths", places.size(), "displacements");
  require_equal_lengths(lengths.size(), "blocklengths", handles.size(), "types");
  return made(gapless_type_struct, entries(lengths), lengths.data(), places.data(), handles.data());
}

Type subarray(Numbers sizes_, Numbers subsizes_, Numbers starts_, bool fortran, const Type& old) {
  const List sizes = numbers(sizes_, "sizes"), subsizes = numbers(subsizes_, "subsizes");
  const List starts = numbers(starts_, "starts");
  require_equal_lengths(sizes.size(), "sizes", subsizes.size(), "subsizes");
  require_equal_lengths(sizes.size(), "sizes", starts.size(), "starts");
  return made(gapless_type_subarray, dimension_count(sizes), sizes.data(), subsizes.data(), starts.data(),
              order_of(fortran), old.get());
}

Type darray(Number process_count, Number rank, Numbers sizes_, Numbers distributions_, Numbers arguments_,
            Numbers grid_, bool fortran, const Type& old) {
  const List sizes = numbers(sizes_, "sizes"), codes = numbers(distributions_, "distributions");
  const List arguments = numbers(arguments_, "distribution arguments"), grid = numbers(grid_, "process_grid");
  require_equal_lengths(sizes.size(), "sizes", codes.size(), "distributions");
  require_equal_lengths(sizes.size(), "sizes", arguments.size(), "distribution arguments");
  require_equal_lengths(sizes.size(), "sizes", grid.size(), "numbers in the process grid");
  std::vector<gapless_distribution> distributions;
  for (const std::int64_t code : codes) {
    if (code < GAPLESS_DISTRIBUTE_NONE || code > GAPLESS_DISTRIBUTE_CYCLIC)
      raise(PyExc_ValueError, "no distribution is called " + std::to_string(code));
    distributions.push_back(static_cast<gapless_distribution>(code));
  }
  return made(gapless_type_darray, number(process_count, "process_count"), number(rank, "rank"), dimension_count(sizes),
              sizes.data(), distributions.data(), arguments.data(), grid.data(), order_of(fortran), old.get());
}

Type bucket(Number stride, Numbers counts_, const Type& old) {
  const List counts = numbers(counts_, "counts");
  return made(gapless_type_bucket, entries(counts), number(stride, "stride"), counts.data(), old.get());
}

// Texts are asked for twice only if they are long.
template <class Write>
nb::str text(Write write) {
  std::string buffer(4096, '\0');
  std::size_t needed = 0;
  check(write(buffer.data(), buffer.size(), &needed));
  if (needed > buffer.size()) {
    buffer.resize(needed);
    check(write(buffer.data(), buffer.size(), &needed));
  }
  return nb::str(buffer.data(), needed - 1);
}

nb::tuple bounds(const Type& type, gapless_status (*ask)(gapless_type, std::int64_t*, std::int64_t*)) {
  std::int64_t lower = 0, extent = 0;
  check(ask(type.get(), &lower, &extent));
  return nb::make_tuple(lower, extent);
}

nb::bytes serialise(const Type& type) {
  std::string bytes(256, '\0');
  std::size_t needed = 0;
  check(gapless_type_serialise(type.get(), bytes.data(), bytes.size(), &needed));
  if (needed > bytes.size()) {
    bytes.resize(needed);
    check(gapless_type_serialise(type.get(), bytes.data(), bytes.size(), &needed));
  }
  return nb::bytes(bytes.data(), needed);
}

Type deserialise(Buffer data) {
  const Memory memory(data, Memory::Access::kRead, "data");
  return made(gapless_type_deserialise, memory.data(), static_cast<std::size_t>(memory.size()));
}

bool message_equal(const Type& one, Number count, const Type& other, Number other_count) {
  int equal = 0;
  check(gapless_message_equal(number(count, "count"), one.get(), number(other_count, "other_count"), other.get(),
                              &equal));
  return equal != 0;
}

bool signature_equal(const Type& one, Number count, const Type& other, Number other_count) {
  int equal = 0;
  check(gapless_signature_equal(one.get(), number(count, "count"), other.get(), number(other_count, "other_count"),
                                &equal));
  return equal != 0;
}

bool layout_equal(const Type& one, const Type& other) {
  int equal = 0;
  check(gapless_layout_equal(one.get(), other.get(), &equal));
  return equal != 0;
}

}  // namespace

void bind_constructors(nb::module_& module) {
  using nb::arg;
  module.def("named", [](nb::str name) { return made(gapless_type_named, c_text(name)); }, arg("name"));
  module.def("parse", [](nb::str text) { return made(gapless_type_parse, c_text(text)); }, arg("text"));
  module.def("deserialise", deserialise, arg("data").none());
  module.def(
      "contiguous",
      [](Number count, const Type& old) { return made(gapless_type_contiguous, number(count, "count"), old.get()); },
      arg("count"), arg("old"));
  module.def(
      "vector",
      [](Number count, Number blocklength, Number stride, const Type& old) {
        return made(gapless_type_vector, number(count, "count"), number(blocklength, "blocklength"),
                    number(stride, "stride"), old.get());
      },
      arg("count"), arg("blocklength"), arg("stride"), arg("old"));
  module.def(
      "hvector",
      [](Number count, Number blocklength, Number stride_bytes, const Type& old) {
        return made(gapless_type_hvector, number(count, "count"), number(blocklength, "blocklength"),
                    number(stride_bytes, "stride_bytes"), old.get());
      },
      arg("count"), arg("blocklength"), arg("stride_bytes"), arg("old"));
  module.def("indexed", indexed, arg("blocklengths"), arg("displacements"), arg("old"));
  module.def("hindexed", hindexed, arg("blocklengths"), arg("displacements_bytes"), arg("old"));
  module.def("indexed_block", indexed_block, arg("blocklength"), arg("displacements"), arg("old"));
  module.def("hindexed_block", hindexed_block, arg("blocklength"), arg("displacements_bytes"), arg("old"));
  module.def("struct", structure, arg("blocklengths"), arg("displacements_bytes"), arg("types"),
             nb::sig("def struct(blocklengths: collections.abc.Sequence[int], displacements_bytes: "
                     "collections.abc.Sequence[int], types: list[Type]) -> Type"));
  module.def("subarray", subarray, arg("sizes"), arg("subsizes"), arg("starts"), arg("fortran"), arg("old"));
  module.def("darray", darray, arg("process_count"), arg("rank"), arg("sizes"), arg("distributions"), arg("arguments"),
             arg("process_grid"), arg("fortran"), arg("old"));
  module.def(
      "bounded_vector",
      [](Number bound, Number blocklength, Number stride, const Type& old) {
        return made(gapless_type_bounded_vector, number(bound, "bound"), number(blocklength, "blocklength"),
                    number(stride, "stride"), old.get());
      },
      arg("bound"), arg("blocklength"), arg("stride"), arg("old"));
  module.def(
      "circular_vector",
      [](Number total, Number start, Number bound, Number blocklength, Number stride, const Type& old) {
        return made(gapless_type_circular_vector, number(total, "total"), number(start, "start"),
                    number(bound, "bound"), number(blocklength, "blocklength"), number(stride, "stride"), old.get());
      },
      arg("total"), arg("start"), arg("bound"), arg("blocklength"), arg("stride"), arg("old"));
  module.def("bucket", bucket, arg("stride"), arg("counts"), arg("old"));
  module.def(
      "resized",
      [](Number lower_bound, Number extent, const Type& old) {
        return made(gapless_type_resized, number(lower_bound, "lower_bound"), number(extent, "extent"), old.get());
      },
      arg("lower_bound"), arg("extent"), arg("old"));
  module.def("dup", [](const Type& old) { return made(gapless_type_dup, old.get()); }, arg("old"));
}

void bind_queries(TypeClass& type) {
  using nb::arg;
  type.def("size", [](const Type& self) {
    std::int64_t size = 0;
    check(gapless_type_size(self.get(), &size));
    return size;
  });
  type.def(
      "bounds", [](const Type& self) { return bounds(self, gapless_type_extent); },
      nb::sig("def bounds(self) -> tuple[int, int]"), "The lower bound and the extent.");
  type.def(
      "true_bounds", [](const Type& self) { return bounds(self, gapless_type_true_extent); },
      nb::sig("def true_bounds(self) -> tuple[int, int]"), "The true lower bound and the true extent.");
  type.def("signature", [](const Type& self) { return made(gapless_type_signature, self.get()); });
  type.def(
      "signature_hash",
      [](const Type& self, Number count) {
        std::uint64_t hash = 0;
        check(gapless_signature_hash(self.get(), number(count, "count"), &hash));
        return hash;
      },
      arg("count"));
  type.def("signature_equal", signature_equal, arg("count"), arg("other"), arg("other_count"));
  type.def("layout_equal", layout_equal, arg("other"));
  type.def("message_equal", message_equal, arg("count"), arg("other"), arg("other_count"));
  type.def("commit", [](const Type& self) { check(gapless_type_commit(self.get())); });
  type.def("serialise", serialise);
  type.def("text", [](const Type& self) {
    return text([&](char* to, std::size_t room, std::size_t* needed) {
      return gapless_type_print(self.get(), to, room, needed);
    });
  });
  type.def(
      "explain",
      [](const Type& self, Number count_) {
        const std::int64_t count = number(count_, "count");
        return text([&](char* to, std::size_t room, std::size_t* needed) {
          return gapless_type_explain(self.get(), count, to, room, needed);
        });
      },
      arg("count"));
}

}  // namespace gapless::python
