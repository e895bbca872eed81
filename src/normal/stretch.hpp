// Regular stretches of a long list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "normal/rules.hpp"

namespace gapless::normal {

// Entries from, .., from + copies * period - 1 of a list are `copies` times the same, `stride` apart.
struct Stretch {
  std::size_t from = 0, period = 0, copies = 0;
  std::int64_t stride = 0;
};

// Finds regular stretches from left to right. It detects a stretch when the last sixteen distances have occurred
// before, with one look into a small table per entry. Periods up to about a thousand. A list that has been irregular
// for long is sampled: after that, only a stretch that reaches into a sample is found. Entries: count, offset(i),
// length(i), and kEqual where all lengths are one.
template <class Entries>
class StretchFinder {
 public:
  explicit StretchFinder(const Entries& entries) : entries_(entries) {}

  // The next stretch that begins at `from` or later. False: none.
  bool next(std::size_t from, Stretch& found) {
    std::uint64_t recent = 0;
    for (std::size_t i = from; i + 1 < entries_.count; ++i) {
      if (i - from >= kLong && i % kSampleEach >= kSample) i += kSampleEach - i % kSampleEach;
      if (i + 1 >= entries_.count) break;
      auto change = static_cast<std::uint64_t>(entries_.offset(i + 1) - entries_.offset(i));
      if constexpr (!Entries::kEqual) change = change * 31 + static_cast<std::uint64_t>(entries_.length(i));
      recent = (recent << 4) + change * 0x9E3779B97F4A7C15u;
      Seen& place = seen_[(recent * 0xD6E8FEB86659FD93u) >> (64 - kLogSlots)];
      if (place.recent == recent && place.at > from && try_at(from, place.at - 1, i - (place.at - 1), found))
        return true;
      place = {recent, i + 1};
    }
    return false;
  }

 private:
  bool agree(std::size_t i, std::size_t period, std::int64_t stride) const {
    return entries_.offset(i + period) - entries_.offset(i) == stride &&
           (Entries::kEqual || entries_.length(i + period) == entries_.length(i));
  }

  // Entry `at` was seen again `period` later: extends the stretch to both sides; false if it is too short.
  bool try_at(std::size_t from, std::size_t at, std::size_t period, Stretch& found) {
    if (period == tried_period_ && at < tried_until_) return false;
    const std::int64_t stride = entries_.offset(at + period) - entries_.offset(at);
    std::size_t begin = at, end = at;
    while (begin > from && agree(begin - 1, period, stride)) --begin;
    while (end + period < entries_.count && agree(end, period, stride)) ++end;
    const std::size_t taken = end - begin + period;
    if (taken < static_cast<std::size_t>(kWorthALoop) || taken < 3 * period) {
      tried_period_ = period;
      tried_until_ = end;
      return false;
    }
    found = {begin, period, taken / period, stride};
    return true;
  }

  static constexpr std::size_t kLong = 16384, kSampleEach = 8192, kSample = 512;  // entries
  static constexpr int kLogSlots = 10;
  struct Seen {
    std::uint64_t recent = 0;
    std::size_t at = 0;  // plus one; 0: nothing seen
  };
  const Entries& entries_;
  std::array<Seen, std::size_t{1} << kLogSlots> seen_{};
  std::size_t tried_period_ = 0, tried_until_ = 0;  // a failed attempt, not to be repeated
};

// Cuts a list into regular stretches and the rest: calls regular(stretch) and rest(from, to).
template <class Entries, class Regular, class Rest>
void cut_into_stretches(const Entries& entries, Regular regular, Rest rest, Trace* trace) {
  StretchFinder<Entries> finder(entries);
  std::size_t from = 0;
  for (Stretch stretch; finder.next(from, stretch);) {
    hit("list_stretch", trace);
    if (from < stretch.from) rest(from, stretch.from);
    regular(stretch);
    from = stretch.from + stretch.copies * stretch.period;
  }
  if (from < entries.count) rest(from, entries.count);
}

}  // namespace gapless::normal
