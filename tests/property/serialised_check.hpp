// What a serialised form must survive: the way there and back, and every change on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "layout/layout.hpp"
#include "property/guarded_buffer.hpp"
#include "serial/serial.hpp"
#include "support/serialised_bytes.hpp"

namespace gapless::test {

// A message without "serialised form, byte " is no reason; throws Wrong then.
void check_reason(const std::string& reason);

struct RoundTrip {
  SerialisedBytes bytes;
  bool same_bytes;  // what was read is serialised as it was
};
// Serialises a small type and reads it back: the same bounds, the same sequence by three kinds of comparison, and the
// same bytes moved by pack and unpack. Throws Wrong.
RoundTrip check_round_trip(const layout::LayoutPtr& type);

// Reads bytes that may be anything, and uses what was read.
class Reading {
 public:
  enum class Result { kRefused, kValid };
  // Refused with a reason, or a layout that can be compiled, that touches what its true extent says and no byte more
  // (in memory that ends there, where it is small enough), and, for some, that can be explained. Throws Wrong.
  Result check(const SerialisedBytes& bytes);
  void check_refused(const SerialisedBytes& bytes);  // that it is

 private:
  void use(const serial::Deserialised& read);
  void explain(const SerialisedBytes& bytes);

  static constexpr std::int64_t kMaxBytes = 1 << 16;
  static constexpr std::int64_t kExplainEach = 64;  // valid ones
  GuardedBuffer user_{kMaxBytes}, packed_{kMaxBytes};
  std::int64_t valid_ = 0;
};

}  // namespace gapless::test
