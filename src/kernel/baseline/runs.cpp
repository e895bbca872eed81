#include <cstddef>
#include <cstring>

#include "kernel/baseline/baseline.hpp"

namespace gapless::kernel::baseline {
namespace {

// Short runs are moved by two words of one width, which overlap where the length lies between two widths: no byte
// outside the run is touched, and a branch on the width is cheaper than a call.
template <class Word>
inline void two_words(char* dst, const char* src, std::size_t bytes) {
  Word head, tail;
  std::memcpy(&head, src, sizeof(Word));
  std::memcpy(&tail, src + bytes - sizeof(Word), sizeof(Word));
  std::memcpy(dst, &head, sizeof(Word));
  std::memcpy(dst + bytes - sizeof(Word), &tail, sizeof(Word));
}

struct Pair {
  std::uint64_t words[2];
};

inline void run(char* __restrict__ dst, const char* __restrict__ src, std::size_t bytes) {
  if (bytes > 32)
    std::memcpy(dst, src, bytes);
  else if (bytes >= 16)
    two_words<Pair>(dst, src, bytes);
  else if (bytes >= 8)
    two_words<std::uint64_t>(dst, src, bytes);
  else if (bytes >= 4)
    two_words<std::uint32_t>(dst, src, bytes);
  else if (bytes >= 2)
    two_words<std::uint16_t>(dst, src, bytes);
  else
    *dst = *src;
}

template <class Offset, class Length>
void gather(char* __restrict__ dst, const char* __restrict__ src, List offsets, List lengths, std::int64_t first,
            std::int64_t count) noexcept {
  const Offset* offset = static_cast<const Offset*>(offsets.raw) + first;
  const Length* length = static_cast<const Length*>(lengths.raw) + first;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t bytes = length[i] * lengths.scale;
    run(dst, src + offset[i] * offsets.scale, static_cast<std::size_t>(bytes));
    dst += bytes;
  }
}

template <class Offset, class Length>
void scatter(char* __restrict__ dst, const char* __restrict__ src, List offsets, List lengths, std::int64_t first,
             std::int64_t count) noexcept {
  const Offset* offset = static_cast<const Offset*>(offsets.raw) + first;
  const Length* length = static_cast<const Length*>(lengths.raw) + first;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t bytes = length[i] * lengths.scale;
    run(dst + offset[i] * offsets.scale, src, static_cast<std::size_t>(bytes));
    src += bytes;
  }
}

template <class Offset, class Length>
constexpr RunsKernel runs() {
  return {"scattered_runs", sizeof(Offset), sizeof(Length), gather<Offset, Length>, scatter<Offset, Length>};
}

constexpr RunsKernel kRuns[] = {
    runs<std::int32_t, std::int8_t>(),  runs<std::int32_t, std::int16_t>(), runs<std::int32_t, std::int32_t>(),
    runs<std::int32_t, std::int64_t>(), runs<std::int64_t, std::int8_t>(),  runs<std::int64_t, std::int16_t>(),
    runs<std::int64_t, std::int32_t>(), runs<std::int64_t, std::int64_t>(),
};

}  // namespace

std::span<const RunsKernel> runs_kernels() noexcept {
  return kRuns;
}

}  // namespace gapless::kernel::baseline
