#include "normal/lists.hpp"

#include <algorithm>
#include <span>

#include "normal/parts.hpp"
#include "normal/stretch.hpp"

namespace gapless::normal {
namespace {

// An empty block may have any displacement, even one whose offset in bytes overflows: a wrapped offset is never used.
std::int64_t displaced(std::int64_t displacement, std::int64_t unit, std::int64_t shift) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(displacement) * static_cast<std::uint64_t>(unit) +
                                   static_cast<std::uint64_t>(shift));
}

// The lists of a layout, in their narrow form.
template <class Raw>
struct EqualRuns {
  static constexpr bool kEqual = true;
  std::size_t count;
  const Raw* offsets;
  std::int64_t unit, shift, bytes;
  std::int64_t offset(std::size_t i) const { return displaced(offsets[i], unit, shift); }
  std::int64_t length(std::size_t) const { return bytes; }
};

template <class Raw, class RawLength>
struct UnlikeRuns {
  static constexpr bool kEqual = false;
  std::size_t count;
  const Raw* offsets;
  const RawLength* lengths;
  std::int64_t unit, shift, bytes;
  std::int64_t offset(std::size_t i) const { return displaced(offsets[i], unit, shift); }
  std::int64_t length(std::size_t i) const { return lengths[i] * bytes; }
};

// A list that is copied because some of its runs were fused.
struct FusedRuns {
  static constexpr bool kEqual = false;
  std::size_t count = 0;
  std::vector<std::int64_t> offsets, lengths;
  std::int64_t offset(std::size_t i) const { return offsets[i]; }
  std::int64_t length(std::size_t i) const { return lengths[i]; }
};

struct Offsets {
  static constexpr bool kEqual = true;
  std::size_t count;
  const std::vector<std::int64_t>& offsets;
  std::int64_t offset(std::size_t i) const { return offsets[i]; }
  std::int64_t length(std::size_t) const { return 0; }
};

struct Neighbours {
  bool have_seams;  // some block is empty, or ends where the next one begins
  bool ascending;   // every block begins at or after the end of the one before
};

// Without a branch, so that the processor compares several at a time.
template <class Entries>
Neighbours look_at_neighbours(const Entries& entries) {
  std::int64_t seams = 0, descents = 0, offset = entries.offset(0), length = entries.length(0);
  for (std::size_t i = 1; i < entries.count; ++i) {
    const std::int64_t next = entries.offset(i), end = displaced(offset, 1, length);
    seams += (next == end) | (length == 0);
    descents += next < end;
    offset = next;
    length = entries.length(i);
  }
  return {seams != 0 || length == 0, descents == 0};
}

template <class Entries>
FusedRuns fused(const Entries& entries) {
  FusedRuns runs;
  for (std::size_t i = 0; i < entries.count; ++i) {
    const std::int64_t offset = entries.offset(i), length = entries.length(i);
    if (length == 0) continue;
    if (!runs.offsets.empty() && runs.offsets.back() + runs.lengths.back() == offset) {
      runs.lengths.back() += length;
      continue;
    }
    runs.offsets.push_back(offset);
    runs.lengths.push_back(length);
  }
  runs.count = runs.offsets.size();
  return runs;
}

// The layout's own lists, if none of their runs is changed, and what the layout knows of them.
struct Shared {
  base::Numbers offsets, lengths;
  ListFacts facts;
};

template <class Entries>
Items items_of_runs(const Entries& entries, const Shared* shared, Context& context) {
  Alphabet& alphabet = context.alphabet;
  Items items;
  const auto singles = [&](std::size_t from, std::size_t to) {
    Items runs;
    for (std::size_t i = from; i < to; ++i) runs.push_back({entries.offset(i), alphabet.run(entries.length(i))});
    return runs;
  };
  const auto list = [&](std::size_t from, std::size_t to) -> Part {
    bool equal = true;
    if constexpr (!Entries::kEqual)
      for (std::size_t i = from; i < to && equal; ++i) equal = entries.length(i) == entries.length(from);
    if (shared != nullptr && to - from == entries.count) {
      const Part whole =
          equal ? table_of(shared->offsets, alphabet.unique(make_run(entries.length(from))), shared->facts, alphabet)
                : blocks_of(shared->offsets, shared->lengths, shared->facts, alphabet);
      if (whole.node) return whole;
    }
    std::vector<std::int64_t> offsets, lengths;
    for (std::size_t i = from; i < to; ++i) {
      offsets.push_back(entries.offset(i));
      if (!equal) lengths.push_back(entries.length(i));
    }
    return equal ? copies_at(offsets, alphabet.unique(make_run(entries.length(from))), alphabet)
                 : blocks_at(offsets, lengths, alphabet);
  };
  cut_into_stretches(
      entries,
      [&](const Stretch& stretch) {
        Items body = singles(stretch.from, stretch.from + stretch.period);
        reduce(body, context);
        append(items, repeat(static_cast<std::int64_t>(stretch.copies), stretch.stride, body, context), 0);
      },
      [&](std::size_t from, std::size_t to) {
        if (to - from < static_cast<std::size_t>(kWorthALoop)) {
          append(items, singles(from, to), 0);
          return;
        }
        const Part part = list(from, to);
        items.push_back({part.offset, alphabet.node(part.node)});
      },
      context.trace);
  return items;
}

template <class Entries>
Items with_fused_runs(const Entries& entries, Shared shared, Context& context) {
  const Neighbours neighbours = look_at_neighbours(entries);
  if (neighbours.have_seams) return items_of_runs(fused(entries), nullptr, context);
  shared.facts.ascending = neighbours.ascending;
  return items_of_runs(entries, &shared, context);
}

}  // namespace

Items run_list(const layout::Layout& type, std::int64_t unit, const Item& old, std::int64_t blocklength,
               Context& context) {
  const auto count = static_cast<std::size_t>(type.count);
  const std::int64_t bytes = old.letter->bytes, shift = old.offset;
  Shared shared{type.displacements.scaled(unit, shift), type.blocklengths.scaled(bytes, 0), {}};
  const std::int64_t first = shared.offsets.front();
  shared.facts = {type.size, type.true_lb - first, type.true_lb + type.true_extent - first, false};
  return type.displacements.with_raw([&](const auto* raw) -> Items {
    if (blocklength >= 0)
      return with_fused_runs(
          EqualRuns<std::remove_cvref_t<decltype(*raw)>>{count, raw, unit, shift, blocklength * bytes}, shared,
          context);
    return type.blocklengths.with_raw([&](const auto* lengths) -> Items {
      return with_fused_runs(
          UnlikeRuns<std::remove_cvref_t<decltype(*raw)>, std::remove_cvref_t<decltype(*lengths)>>{count, raw, lengths,
                                                                                                   unit, shift, bytes},
          shared, context);
    });
  });
}

Items word_list(const std::vector<std::int64_t>& offsets, const Items& body, Context& context) {
  Alphabet& alphabet = context.alphabet;
  Items items;
  const auto copies = [&](std::size_t from, std::size_t to) {
    Items all;
    for (std::size_t i = from; i < to; ++i) append(all, body, offsets[i]);
    return all;
  };
  cut_into_stretches(
      Offsets{offsets.size(), offsets},
      [&](const Stretch& stretch) {
        Items one = copies(stretch.from, stretch.from + stretch.period);
        reduce(one, context);
        append(items, repeat(static_cast<std::int64_t>(stretch.copies), stretch.stride, one, context), 0);
      },
      [&](std::size_t from, std::size_t to) {
        if ((to - from) * body.size() <= kMaxItems) {
          append(items, copies(from, to), 0);
          return;
        }
        const NodePtr node = gather(body, context).node;
        const Part part = copies_at(std::span(offsets).subspan(from, to - from), node, alphabet);
        items.push_back({part.offset, alphabet.node(part.node)});
      },
      context.trace);
  return items;
}

}  // namespace gapless::normal
