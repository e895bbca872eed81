#include "notation/cursor.hpp"

#include <algorithm>
#include <limits>

#include "notation/characters.hpp"

namespace gapless::notation {
namespace {

// Independent of the locale.
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

void Cursor::require_ascii() const {
  const auto other = std::find_if(text_.begin(), text_.end(), [](char c) { return (c & 0x80) != 0; });
  if (other == text_.end()) return;
  const auto from = static_cast<std::size_t>(other - text_.begin());
  const std::string_view rest = text_.substr(from);
  const Character character = first_character(rest);
  const std::string_view meant = ascii_for(character);
  const std::string instead = meant == " " ? "a space" : "'" + std::string(meant) + "'";
  fail(name_of(character, rest) + " is no character of the notation", from, from + 1,
       meant.empty() ? ", which has only those of ASCII" : ": write " + instead);
}

std::size_t Cursor::at() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_;
}

bool Cursor::take(std::string_view token) {
  if (text_.substr(at(), token.size()) != token) return false;
  at_ += token.size();
  return true;
}

std::size_t Cursor::word_end(std::size_t from) const {
  while (from < text_.size() && is_word(text_[from])) ++from;
  return from;
}

std::string_view Cursor::word() {
  const std::size_t from = at();
  at_ = word_end(from);
  return text_.substr(from, at_ - from);
}

std::int64_t Cursor::integer(const std::string& what) {
  const std::size_t from = at();
  std::size_t next = from;
  const bool negative = next < text_.size() && text_[next] == '-';
  if (next < text_.size() && (negative || text_[next] == '+')) ++next;
  if (next >= text_.size() || !is_digit(text_[next])) fail_expected(what);
  std::int64_t value = 0;
  bool overflow = false;
  for (; next < text_.size() && is_digit(text_[next]); ++next) {
    const std::int64_t digit = text_[next] - '0';
    overflow |= __builtin_mul_overflow(value, 10, &value);
    overflow |= __builtin_add_overflow(value, negative ? -digit : digit, &value);
  }
  if (next < text_.size() && is_word(text_[next]))
    fail("expected " + what + ", found '" +
             printable(text_.substr(from, std::min<std::size_t>(40, word_end(next) - from))) + "'",
         from, word_end(next));
  if (overflow) fail("the number does not fit into 64 bits", from, next, "", base::Status::kOverflow);
  at_ = next;
  return value;
}

void Cursor::fail(const std::string& what, std::size_t from, std::size_t to, const std::string& hint,
                  base::Status status) const {
  constexpr std::size_t kBefore = 60, kBehind = 40;
  const std::string_view before = text_.substr(0, from);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  const std::size_t end = std::min(text_.find('\n', from), text_.size());
  // Of a long line, show only the text around the position.
  const std::size_t first = from - begin > kBefore ? from - kBefore : begin;
  std::size_t last = std::min(end, from + kBehind);
  for (int i = 0; i < 3 && last < end && (text_[last] & 0xC0) == 0x80; ++i) ++last;  // to the end of a character
  const std::string cut = first > begin ? "..." : "";
  const std::size_t width = std::max<std::size_t>(1, std::min(to, last) - std::min(from, last));
  throw base::Error(status, what + " (line " + std::to_string(line) + ", column " + std::to_string(from - begin + 1) +
                                ")" + hint + "\n    " + cut + printable(text_.substr(first, last - first)) +
                                (last < end ? "..." : "") + "\n    " + std::string(cut.size() + from - first, ' ') +
                                "^" + std::string(width - 1, '~'));
}

void Cursor::fail_expected(const std::string& what, const std::string& hint) {
  const std::size_t from = at(), to = std::max(word_end(from), std::min(from + 1, text_.size()));
  const std::string found = from == text_.size()
                                ? "the end"
                                : "'" + printable(text_.substr(from, std::min<std::size_t>(40, to - from))) + "'";
  fail("expected " + what + ", found " + found, from, to, hint);
}

}  // namespace gapless::notation
