// Reads numbers from untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/status.hpp"

namespace gapless::serial {

// Throws base::Error with the text "serialised form, byte 17: " and the reason.
[[noreturn]] void refuse(std::size_t at, const std::string& reason,
                         base::Status status = base::Status::kInvalidArgument);

// Reading a number throws base::Error if the bytes end inside it, if it has more bytes than it needs (each number has
// one encoding), or if it does not fit. `what` names it in the error.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  std::size_t at() const noexcept { return at_; }
  std::size_t left() const noexcept { return bytes_.size() - at_; }

  std::uint8_t byte(const char* what);
  // LEB128: seven bits a byte, the lowest first, the top bit set in all but the last.
  std::uint64_t unsigned_number(const char* what);
  // The same, with 0, -1, 1, -2, .. encoded as 0, 1, 2, 3, .. (zigzag).
  std::int64_t signed_number(const char* what);
  // At least `least`, at most 2^63 - 1.
  std::int64_t number(const char* what, std::int64_t least);
  // The length of a list whose entries take `entry_bytes` or more. Throws if the bytes left cannot hold so many
  // entries, so nothing is allocated for entries that are not there.
  std::size_t count(const char* what, std::uint64_t least, std::size_t entry_bytes);

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_;
};

}  // namespace gapless::serial
