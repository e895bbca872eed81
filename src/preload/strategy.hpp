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
  kCompletion,    // a nonblocking receive in a process that completes requests by a procedure that is not wrapped
  kOverlap,       // pack, unpack: the packed bytes lie inside the user's data, which MPI leaves undefined
};
inline constexpr const char* kReasonNames[] = {"none",  "contiguous",   "zero",       "arguments", "proc_null",
                                               "off",   "unregistered", "combiner",   "large",     "device",     "buffer",
                                               "small", "staging",      "completion", "overlap"};
inline constexpr int kReasonCount = sizeof kReasonNames / sizeof kReasonNames[0];

enum class Operation { kSend, kReceive, kPack, kUnpack };

// The rule's parameters. A transfer of fewer bytes stays native: 0 packs always. To be set from measurements.
struct Rule {
  std::int64_t smallest_bytes = 0;
  bool force = false;  // GAPLESS_FORCE: convert whatever can be converted, also what gains nothing
};

struct Decision {
  Path path;
  Reason reason;
  std::int64_t bytes;
};

// Of the library that the program runs on, with GAPLESS_FORCE taken into account.
Rule rule_for_this_library();

// `largest` [bytes]: what the library can be given as one message of bytes.
inline Decision decide(const Rule& rule, const plan::Plan& plan, std::int64_t count, Operation,
                       std::int64_t largest) noexcept {
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes) || bytes > largest) return {Path::kNative, Reason::kLarge, 0};
  if (bytes == 0) return {Path::kNative, Reason::kZero, 0};
  if (rule.force) return {Path::kPack, Reason::kNone, bytes};
  if (plan.is_contiguous()) return {Path::kNative, Reason::kContiguous, bytes};
  if (plan.run_count() == 1 && count == 1) return {Path::kInPlace, Reason::kNone, bytes};
  if (bytes < rule.smallest_bytes) return {Path::kNative, Reason::kSmall, bytes};
  return {Path::kPack, Reason::kNone, bytes};
}

}  // namespace gapless::preload
