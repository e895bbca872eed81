// Everything that touches a user's memory: the bounds are proved before a byte moves.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "arguments.hpp"
#include "errors.hpp"
#include "gapless/gapless.h"
#include "memory.hpp"
#include "type.hpp"

namespace gapless::python {
namespace {

// Other threads run meanwhile from so many bytes on: letting them costs about a hundred nanoseconds.
constexpr std::int64_t kLargeBytes = 64 * 1024;
constexpr std::int64_t kRunsAtOnce = 1024;

// Bytes of (count, type). Raises OverflowError beyond 63 bits, ValueError if the count is negative.
std::int64_t message_bytes(const Type& type, std::int64_t count) {
  std::int64_t size = 0, bytes = 0;
  check(gapless_type_size(type.get(), &size));
  if (count < 0) raise(PyExc_ValueError, "the count is negative");
  if (__builtin_mul_overflow(size, count, &bytes))
    raise(PyExc_OverflowError, "the message has more bytes than 63 bits can count");
  return bytes;
}

// Bytes from `position` to the end, `budget` at most.
std::int64_t bytes_from(std::int64_t position, nb::handle budget, std::int64_t all) {
  if (position < 0) raise(PyExc_ValueError, "the position is negative");
  const std::int64_t left = std::max<std::int64_t>(all - position, 0);
  if (budget.is_none()) return left;
  const std::int64_t most = number(budget, "budget");
  if (most < 0) raise(PyExc_ValueError, "the budget is negative");
  return std::min(left, most);
}

// Calls move() without the GIL if there is much to move. gapless_last_error() is of this thread either way.
template <class Move>
void run(std::int64_t bytes, Move move) {
  gapless_status status;
  {
    std::optional<nb::gil_scoped_release> others;
    if (bytes >= kLargeBytes) others.emplace();
    status = move();
  }
  check(status);
}

nb::bytes pack(const Type& type, Buffer source, Number count_, Number offset, Number position_, OptionalNumber budget) {
  const std::int64_t count = number(count_, "count"), position = number(position_, "position");
  const Memory memory(source, Memory::Access::kRead, "source");
  const char* const origin = memory.origin(number(offset, "offset"), count, type.get());
  const std::int64_t bytes = bytes_from(position, budget, message_bytes(type, count));
  nb::object packed = nb::steal(PyBytes_FromStringAndSize(nullptr, bytes));
  if (!packed.is_valid()) throw nb::python_error();
  std::int64_t moved = 0;
  char* const to = PyBytes_AsString(packed.ptr());
  run(bytes, [&] { return gapless_pack(origin, count, type.get(), position, to, bytes, &moved); });
  if (moved != bytes) raise(PyExc_SystemError, "the engine moved another number of bytes than the message has");
  return nb::borrow<nb::bytes>(packed);
}

std::int64_t pack_into(const Type& type, Buffer source, Buffer packed, Number count_, Number offset, Number position_) {
  const std::int64_t count = number(count_, "count"), position = number(position_, "position");
  const Memory memory(source, Memory::Access::kRead, "source");
  const Memory to(packed, Memory::Access::kWrite, "packed");
  const char* const origin = memory.origin(number(offset, "offset"), count, type.get());
  std::int64_t moved = 0;
  run(std::min(to.size(), message_bytes(type, count)),
      [&] { return gapless_pack(origin, count, type.get(), position, to.data(), to.size(), &moved); });
  return moved;
}

std::int64_t unpack(const Type& type, Buffer packed, Buffer destination, Number count_, Number offset,
                    Number position_) {
  const std::int64_t count = number(count_, "count"), position = number(position_, "position");
  const Memory from(packed, Memory::Access::kRead, "packed");
  const Memory memory(destination, Memory::Access::kWrite, "destination");
  char* const origin = memory.origin(number(offset, "offset"), count, type.get());
  std::int64_t moved = 0;
  run(std::min(from.size(), message_bytes(type, count)),
      [&] { return gapless_unpack(from.data(), from.size(), position, origin, count, type.get(), &moved); });
  return moved;
}

std::int64_t copy(Buffer source, const Type& source_type, Number source_count_, Number source_offset,
                  Buffer destination, const Type& destination_type, Number destination_count_,
                  Number destination_offset, Number position_, OptionalNumber budget) {
  const std::int64_t source_count = number(source_count_, "source_count");
  const std::int64_t destination_count = number(destination_count_, "destination_count");
  const std::int64_t position = number(position_, "position");
  const Memory from(source, Memory::Access::kRead, "source");
  const Memory to(destination, Memory::Access::kWrite, "destination");
  const char* const source_origin =
      from.origin(number(source_offset, "source_offset"), source_count, source_type.get());
  char* const destination_origin =
      to.origin(number(destination_offset, "destination_offset"), destination_count, destination_type.get());
  (void)message_bytes(destination_type, destination_count);
  const std::int64_t bytes = bytes_from(position, budget, message_bytes(source_type, source_count));
  std::int64_t moved = 0;
  run(bytes, [&] {
    return gapless_copy(source_origin, source_count, source_type.get(), destination_origin, destination_count,
                        destination_type.get(), position, bytes, &moved);
  });
  return moved;
}

// (runs, their bytes): runs as (displacement, bytes).
nb::tuple runs(const Type& type, Number count_, Number position_) {
  const std::int64_t count = number(count_, "count"), position = number(position_, "position");
  (void)message_bytes(type, count);
  std::array<gapless_iov, kRunsAtOnce> entries;
  std::int64_t found = 0, bytes = 0;
  check(gapless_iov_export(nullptr, count, type.get(), position, entries.data(), kRunsAtOnce, &found, &bytes));
  nb::list list;
  for (std::int64_t i = 0; i < found; ++i) {
    const gapless_iov& run = entries[static_cast<std::size_t>(i)];
    list.append(nb::make_tuple(reinterpret_cast<std::intptr_t>(run.base), run.length));
  }
  return nb::make_tuple(list, bytes);
}

}  // namespace

void bind_transfers(nb::module_& module, TypeClass& type) {
  using nb::arg;
  // None is taken to be refused like anything else that has no buffer, with a sentence.
  type.def("pack", pack, arg("source").none(), arg("count"), arg("offset"), arg("position"), arg("budget").none());
  type.def("pack_into", pack_into, arg("source").none(), arg("packed").none(), arg("count"), arg("offset"),
           arg("position"));
  type.def("unpack", unpack, arg("packed").none(), arg("destination").none(), arg("count"), arg("offset"),
           arg("position"));
  type.def("runs", runs, arg("count"), arg("position"),
           nb::sig("def runs(self, count: int, position: int) -> tuple[list[tuple[int, int]], int]"),
           "Some of the runs from a position on as (displacement, bytes), and how many bytes they are.");
  module.def("copy", copy, arg("source").none(), arg("source_type"), arg("source_count"), arg("source_offset"),
             arg("destination").none(), arg("destination_type"), arg("destination_count"), arg("destination_offset"),
             arg("position"), arg("budget").none());
}

}  // namespace gapless::python
