#include "payload.hpp"

#include <algorithm>
#include <cstring>

namespace gapless::lab {
namespace {

constexpr std::int64_t kFewRepetitions = 8;  // fewer are kept in a list

// Bytes [position, position + bytes) of the payload.
void write_bytes(char* to, std::int64_t position, std::int64_t bytes, std::uint32_t first_word) {
  while (bytes > 0) {
    const std::int64_t within = position % kWordBytes, taken = std::min(kWordBytes - within, bytes);
    const std::uint32_t word = first_word + static_cast<std::uint32_t>(position / kWordBytes);
    std::memcpy(to, reinterpret_cast<const char*>(&word) + within, static_cast<std::size_t>(taken));
    to += taken;
    position += taken;
    bytes -= taken;
  }
}

// The same where whole words are: the loop of a program that fills its arrays.
inline void write_run(char* to, std::int64_t position, std::int64_t bytes, std::uint32_t first_word) {
  if ((position | bytes) % kWordBytes != 0) {
    write_bytes(to, position, bytes, first_word);
    return;
  }
  const std::uint32_t first = first_word + static_cast<std::uint32_t>(position / kWordBytes);
  for (std::int64_t i = 0; i < bytes / kWordBytes; ++i) {
    const std::uint32_t word = first + static_cast<std::uint32_t>(i);
    std::memcpy(to + i * kWordBytes, &word, kWordBytes);
  }
}

bool fits_list(const ByteRun& run) {
  return run.displacement_bytes == static_cast<std::int32_t>(run.displacement_bytes);
}

}  // namespace

// How often the `period` runs from `at` on repeat, each time the same distance further.
std::int64_t PayloadPlaces::strided(const std::vector<ByteRun>& runs, std::size_t at, std::size_t period) {
  if (at + period > runs.size()) return 0;
  std::int64_t repetitions = 1;
  std::size_t next = at + period;
  if (next >= runs.size()) return repetitions;
  const std::int64_t stride = runs[next].displacement_bytes - runs[at].displacement_bytes;
  for (; next + period <= runs.size(); next += period, ++repetitions)
    for (std::size_t i = 0; i < period; ++i) {
      const ByteRun &before = runs[next + i - period], &now = runs[next + i];
      if (now.bytes != before.bytes || now.displacement_bytes - before.displacement_bytes != stride) return repetitions;
    }
  return repetitions;
}

PayloadPlaces::PayloadPlaces(const std::vector<ByteRun>& given) {
  std::vector<ByteRun> runs;
  for (const ByteRun& run : given) {
    if (run.bytes == 0) continue;
    if (!runs.empty() && runs.back().displacement_bytes + runs.back().bytes == run.displacement_bytes)
      runs.back().bytes += run.bytes;
    else
      runs.push_back(run);
  }
  for (const ByteRun& run : runs) {
    bytes_ += run.bytes;
    whole_words_ = whole_words_ && (run.displacement_bytes | run.bytes) % kWordBytes == 0;
  }
  for (std::size_t at = 0; at < runs.size();) {
    const std::int64_t alone = strided(runs, at, 1), pairs = strided(runs, at, 2);
    const std::size_t period = 2 * pairs > alone ? 2 : 1;
    const std::int64_t repetitions = period == 2 ? pairs : alone;
    Part part{.first = runs[at].displacement_bytes, .first_bytes = runs[at].bytes};
    if (repetitions >= kFewRepetitions || !fits_list(runs[at])) {
      part.repetitions = repetitions >= kFewRepetitions ? repetitions : 1;
      const std::size_t used = repetitions >= kFewRepetitions ? period : 1;
      if (used == 2) {
        part.second = runs[at + 1].displacement_bytes;
        part.second_bytes = runs[at + 1].bytes;
      }
      const std::size_t next = at + used;
      if (part.repetitions > 1) part.stride = runs[next].displacement_bytes - runs[at].displacement_bytes;
      parts_.push_back(part);
      at += used * static_cast<std::size_t>(part.repetitions);
      continue;
    }
    const bool continues = !parts_.empty() && parts_.back().listed && parts_.back().first_bytes == part.first_bytes;
    if (continues) {
      ++parts_.back().repetitions;
    } else {
      part.listed = true;
      part.list = places_.size();
      parts_.push_back(part);
    }
    places_.push_back(static_cast<std::int32_t>(part.first));
    ++at;
  }
}

PayloadPlaces PayloadPlaces::contiguous(std::int64_t bytes) {
  return PayloadPlaces({{0, bytes}});
}

template <class Visit>
void PayloadPlaces::each_run(const Visit& visit) const {
  std::int64_t position = 0;
  for (const Part part : parts_) {
    const std::int64_t step = part.first_bytes + part.second_bytes;
    if (part.listed)
      for (std::int64_t i = 0; i < part.repetitions; ++i, position += step)
        visit(places_[part.list + static_cast<std::size_t>(i)], part.first_bytes, position);
    else if (part.second_bytes == 0)
      for (std::int64_t i = 0; i < part.repetitions; ++i, position += step)
        visit(part.first + i * part.stride, part.first_bytes, position);
    else
      for (std::int64_t i = 0; i < part.repetitions; ++i, position += step) {
        visit(part.first + i * part.stride, part.first_bytes, position);
        visit(part.second + i * part.stride, part.second_bytes, position + part.first_bytes);
      }
  }
}

std::int64_t PayloadPlaces::run_count() const {
  std::int64_t count = 0;
  for (const Part& part : parts_) count += part.repetitions * (part.second_bytes > 0 ? 2 : 1);
  return count;
}

std::vector<ByteRun> PayloadPlaces::runs() const {
  std::vector<ByteRun> all;
  each_run([&](std::int64_t displacement, std::int64_t bytes, std::int64_t) { all.push_back({displacement, bytes}); });
  return all;
}

void PayloadPlaces::write(char* origin, int rank, std::uint32_t version) const {
  const std::uint32_t first_word = payload_word(rank, version, 0);
  each_run([&](std::int64_t displacement, std::int64_t bytes, std::int64_t position) {
    write_run(origin + displacement, position, bytes, first_word);
  });
}

// As a program copies numbers, one by one; a double in one piece.
inline void copy_words(const char* from, char* to, std::int64_t words) {
  if (words == 2) {
    std::memcpy(to, from, 2 * kWordBytes);
    return;
  }
  const int* const source = reinterpret_cast<const int*>(from);
  int* const target = reinterpret_cast<int*>(to);
  for (std::int64_t i = 0; i < words; ++i) target[i] = source[i];
}

// copy(in memory, in the packed bytes, bytes); whole words go one by one, as numbers do in a program.
template <class Words, class Copy>
void PayloadPlaces::each_copy(const char* origin, const Words& words, const Copy& copy) const {
  if (whole_words_ && reinterpret_cast<std::uintptr_t>(origin) % kWordBytes == 0)
    each_run([&](std::int64_t displacement, std::int64_t bytes, std::int64_t position) {
      words(displacement, bytes / kWordBytes, position);
    });
  else
    each_run([&](std::int64_t displacement, std::int64_t bytes, std::int64_t position) {
      copy(displacement, static_cast<std::size_t>(bytes), position);
    });
}

void PayloadPlaces::gather(const char* origin, char* packed) const {
  each_copy(
      origin,
      [&](std::int64_t displacement, std::int64_t words, std::int64_t position) {
        copy_words(origin + displacement, packed + position, words);
      },
      [&](std::int64_t displacement, std::size_t bytes, std::int64_t position) {
        std::memcpy(packed + position, origin + displacement, bytes);
      });
}

void PayloadPlaces::scatter(const char* packed, char* origin) const {
  each_copy(
      origin,
      [&](std::int64_t displacement, std::int64_t words, std::int64_t position) {
        copy_words(packed + position, origin + displacement, words);
      },
      [&](std::int64_t displacement, std::size_t bytes, std::int64_t position) {
        std::memcpy(origin + displacement, packed + position, bytes);
      });
}

}  // namespace gapless::lab
