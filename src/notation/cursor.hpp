// A place in a text, the tokens of the notation from there on, and errors that point at what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.hpp"

namespace gapless::notation {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Throws if there is a character beyond ASCII anywhere. What follows is looked at byte by byte, each one column.
  void require_ascii() const;
  // The position of the next token, behind white space.
  std::size_t at();
  bool at_end() { return at() == text_.size(); }
  // Takes the token if it comes next.
  bool take(std::string_view token);
  // Letters, digits and underscores; empty if none comes next.
  std::string_view word();
  // Throws: no integer (`what` was expected), or one beyond 64 bits.
  std::int64_t integer(const std::string& what);

  // "`what` (line 1, column 8)`hint`", the line, and a caret below the characters [from, to).
  [[noreturn]] void fail(const std::string& what, std::size_t from, std::size_t to, const std::string& hint = "",
                         base::Status status = base::Status::kInvalidArgument) const;
  // "expected `what`, found ..."
  [[noreturn]] void fail_expected(const std::string& what, const std::string& hint = "");

 private:
  std::size_t word_end(std::size_t from) const;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace gapless::notation
