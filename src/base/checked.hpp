// Byte arithmetic that throws instead of wrapping. Used whenever a type is built, so that the data path need not check.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace gapless::base {

[[noreturn]] inline void throw_overflow(const char* what, std::int64_t a, const char* op, std::int64_t b) {
  throw Error(Status::kOverflow, std::string(what) + ": " + std::to_string(a) + " " + op + " " + std::to_string(b) +
                                     " does not fit into 64 bits");
}

inline std::int64_t checked_add(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t r;
  if (__builtin_add_overflow(a, b, &r)) throw_overflow(what, a, "+", b);
  return r;
}

inline std::int64_t checked_sub(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t r;
  if (__builtin_sub_overflow(a, b, &r)) throw_overflow(what, a, "-", b);
  return r;
}

inline std::int64_t checked_mul(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) throw_overflow(what, a, "*", b);
  return r;
}

}  // namespace gapless::base
