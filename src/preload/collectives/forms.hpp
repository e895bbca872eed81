// Defines the wrappers of a collective: six, for each of MPI's three forms one that counts in an int and one for large
// counts. GAPLESS_FORMS(WRAPPER, names, further arguments): WRAPPER(name, family, Count, FORM, further arguments),
// where `family` is the name without _c.
#pragma once

#include <climits>

#include "mpi/abi/library.hpp"
#include "preload/collectives/collective.hpp"
#include "preload/transfer/transfer.hpp"
#include "preload/wrappers.hpp"

#define GAPLESS_FORMS(WRAPPER, blocking, nonblocking, persistent, ...)       \
  WRAPPER(blocking, blocking, int, BLOCKING, __VA_ARGS__)                    \
  WRAPPER(blocking##_c, blocking, MPI_Count, BLOCKING, __VA_ARGS__)          \
  WRAPPER(nonblocking, nonblocking, int, NONBLOCKING, __VA_ARGS__)           \
  WRAPPER(nonblocking##_c, nonblocking, MPI_Count, NONBLOCKING, __VA_ARGS__) \
  WRAPPER(persistent, persistent, int, PERSISTENT, __VA_ARGS__)              \
  WRAPPER(persistent##_c, persistent, MPI_Count, PERSISTENT, __VA_ARGS__)

// The last parameters of each form, its last arguments for the library, and its Call.
#define GAPLESS_BLOCKING_PARAMETERS MPI_Comm comm
#define GAPLESS_BLOCKING_ARGUMENTS comm
#define GAPLESS_BLOCKING_CALL(name) {Procedure::k##name, Form::kBlocking, comm, nullptr}
#define GAPLESS_NONBLOCKING_PARAMETERS MPI_Comm comm, MPI_Request *request
#define GAPLESS_NONBLOCKING_ARGUMENTS comm, made
#define GAPLESS_NONBLOCKING_CALL(name) {Procedure::k##name, Form::kNonblocking, comm, request}
#define GAPLESS_PERSISTENT_PARAMETERS MPI_Comm comm, MPI_Info info, MPI_Request *request
#define GAPLESS_PERSISTENT_ARGUMENTS comm, info, made
#define GAPLESS_PERSISTENT_CALL(name) {Procedure::k##name, Form::kPersistent, comm, request}

// The root, which stands between the sides and those, if there is one.
#define GAPLESS_ROOTED_PARAMETER int root,
#define GAPLESS_ROOTED_ARGUMENT root,
#define GAPLESS_ROOTLESS_PARAMETER
#define GAPLESS_ROOTLESS_ARGUMENT

// The parameters of a side (`Buffer`: of what type its buffer is), its view, and the arguments for the library.
#define GAPLESS_PLAIN_PARAMETERS(Buffer, side, Count) Buffer side, Count side##_count, MPI_Datatype side##_type
#define GAPLESS_PLAIN_VIEW(side)    \
  View {                            \
    side, side##_count, side##_type \
  }
#define GAPLESS_PLAIN_ARGUMENTS(view, Count) const_cast<void*>(view.buffer), static_cast<Count>(view.count), view.type
#define GAPLESS_MANY_PARAMETERS(Buffer, side, Count, Displacement, Types) \
  Buffer side, const Count *side##_counts, const Displacement *side##_displacements, Types side##_types
#define GAPLESS_MANY_VIEW(side)                                                       \
  Views {                                                                             \
    static_cast<const void*>(side), side##_counts, side##_displacements, side##_types \
  }
#define GAPLESS_MANY_ARGUMENTS(view) const_cast<void*>(view.buffer), view.counts, view.displacements, view.types
#define GAPLESS_V_PARAMETERS(Buffer, side, Count) \
  GAPLESS_MANY_PARAMETERS(Buffer, side, Count, mpi::DisplacementOf<Count>, MPI_Datatype)
#define GAPLESS_V_VIEW(side) GAPLESS_MANY_VIEW(side)
#define GAPLESS_V_ARGUMENTS(view, Count) GAPLESS_MANY_ARGUMENTS(view)
#define GAPLESS_W_PARAMETERS(Buffer, side, Count) \
  GAPLESS_MANY_PARAMETERS(Buffer, side, Count, mpi::DisplacementOf<Count>, const MPI_Datatype*)
#define GAPLESS_W_VIEW(side) GAPLESS_MANY_VIEW(side)
#define GAPLESS_W_ARGUMENTS(view, Count) GAPLESS_MANY_ARGUMENTS(view)
#define GAPLESS_NEIGHBOR_W_PARAMETERS(Buffer, side, Count) \
  GAPLESS_MANY_PARAMETERS(Buffer, side, Count, MPI_Aint, const MPI_Datatype*)
#define GAPLESS_NEIGHBOR_W_VIEW(side) GAPLESS_MANY_VIEW(side)
#define GAPLESS_NEIGHBOR_W_ARGUMENTS(view, Count) GAPLESS_MANY_ARGUMENTS(view)

// The wrapper of a plain collective: `function(further arguments, [root,] call, out, in, native)`. Bytes that an int
// cannot count go to MPI_X_c, whichever was called.
#define GAPLESS_PLAIN_COLLECTIVE(name, family, Count, FORM, ROOT, function, ...)                                     \
  int wrap_##name(GAPLESS_PLAIN_PARAMETERS(const void*, out, Count), GAPLESS_PLAIN_PARAMETERS(void*, in, Count),     \
                  GAPLESS_##ROOT##_PARAMETER GAPLESS_##FORM##_PARAMETERS) {                                          \
    const auto native = [&](const View& s, const View& r, [[maybe_unused]] MPI_Request* made) {                      \
      if (is_large<Count> || s.count > INT_MAX || r.count > INT_MAX)                                                 \
        return mpi::library.family##_c(GAPLESS_PLAIN_ARGUMENTS(s, MPI_Count), GAPLESS_PLAIN_ARGUMENTS(r, MPI_Count), \
                                       GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_ARGUMENTS);                        \
      return mpi::library.family(GAPLESS_PLAIN_ARGUMENTS(s, int), GAPLESS_PLAIN_ARGUMENTS(r, int),                   \
                                 GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_ARGUMENTS);                              \
    };                                                                                                               \
    return function(__VA_ARGS__ __VA_OPT__(, ) GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_CALL(name),                \
                    GAPLESS_PLAIN_VIEW(out), GAPLESS_PLAIN_VIEW(in), native);                                        \
  }

// The same of a collective with a side of many counts: `OUT`, `IN`: PLAIN, V, W, NEIGHBOR_W.
#define GAPLESS_V_COLLECTIVE(name, family, Count, FORM, OUT, IN, ROOT, function, ...)                               \
  int wrap_##name(GAPLESS_##OUT##_PARAMETERS(const void*, out, Count), GAPLESS_##IN##_PARAMETERS(void*, in, Count), \
                  GAPLESS_##ROOT##_PARAMETER GAPLESS_##FORM##_PARAMETERS) {                                         \
    const auto native = [&](const auto& s, const auto& r, [[maybe_unused]] MPI_Request* made) {                     \
      return mpi::library.name(GAPLESS_##OUT##_ARGUMENTS(s, Count), GAPLESS_##IN##_ARGUMENTS(r, Count),             \
                               GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_ARGUMENTS);                               \
    };                                                                                                              \
    return function(__VA_ARGS__ __VA_OPT__(, ) GAPLESS_##ROOT##_ARGUMENT GAPLESS_##FORM##_CALL(name),               \
                    GAPLESS_##OUT##_VIEW(out), GAPLESS_##IN##_VIEW(in), native);                                    \
  }
