#include "normal/lists.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "normal/parts.hpp"

namespace gapless::normal {
namespace {

// Entries from, .., from + copies * period - 1 of a list are `copies` times the same, `stride` apart.
struct Stretch {
  std::size_t from = 0, period = 0, copies = 0;
  std::int64_t stride = 0;
};

// Finds regular stretches from left to right. A stretch shows when the last eight distances have occurred before: one
// look into a small table an entry, so that an irregular list costs next to nothing. Periods up to about a thousand.
class Finder {
 public:
  Finder(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& lengths)
      : offsets_(offsets), lengths_(lengths) {}

  // The next stretch that begins at `from` or later. False: none.
  bool next(std::size_t from, Stretch& found) {
    const std::size_t count = offsets_.size();
    std::uint64_t recent = 0;
    for (std::size_t i = from; i + 1 < count; ++i) {
      std::uint64_t change = static_cast<std::uint64_t>(offsets_[i + 1] - offsets_[i]);
      if (!lengths_.empty()) change = change * 31 + static_cast<std::uint64_t>(lengths_[i]);
      recent = (recent << 8) + change * 0x9E3779B97F4A7C15u;
      Seen& place = seen_[(recent * 0xD6E8FEB86659FD93u) >> (64 - kLogSlots)];
      if (place.recent == recent && place.at > from && try_at(from, place.at - 1, i - (place.at - 1), found))
        return true;
      place = {recent, i + 1};
    }
    return false;
  }

 private:
  bool agree(std::size_t i, std::size_t period, std::int64_t stride) const {
    return offsets_[i + period] - offsets_[i] == stride && (lengths_.empty() || lengths_[i + period] == lengths_[i]);
  }

  // Entry `at` was seen again `period` later: how far does that go, to either side?
  bool try_at(std::size_t from, std::size_t at, std::size_t period, Stretch& found) {
    if (period == tried_period_ && at < tried_until_) return false;
    const std::int64_t stride = offsets_[at + period] - offsets_[at];
    std::size_t begin = at, end = at;
    while (begin > from && agree(begin - 1, period, stride)) --begin;
    while (end + period < offsets_.size() && agree(end, period, stride)) ++end;
    const std::size_t entries = end - begin + period;
    if (entries < static_cast<std::size_t>(kWorthALoop) || entries < 3 * period) {
      tried_period_ = period;
      tried_until_ = end;
      return false;
    }
    found = {begin, period, entries / period, stride};
    return true;
  }

  static constexpr int kLogSlots = 10;
  struct Seen {
    std::uint64_t recent = 0;
    std::size_t at = 0;  // plus one; 0: nothing seen
  };
  const std::vector<std::int64_t>&offsets_, &lengths_;
  std::array<Seen, std::size_t{1} << kLogSlots> seen_{};
  std::size_t tried_period_ = 0, tried_until_ = 0;  // in vain, and not to be tried again
};

// Cuts a list into regular stretches and what is between: regular(stretch), rest(from, to).
template <class Regular, class Rest>
void cut(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& lengths, Regular regular, Rest rest,
         Trace* trace) {
  Finder finder(offsets, lengths);
  std::size_t from = 0;
  for (Stretch stretch; finder.next(from, stretch);) {
    hit("list_stretch", trace);
    if (from < stretch.from) rest(from, stretch.from);
    regular(stretch);
    from = stretch.from + stretch.copies * stretch.period;
  }
  if (from < offsets.size()) rest(from, offsets.size());
}

}  // namespace

Items stretches(const RunList& list, Context& context) {
  Alphabet& alphabet = context.alphabet;
  Items items;
  const auto length = [&](std::size_t i) { return list.lengths.empty() ? list.bytes : list.lengths[i]; };
  const auto singles = [&](std::size_t from, std::size_t to) {
    Items runs;
    for (std::size_t i = from; i < to; ++i) runs.push_back({list.offsets[i], alphabet.run(length(i))});
    return runs;
  };
  const auto push = [&](const Part& part) { items.push_back({part.offset, alphabet.node(part.node)}); };
  cut(
      list.offsets, list.lengths,
      [&](const Stretch& stretch) {
        Items body = singles(stretch.from, stretch.from + stretch.period);
        reduce(body, context);
        append(items, repeat(static_cast<std::int64_t>(stretch.copies), stretch.stride, body, context), 0);
      },
      [&](std::size_t from, std::size_t to) {
        const std::span offsets = std::span(list.offsets).subspan(from, to - from);
        if (to - from < static_cast<std::size_t>(kWorthALoop)) {
          append(items, singles(from, to), 0);
          return;
        }
        const auto first = list.lengths.begin() + static_cast<std::ptrdiff_t>(from);
        const auto last = list.lengths.begin() + static_cast<std::ptrdiff_t>(to);
        const bool equal = list.lengths.empty() || std::all_of(first, last, [&](auto bytes) { return bytes == *first; });
        if (!equal) {
          push(blocks_at(offsets, std::span(list.lengths).subspan(from, to - from), alphabet));
          return;
        }
        const NodePtr run = alphabet.unique(make_run(length(from)));
        if (!list.shared.empty() && to - from == list.offsets.size()) {
          push(table_at(list.offsets, list.shared, run, alphabet));
          return;
        }
        push(copies_at(offsets, run, alphabet));
      },
      context.trace);
  return items;
}

Items stretches(const std::vector<std::int64_t>& offsets, const Items& body, Context& context) {
  Alphabet& alphabet = context.alphabet;
  Items items;
  const std::int64_t origin = body.front().offset;
  const auto copies = [&](std::size_t from, std::size_t to) {
    Items all;
    for (std::size_t i = from; i < to; ++i) append(all, body, offsets[i]);
    return all;
  };
  cut(
      offsets, {},
      [&](const Stretch& stretch) {
        Items one = copies(stretch.from, stretch.from + stretch.period);
        reduce(one, context);
        append(items, repeat(static_cast<std::int64_t>(stretch.copies), stretch.stride, one, context), 0);
      },
      [&](std::size_t from, std::size_t to) {
        if ((to - from) * body.size() <= kMostItems) {
          append(items, copies(from, to), 0);
          return;
        }
        const NodePtr node = gather(body, context).node;
        const Part part = copies_at(std::span(offsets).subspan(from, to - from), node, alphabet);
        items.push_back({part.offset + origin, alphabet.node(part.node)});
      },
      context.trace);
  return items;
}

}  // namespace gapless::normal
