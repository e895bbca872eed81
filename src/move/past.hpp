// Packs for a reader on another core, with non-temporal stores. A store into a line that the reader has in its cache
// may cost as much as the line's way through memory; a non-temporal one does not (docs/methods.md, "Lines that a peer
// has read").
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernel/kernel.hpp"
#include "move/iov.hpp"
#include "move/move.hpp"
#include "move/overlap.hpp"

namespace gapless::move {

// Like pack(), but every line of `packed` that lies entirely in the part is written once, whole and past the caches,
// whatever the type and wherever the part begins; the two ends are written as pack() does. Ends with a store fence: a
// thread that is told afterwards sees all bytes. Reads `buffer` as pack() does.
std::int64_t pack_past(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position,
                       void* packed, std::int64_t budget) noexcept;

// The same, or pack_near(), as stores are measured to cost less.
inline std::int64_t pack_for_peer(bool is_past, const plan::Plan& plan, std::int64_t count, const void* buffer,
                                  std::int64_t position, void* packed, std::int64_t budget) noexcept {
  return is_past ? pack_past(plan, count, buffer, position, packed, budget)
                 : pack_near(plan, count, buffer, position, packed, budget);
}

// The size of the buffer that is packed in the first-level cache, and written from there [bytes].
inline constexpr std::int64_t kPastStrip = 8192;
// Runs of this average length or more are written directly, without the buffer [bytes].
inline constexpr std::int64_t kPastRun = 1024;
inline constexpr std::int64_t kPastRuns = 64;  // looked up at a time

inline std::int64_t past_line(const char* address) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) & (kernel::kLine - 1));
}

// Writes the lines of one part, piece by piece, in order, through `Lines`: lines.whole(to, from, bytes) writes whole
// lines, lines.partial(to, from, bytes) less than one.
template <class Lines>
class PastStream {
 public:
  PastStream(char* to, Lines& lines) noexcept : line_at_(to - past_line(to)), first_(past_line(to)), lines_(lines) {
    fill_ = first_;
  }

  void append(const char* from, std::int64_t bytes) noexcept {
    if (fill_ != 0) {
      const std::int64_t head = std::min(kernel::kLine - fill_, bytes);
      std::memcpy(line_ + fill_, from, static_cast<std::size_t>(head));
      fill_ += head;
      from += head;
      bytes -= head;
      if (fill_ < kernel::kLine) return;
      if (first_ == 0)
        lines_.whole(line_at_, line_, kernel::kLine);
      else
        lines_.partial(line_at_ + first_, line_ + first_, kernel::kLine - first_);
      first_ = fill_ = 0;
      line_at_ += kernel::kLine;
    }
    const std::int64_t whole = bytes & -kernel::kLine;
    lines_.whole(line_at_, from, whole);
    line_at_ += whole;
    fill_ = bytes - whole;
    std::memcpy(line_, from + whole, static_cast<std::size_t>(fill_));
  }

  void finish() noexcept { lines_.partial(line_at_ + first_, line_ + first_, fill_ - first_); }

 private:
  alignas(kernel::kLine) char line_[kernel::kLine];  // the next one, as far as it is there
  char* line_at_;
  std::int64_t first_;  // [bytes] of this line that belong to what lies before the part
  std::int64_t fill_ = 0;
  Lines& lines_;
};

template <class Lines>
std::int64_t pack_past(const plan::Plan& plan, std::int64_t count, const void* buffer, std::int64_t position,
                       void* packed, std::int64_t budget, Lines& lines) noexcept {
  const std::int64_t bytes = bytes_to_move(plan, count, position, budget);
  PastStream<Lines> stream(static_cast<char*>(packed), lines);
  if (plan.is_contiguous() || plan.size() / kPastRun >= plan.run_count()) {
    Piece runs[kPastRuns];
    for (std::int64_t done = 0; done < bytes;) {
      const Exported found = iov(plan, count, buffer, position + done, runs, kPastRuns);
      for (std::int64_t i = 0; i < found.pieces && done < bytes; ++i) {
        const std::int64_t run = std::min(runs[i].bytes, bytes - done);
        stream.append(static_cast<const char*>(runs[i].base), run);
        done += run;
      }
    }
  } else {
    // Strips begin and end where lines do, so that most lines go from the strip into their places.
    alignas(kernel::kLine) char strip[kPastStrip];
    for (std::int64_t done = 0; done < bytes;) {
      const std::int64_t behind = past_line(static_cast<char*>(packed) + done);
      const std::int64_t part = std::min(kPastStrip - behind, bytes - done);
      pack_near(plan, count, buffer, position + done, strip + behind, part);
      stream.append(strip + behind, part);
      done += part;
    }
  }
  stream.finish();
  return bytes;
}

}  // namespace gapless::move
