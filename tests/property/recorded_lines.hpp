// Lines for move::pack_past() that write as they are told and note how: lines of which the part has all bytes must be
// written once, whole, and the others by what belongs to the part.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"
#include "move/past.hpp"

namespace gapless::test {

class RecordedLines {
 public:
  RecordedLines(const void* packed, std::int64_t bytes)
      : packed_(static_cast<const char*>(packed)), written_(static_cast<std::size_t>(bytes)) {}

  void whole(char* to, const char* from, std::int64_t bytes) {
    if (bytes % kernel::kLine != 0 || (bytes != 0 && move::past_line(to) != 0)) wrong_ = "whole lines that are none";
    write(to, from, bytes);
  }
  void partial(char* to, const char* from, std::int64_t bytes) {
    if (bytes == 0) return;
    const std::int64_t line = to - move::past_line(to) - packed_, size = static_cast<std::int64_t>(written_.size());
    if (line >= 0 && line + kernel::kLine <= size) wrong_ = "a whole line is written in part";
    write(to, from, bytes);
  }

  // What was wrong, or nothing.
  std::string complaint() const {
    if (!wrong_.empty()) return wrong_;
    for (const char times : written_)
      if (times != 1) return "a byte is written " + std::to_string(times) + " times";
    return {};
  }

 private:
  void write(char* to, const char* from, std::int64_t bytes) {
    const std::int64_t at = to - packed_;
    if (bytes == 0) return;
    if (at < 0 || at + bytes > static_cast<std::int64_t>(written_.size())) {
      wrong_ = "bytes outside the part are written";
      return;
    }
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
    for (std::int64_t i = at; i < at + bytes; ++i) ++written_[static_cast<std::size_t>(i)];
  }

  const char* packed_;
  std::vector<char> written_;  // how often
  std::string wrong_;
};

}  // namespace gapless::test
