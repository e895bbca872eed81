// A position in a text, the tokens of the notation that follow it, and errors that point at the text they mean.
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

  // Throws if the text has a character beyond ASCII. All else reads the text byte by byte, each of which is one column.
  void require_ascii() const;
  // Skips white space; the position of the next token.
  std::size_t at();
  bool at_end() { return at() == text_.size(); }
  // Takes the token if it comes next; false if it does not.
  bool take(std::string_view token);
  // Takes letters, digits and underscores; empty if none comes next.
  std::string_view word();
  // Takes an integer. Throws if none comes next (`what` names what was expected), or if it does not fit into 64 bits.
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
