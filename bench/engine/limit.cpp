// Compiled as the loops by hand are. One loop over the footprint, and five ways to move lines; and one over parts.
#include "limit.hpp"

#include <cstring>

namespace gapless::bench {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kAheadBytes = 16 * 1024;  // of the footprint, for a prefetch
constexpr std::int64_t kAheadRuns = 64;

typedef long long Word __attribute__((may_alias));
typedef long long Vector __attribute__((vector_size(64), aligned(64), may_alias));

// A line as one value; how it is stored is what differs.
struct Cached {
  static void store(char* to, Vector line) { *reinterpret_cast<Vector*>(to) = line; }
  static void finish() {}
};

#if defined(__SSE2__)
struct NonTemporal {
  static void store(char* to, Vector line) {
#if defined(__AVX512F__)
    asm volatile("vmovntdq %1, %0" : "=m"(*reinterpret_cast<Vector*>(to)) : "v"(line));
#elif defined(__AVX__)
    typedef long long Half __attribute__((vector_size(32)));
    const Half* halves = reinterpret_cast<const Half*>(&line);
    for (int i = 0; i < 2; ++i)
      asm volatile("vmovntdq %1, %0" : "=m"(*reinterpret_cast<Half*>(to + 32 * i)) : "x"(halves[i]));
#else
    typedef long long Quarter __attribute__((vector_size(16)));
    const Quarter* quarters = reinterpret_cast<const Quarter*>(&line);
    for (int i = 0; i < 4; ++i)
      asm volatile("movntdq %1, %0" : "=m"(*reinterpret_cast<Quarter*>(to + 16 * i)) : "x"(quarters[i]));
#endif
  }
  static void finish() { asm volatile("sfence" : : : "memory"); }
};
#endif

// One run of lines.
struct ByMemcpy {
  static void copy(char* to, const char* from, std::int64_t lines, const char*) {
    std::memcpy(to, from, static_cast<std::size_t>(lines * kLine));
  }
  static void finish() {}
};

// `ahead` is on the scattered side: null, or what to fetch while this run is moved.
template <class Store, bool kPrefetch>
struct ByLine {
  static void copy(char* to, const char* from, std::int64_t lines, const char* ahead) {
    for (std::int64_t i = 0; i < lines; ++i) {
      if constexpr (kPrefetch) __builtin_prefetch(ahead + i * kLine, 0, 2);
      Store::store(to + i * kLine, *reinterpret_cast<const Vector*>(from + i * kLine));
    }
  }
  static void finish() { Store::finish(); }
};

// move(run, ahead): `run` in bytes from the user's origin.
template <class Move>
void each_run(const Footprint& footprint, Move move) {
  const LineRun* runs = footprint.runs.data();
  const std::int64_t shift = footprint.shift * kLine;
  // A place of the footprint about kAheadBytes on: so many whole periods of it, or further in the only run.
  std::int64_t ahead = kAheadBytes;
  if (shift != 0) ahead = (kAheadBytes + (shift < 0 ? -shift : shift) - 1) / (shift < 0 ? -shift : shift) * shift;
  const auto listed = static_cast<std::int64_t>(footprint.runs.size());
  if (footprint.repeats == 1 && listed > 1) {
    for (std::int64_t j = 0; j < listed; ++j) {
      const std::int64_t later = j + kAheadRuns < listed ? j + kAheadRuns : listed - 1;
      move(runs[j].first * kLine, runs[j].count, runs[later].first * kLine);
    }
    return;
  }
  for (std::int64_t r = 0; r < footprint.repeats; ++r)
    for (std::int64_t j = 0; j < footprint.period; ++j) {
      const std::int64_t at = runs[j].first * kLine + r * shift;
      move(at, runs[j].count, at + ahead);
    }
  for (std::int64_t j = footprint.period; j < listed; ++j)
    move(runs[j].first * kLine, runs[j].count, runs[j].first * kLine);
}

template <class Copy>
void pack(const Footprint& footprint, const char* user, char* lines) {
  each_run(footprint, [&](std::int64_t at, std::int64_t count, std::int64_t ahead) {
    Copy::copy(lines, user + at, count, user + ahead);
    lines += count * kLine;
  });
  Copy::finish();
}

template <class Copy>
void unpack(const Footprint& footprint, const char* lines, char* user) {
  each_run(footprint, [&](std::int64_t at, std::int64_t count, std::int64_t ahead) {
    Copy::copy(user + at, lines, count, user + ahead);
    lines += count * kLine;
  });
  Copy::finish();
}

template <class Copy>
LimitLoop loop(const char* name) {
  return {name, pack<Copy>, unpack<Copy>};
}

// word(line's address) for each line of a part.
template <bool kPrefetch, class User, class Word>
void each_line(const PartLines& parts, std::size_t part, User user, Word word) {
  constexpr std::int64_t kAheadLines = 8;
  for (std::size_t i = part == 0 ? 0 : parts.ends[part - 1]; i < parts.ends[part]; ++i) {
    User line = user + parts.steps[i].first * kLine;
    const std::int64_t step = parts.steps[i].step * kLine;
    for (std::int32_t n = parts.steps[i].count; n > 0; --n, line += step) {
      if constexpr (kPrefetch) __builtin_prefetch(line + kAheadLines * step, 0, 3);
      word(line);
    }
  }
}

// Of a part that is no multiple of a line, the whole lines.
std::int64_t dense_bytes(const PartLines& parts, std::size_t part) {
  const std::int64_t at = static_cast<std::int64_t>(part) * parts.part_bytes;
  return (at + parts.part_bytes < parts.bytes ? parts.part_bytes : parts.bytes - at) / kLine * kLine;
}

template <bool kPrefetch>
void pack_parts(const PartLines& parts, const char* user, char* packed) {
  for (std::size_t part = 0; part < parts.ends.size(); ++part, packed += parts.part_bytes) {
    std::int64_t sum = 0;
    each_line<kPrefetch>(parts, part, user, [&](const char* line) { sum += *reinterpret_cast<const Word*>(line); });
    for (std::int64_t at = 0; at < dense_bytes(parts, part); at += kLine) Cached::store(packed + at, Vector{} + sum);
  }
}

template <bool kPrefetch>
void unpack_parts(const PartLines& parts, const char* packed, char* user) {
  for (std::size_t part = 0; part < parts.ends.size(); ++part, packed += parts.part_bytes) {
    Vector sum{};
    for (std::int64_t at = 0; at < dense_bytes(parts, part); at += kLine)
      sum += *reinterpret_cast<const Vector*>(packed + at);
    each_line<kPrefetch>(parts, part, user, [&](char* line) { *reinterpret_cast<Word*>(line) = sum[0]; });
  }
}

}  // namespace

std::vector<PartLoop> part_loops() {
  return {{"plain", pack_parts<false>, unpack_parts<false>}, {"prefetch", pack_parts<true>, unpack_parts<true>}};
}

std::vector<LimitLoop> limit_loops() {
  return {
      loop<ByMemcpy>("memcpy"),
      loop<ByLine<Cached, false>>("cached"),
      loop<ByLine<Cached, true>>("cached, prefetch"),
#if defined(__SSE2__)
      loop<ByLine<NonTemporal, false>>("non-temporal"),
      loop<ByLine<NonTemporal, true>>("non-temporal, prefetch"),
#endif
  };
}

}  // namespace gapless::bench
