// The memory of one message, and what must be in it. All expectations come from the literal type map of the first
// description (lab::TypeSpec), which knows nothing of the engine.
#pragma once

#include <optional>
#include <string>

#include "case.hpp"
#include "memory.hpp"

namespace gapless::bench {

// What a message touches [bytes from its origin], and its payload.
struct Span {
  std::int64_t low, high, bytes;
};

class Arena {
 public:
  // `packed_capacity_bytes`: room for the packed side, if the payload alone is not enough.
  Arena(const Description& description, std::int64_t packed_capacity_bytes);

  std::int64_t payload_bytes() const { return span_.bytes; }
  char* user() { return user_.data() + origin_; }  // page-aligned; displacement 0 of the message
  char* packed() { return packed_.data(); }
  const Pages& user_pages() const { return user_; }
  const Pages& packed_pages() const { return packed_; }
  std::int64_t span_bytes() const { return span_.high - span_.low; }
  char* lowest() { return user() + span_.low; }

  // Before a pack that is verified: every byte of the user's memory has its own value, the packed side is poisoned.
  void prepare_pack();
  // After it: says what is wrong, or nothing.
  std::optional<std::string> check_packed() const;
  // The same for unpack: gaps, and the pages around, must keep their sentinel.
  void prepare_unpack();
  std::optional<std::string> check_user() const;

 private:
  Span span_;
  std::size_t origin_;
  Pages user_, packed_;
  Pages user_image_, packed_image_;  // before a pack, and after it
  Pages unpacked_image_;             // the user's memory after an unpack
};

}  // namespace gapless::bench
