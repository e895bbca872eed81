#include "serial/input.hpp"

#include <limits>

namespace gapless::serial {

void refuse(std::size_t at, const std::string& reason, base::Status status) {
  throw base::Error(status, "serialised form, byte " + std::to_string(at) + ": " + reason);
}

std::uint8_t Input::byte(const char* what) {
  if (left() == 0) refuse(at_, std::string("it ends where ") + what + " should stand");
  return bytes_[at_++];
}

std::uint64_t Input::unsigned_number(const char* what) {
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    const std::uint64_t byte = this->byte(what), digit = byte & 0x7F;
    if (shift == 63 && byte > 1) refuse(begin, std::string(what) + " does not fit into 64 bits");
    value |= digit << shift;
    if (byte < 0x80) {
      if (digit == 0 && shift > 0) refuse(begin, std::string(what) + " has more bytes than it needs");
      return value;
    }
  }
}

std::int64_t Input::signed_number(const char* what) {
  const std::uint64_t zigzag = unsigned_number(what);
  return static_cast<std::int64_t>((zigzag >> 1) ^ (~(zigzag & 1) + 1));
}

std::int64_t Input::number(const char* what, std::int64_t least) {
  const std::size_t begin = at_;
  const std::uint64_t value = unsigned_number(what);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    refuse(begin, std::string(what) + " does not fit into 63 bits", base::Status::kOverflow);
  const auto number = static_cast<std::int64_t>(value);
  if (number < least)
    refuse(begin, std::string(what) + " must be at least " + std::to_string(least) + ", not " + std::to_string(number));
  return number;
}

std::size_t Input::count(const char* what, std::uint64_t least, std::size_t entry_bytes) {
  const std::size_t begin = at_;
  const std::uint64_t value = unsigned_number(what);
  if (value < least)
    refuse(begin, std::string(what) + " must be at least " + std::to_string(least) + ", not " + std::to_string(value));
  if (value > left() / entry_bytes)
    refuse(begin, std::string(what) + " is " + std::to_string(value) + ", more than the " + std::to_string(left()) +
                      " bytes behind it can hold");
  return static_cast<std::size_t>(value);
}

}  // namespace gapless::serial
