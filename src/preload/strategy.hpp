// The one decision that every transfer passes through.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace gapless::preload {

enum class Path {
  kNative,   // the user's arguments, unchanged
  kInPlace,  // one run of bytes: described as such where it lies
  kPack,     // through staging, as MPI_PACKED
};

// Why a transfer stays native.
enum class Reason : int {
  kNone,
  kContiguous,    // nothing to gain
  kZero,          // no elements, or none that hold data
  kArguments,     // the library will raise an error: a negative count, a null communicator, too little room
  kProcNull,      // nothing is moved
  kOff,           // the run-time switch
  kUnregistered,  // a pair type; or a handle that is not committed or not a datatype at all
  kCombiner,      // a type that is not decoded
  kLarge,         // more bytes than an int count can say, in a library without MPI_X_c
  kDevice,        // memory of an accelerator, which must not be touched from here
  kBuffer,        // a null buffer under a type without absolute addresses
  kSmall,         // the rule below: the native type is as fast
  kStaging,       // no buffer within the cap
  kCompletion,    // a nonblocking receive, a persistent request: this process completes some by a procedure not wrapped
  kOverlap,       // pack, unpack: the packed bytes lie inside the user's data, which MPI leaves undefined
  kUnproved,      // collective: not all members are proved to have this layer (preload/members.hpp)
  kLibrary,       // what the library does in this procedure is right only on the program's own buffers
  kFileView,      // a file that had a view of another data representation than "native"
};
inline constexpr const char* kReasonNames[] = {
    "none",   "contiguous", "zero",  "arguments", "proc_null",  "off",     "unregistered", "combiner", "large",
    "device", "buffer",     "small", "staging",   "completion", "overlap", "unproved",     "library",  "file_view"};
inline constexpr int kReasonCount = sizeof kReasonNames / sizeof kReasonNames[0];

enum class Operation {
  kSend,
  kReceive,
  kReplace,  // sent from and received into one buffer
  kPack,
  kUnpack,
  kWrite,  // to and from files
  kRead,
};

// Where packing is measured to be faster than the library's own way with a derived type: from so many bytes on, in runs
// that are not too long. Below, the fixed cost of staging weighs more than the library's loop; above, the library
// copies long runs as fast as we do, and staging would be a copy too many.
struct Limits {
  std::int64_t smallest_bytes = 0;
  std::int64_t longest_run_bytes = INT64_MAX;  // of the mean run
  bool allow(std::int64_t bytes, const plan::Plan& plan) const noexcept {
    if (bytes < smallest_bytes) return false;
    std::int64_t long_runs_bytes;  // of one element whose runs are all as long as is still worth it
    if (__builtin_mul_overflow(plan.run_count(), longest_run_bytes, &long_runs_bytes)) return true;
    return plan.size() <= long_runs_bytes;
  }
};

// The limits of a library, from rules.def.
struct Rule {
  Limits send, receive, pack;
  // Of either side of the w-collectives, all messages of a process together: where its other side lies ready for the
  // library, and where it does not.
  Limits individual{}, individual_both{};
  // Writes and reads of files: runs of 400 bytes gain on every library that was measured, runs of 4000 on none beyond
  // doubt (docs/results/one_sided.md).
  Limits file{0, 512};
  // Persistent Gather, Scatter and Allgather send what lay in the buffer when the request was made (Intel MPI 2021.19):
  // staging holds nothing then.
  bool sends_what_was = false;
  bool force = false;  // GAPLESS_FORCE: convert whatever can be converted, also what gains nothing
  const Limits& limits(Operation operation) const noexcept {
    if (operation == Operation::kWrite || operation == Operation::kRead) return file;
    return operation == Operation::kSend ? send : operation == Operation::kReceive ? receive : pack;
  }
};

struct Decision {
  Path path;
  Reason reason;
  std::int64_t bytes;
};

// Of the library that the program runs on, with GAPLESS_FORCE, GAPLESS_SMALLEST_BYTES and GAPLESS_LONGEST_RUN taken
// into account; the latter two take the place of the table's limits.
Rule rule_for_this_library();

// `largest` [bytes]: what the library can be given as one message of bytes.
inline Decision decide(const Rule& rule, const plan::Plan& plan, std::int64_t count, Operation operation,
                       std::int64_t largest) noexcept {
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes) || bytes > largest) return {Path::kNative, Reason::kLarge, 0};
  if (bytes == 0) return {Path::kNative, Reason::kZero, 0};
  if (rule.force) return {Path::kPack, Reason::kNone, bytes};
  if (plan.is_contiguous()) return {Path::kNative, Reason::kContiguous, bytes};
  if (plan.run_count() == 1 && count == 1) return {Path::kInPlace, Reason::kNone, bytes};
  if (!rule.limits(operation).allow(bytes, plan)) return {Path::kNative, Reason::kSmall, bytes};
  return {Path::kPack, Reason::kNone, bytes};
}

}  // namespace gapless::preload
