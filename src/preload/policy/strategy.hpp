// The one decision that every transfer between two processes passes through.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mpi/types/datatype.hpp"
#include "plan/plan.hpp"
#include "preload/policy/rules.hpp"

namespace gapless::preload {

enum class Path {
  kNative,   // the user's arguments, unchanged
  kInPlace,  // one run of bytes: described as such where it lies
  kPack,     // through staging, as MPI_PACKED
  kPaired,   // a header alone: the data go through the memory that the node's processes share (paired/)
};

// Why a transfer stays native.
enum class Reason : int {
  kNone,
  kContiguous,    // one run of bytes: nothing to gain
  kZero,          // no elements, or none that hold data
  kArguments,     // the library will raise an error: a negative count, a null communicator, too little room
  kProcNull,      // nothing is moved
  kOff,           // the run-time switch
  kUnregistered,  // a handle that is not committed or not a datatype at all, or no memory to decode it
  kCombiner,      // a type that is not decoded
  kLarge,         // more bytes than an int can count, in a library without MPI_X_c
  kDevice,        // memory of an accelerator, which must not be touched from here
  kBuffer,        // a null buffer under a type without absolute addresses
  kSmall,         // by the rules (rules.hpp): the native type is as fast
  kStaging,       // no buffer within the cap
  kCompletion,    // a nonblocking receive, a persistent request: this process completes some by a procedure not wrapped
  kOverlap,       // pack, unpack: the packed bytes lie inside the user's data, which MPI leaves undefined
  kUnproved,      // collective: not all members are proved to have this layer (preload/policy/members.hpp)
  kLibrary,       // what the library does in this procedure is right only on the program's own buffers
  kFileView,      // a file that had a view of another data representation than "native"
  kOthers,  // of a block on the same node: another process could not do its part, or none had for long (asking.hpp)
  kFirst,   // a small message, and the first of a type: it may be the last one
};
inline constexpr const char* kReasonNames[] = {"none",     "contiguous",   "zero",      "arguments",  "proc_null",
                                               "off",      "unregistered", "combiner",  "large",      "device",
                                               "buffer",   "small",        "staging",   "completion", "overlap",
                                               "unproved", "library",      "file_view", "others",     "first"};
inline constexpr int kReasonCount = sizeof kReasonNames / sizeof kReasonNames[0];

// GAPLESS_SMALLEST_BYTES and GAPLESS_LONGEST_RUN, which replace the tables if one is set.
struct Limits {
  std::int64_t smallest_bytes = 0;
  std::int64_t longest_run_bytes = INT64_MAX;  // of the mean run
  bool allow(std::int64_t bytes, std::int64_t mean_run_bytes) const noexcept {
    return bytes >= smallest_bytes && mean_run_bytes <= longest_run_bytes;
  }
};

// What the library does with a message that ends inside a basic type of the receive's type, or is too long for it: both
// are errors of the program. As measured on types with gaps; of the former it delivers, and its status counts, whole
// basic types only.
struct Broken {
  int error_class = 0;         // MPI_SUCCESS: nothing
  std::int64_t max_bytes = 0;  // of a message that it checks
  bool checks_mixed = false;   // also types of more than one basic type
  // Completing procedures call the error handler of MPI_COMM_WORLD, not that of the message's communicator.
  bool through_world = false;
  // A procedure of which the program's own error handler returned returns MPI_SUCCESS, for any error.
  bool handled_is_success = false;
  // MPI_Request_get_status calls an error handler for a failed operation, that of MPI_COMM_SELF, as does the completing
  // call after it.
  bool status_raises = false;
  // [bytes] The status of a message that is too long, and as long as this, counts all that was sent; of a shorter one,
  // what there was room for.
  std::int64_t counts_all_from = INT64_MAX;
  std::int64_t counted(std::int64_t sent, std::int64_t room) const noexcept {
    return sent >= counts_all_from ? sent : std::min(sent, room);
  }
};

// For the library that the program runs on: the built-in rules (defaults.rules), overridden by what was measured here
// (GAPLESS_RULES), and the settings.
struct Policy {
  Rules rules;
  Limits limits;
  bool limited = false;    // the limits are set
  std::uint64_t hash = 0;  // of the text that overrides the built-in rules; 0: none does
  // Persistent Gather, Scatter and Allgather send what was in the buffer when the request was made (Intel MPI 2021.19),
  // when staging is still empty.
  bool persistent_sends_stale_data = false;
  // MPI_Sendrecv_replace sets the status' MPI_ERROR, which calls that complete one request leave as it was (MPICH,
  // Intel MPI).
  bool replace_sets_error = false;
  // A process that receives packed bytes as elements of mixed basic types gets MPI_ERR_TYPE where the library cuts the
  // message inside an element (MPICH 5.0.2, also without the layer): what it sends itself, if it is longer than 8192
  // bytes, and what another one sends, between 8161 bytes and those 8192.
  bool cuts_packed = false;
  // An MPI_Scatterv of which all blocks have gone another way takes 700 us (Intel MPI 2021.19, two processes and 2.56
  // MB: gapless bench collectives --filter scatterv).
  bool scatterv_lingers = false;
  Broken broken{};
  bool force = false;  // GAPLESS_FORCE: convert all that can be converted, even if it gains nothing
  Verdict verdict(Operation operation, Distance distance, Shape shape, std::int64_t bytes,
                  std::int64_t mean_run_bytes) const noexcept {
    if (limited) [[unlikely]]
      return limits.allow(bytes, mean_run_bytes) ? Verdict::kPacked : Verdict::kNative;
    return rules.table(operation, distance, shape).verdict(bytes, mean_run_bytes);
  }
};

// The shape of a message for the library, which walks the program's constructors once for each element.
inline Shape shape_of(const mpi::Datatype& type, std::int64_t count) noexcept {
  constexpr std::int64_t kMany = 8, kFewRuns = 4;
  if (count >= kMany && type.plan()->run_count() <= kFewRuns) return Shape::kElements;
  return type.has_lists() ? Shape::kList : type.levels() > 1 ? Shape::kNest : Shape::kVector;
}

struct Decision {
  Path path;
  Reason reason;
  std::int64_t bytes;
  bool past = false;  // packed past the caches
};

Policy policy_for_this_library();

// `largest` [bytes]: the longest message of bytes that the library takes.
inline Decision decide(const Policy& policy, const mpi::Datatype& type, std::int64_t count, Operation operation,
                       Distance distance, std::int64_t largest) noexcept {
  const plan::Plan& plan = *type.plan();
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes) || bytes > largest) return {Path::kNative, Reason::kLarge, 0};
  if (bytes == 0) return {Path::kNative, Reason::kZero, 0};
  if (policy.force) return {Path::kPack, Reason::kNone, bytes};
  if (plan.is_contiguous()) return {Path::kNative, Reason::kContiguous, bytes};
  if (plan.run_count() == 1 && count == 1) return {Path::kInPlace, Reason::kNone, bytes};
  const Verdict verdict = policy.verdict(operation, distance, shape_of(type, count), bytes, type.mean_run_bytes());
  if (verdict == Verdict::kNative) return {Path::kNative, Reason::kSmall, bytes};
  return {Path::kPack, Reason::kNone, bytes, verdict == Verdict::kPackedPast};
}

}  // namespace gapless::preload
