#include "touched.hpp"

#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "memory.hpp"

namespace gapless::bench {
namespace {

std::int64_t line_of(std::int64_t byte) {
  return byte >= 0 ? byte / kLineBytes : -((kLineBytes - 1 - byte) / kLineBytes);
}

class Visits {
 public:
  void add(std::int64_t begin, std::int64_t bytes) {
    touched_.shortest_run_bytes = std::min(touched_.shortest_run_bytes, bytes);
    const std::int64_t first = line_of(begin), last = line_of(begin + bytes - 1);
    if (touched_.lines == 0 || first != current_) enter(first);
    covered_ += std::min(begin + bytes, (first + 1) * kLineBytes) - begin;
    if (last == first) return;
    // Those between the first and the last are covered whole.
    close();
    extend(first + 1, last - first - 1);
    enter(last);
    covered_ = begin + bytes - last * kLineBytes;
  }
  Touched finish() {
    if (touched_.lines > 0) close();
    return std::move(touched_);
  }

 private:
  void enter(std::int64_t line) {
    if (touched_.lines > 0 && open_) close();
    if (touched_.lines > 0 && line <= highest_) touched_.ascending = false;
    extend(line, 1);
    open_ = true;
    covered_ = 0;
  }
  void close() {
    touched_.partial_lines += covered_ < kLineBytes;
    open_ = false;
  }
  void extend(std::int64_t line, std::int64_t count) {
    if (count == 0) return;
    constexpr std::int64_t kFarthest = std::numeric_limits<std::int32_t>::max();
    if (line < -kFarthest || line + count > kFarthest) throw std::runtime_error("a message touches lines too far away");
    touched_.lines += count;
    current_ = line + count - 1;
    highest_ = std::max(highest_, current_);
    if (!touched_.runs.empty() && touched_.runs.back().first + touched_.runs.back().count == line)
      touched_.runs.back().count += static_cast<std::int32_t>(count);
    else
      touched_.runs.push_back({static_cast<std::int32_t>(line), static_cast<std::int32_t>(count)});
  }

  Touched touched_;
  std::int64_t current_ = 0, highest_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t covered_ = 0;
  bool open_ = false;
};

}  // namespace

Touched touched_lines(const char* user, std::int64_t count, gapless_type type) {
  std::vector<gapless_iov> window(4096);
  Visits visits;
  for (std::int64_t position = 0;;) {
    std::int64_t entries = 0, bytes = 0;
    check(gapless_iov_export(user, count, type, position, window.data(), static_cast<std::int64_t>(window.size()),
                             &entries, &bytes));
    if (entries == 0) return visits.finish();
    for (std::int64_t i = 0; i < entries; ++i) {
      const gapless_iov& run = window[static_cast<std::size_t>(i)];
      visits.add(static_cast<const char*>(run.base) - user, run.length);
    }
    position += bytes;
  }
}

PartLines part_lines(const char* user, std::int64_t count, gapless_type type, std::int64_t part_bytes) {
  std::vector<gapless_iov> window(static_cast<std::size_t>(part_bytes));
  PartLines parts{part_bytes, 0, {}, {}};
  for (;;) {
    std::int64_t entries = 0, exported = 0, left = part_bytes;
    check(gapless_iov_export(user, count, type, parts.bytes, window.data(), static_cast<std::int64_t>(window.size()),
                             &entries, &exported));
    if (entries == 0) return parts;
    std::vector<std::int32_t> lines;
    for (std::int64_t i = 0; i < entries && left > 0; ++i) {
      const gapless_iov& run = window[static_cast<std::size_t>(i)];
      const std::int64_t begin = static_cast<const char*>(run.base) - user, bytes = std::min(left, run.length);
      // Within 32 bits: touched_lines() has refused a message that reaches farther.
      for (std::int64_t line = line_of(begin); line <= line_of(begin + bytes - 1); ++line)
        lines.push_back(static_cast<std::int32_t>(line));
      left -= bytes;
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    for (std::size_t i = 0; i < lines.size();) {
      const std::int32_t step = i + 1 < lines.size() ? lines[i + 1] - lines[i] : 0;
      std::int32_t n = 1;
      while (i + static_cast<std::size_t>(n) < lines.size() &&
             lines[i + static_cast<std::size_t>(n)] - lines[i + static_cast<std::size_t>(n) - 1] == step)
        ++n;
      parts.steps.push_back({lines[i], step, n});
      i += static_cast<std::size_t>(n);
    }
    parts.ends.push_back(parts.steps.size());
    parts.bytes += part_bytes - left;
  }
}

}  // namespace gapless::bench
