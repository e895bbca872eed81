#include "fabric/layout.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <stdexcept>

namespace gapless::lab::fabric {

std::vector<ByteRun> Layout::expand(const std::vector<Loop>& loops, std::int64_t run_bytes) {
  std::vector<ByteRun> runs{{0, run_bytes}};
  for (const Loop& loop : loops | std::views::reverse) {
    std::vector<ByteRun> made;
    made.reserve(runs.size() * static_cast<std::size_t>(loop.count));
    for (std::int64_t k = 0; k < loop.count; ++k)
      for (const ByteRun& run : runs) made.push_back({run.displacement_bytes + k * loop.stride_bytes, run.bytes});
    runs = std::move(made);
  }
  return runs;
}

Layout::Layout(const std::string& text, const std::vector<Loop>& loops, std::int64_t run_bytes)
    : runs_(expand(loops, run_bytes)), places_(runs_) {
  for (const ByteRun& run : runs_) span_ = std::max(span_, run.displacement_bytes + run.bytes);
  std::int64_t size = 0;
  if (gapless_type_parse(text.c_str(), &type_) != GAPLESS_SUCCESS || gapless_type_commit(type_) != GAPLESS_SUCCESS ||
      gapless_type_size(type_, &size) != GAPLESS_SUCCESS)
    throw std::runtime_error(text + ": " + gapless_last_error());
  if (size != bytes())
    throw std::runtime_error(text + " has " + std::to_string(size) + " bytes, its loops have " +
                             std::to_string(bytes()));
}

Layout::~Layout() {
  gapless_type_free(&type_);
}

std::string Layout::wrong(const char* memory, int rank, std::uint32_t version, char gap) const {
  std::vector<char> expected(static_cast<std::size_t>(span_), gap);
  std::int64_t position = 0;
  for (const ByteRun& run : runs_) {
    for (std::int64_t k = 0; k < run.bytes; ++k, ++position) {
      const std::uint32_t word = payload_word(rank, version, static_cast<std::uint32_t>(position / kWordBytes));
      char bytes[sizeof word];
      std::memcpy(bytes, &word, sizeof word);
      expected[static_cast<std::size_t>(run.displacement_bytes + k)] = bytes[position % kWordBytes];
    }
  }
  const auto [wanted, found] = std::mismatch(expected.begin(), expected.end(), memory);
  if (wanted == expected.end()) return "";
  return "byte " + std::to_string(wanted - expected.begin()) + " of " + std::to_string(span_) + " is " +
         std::to_string(static_cast<unsigned char>(*found)) + " instead of " +
         std::to_string(static_cast<unsigned char>(*wanted));
}

}  // namespace gapless::lab::fabric
