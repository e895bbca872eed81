// Packs and unpacks short blocks that are close to each other: if gaps are shorter than a line, every line of the row
// holds data, so the gaps may be read, and whole vectors be loaded and shuffled together. Each function packs the first
// blocks of a row and returns how many; it reads up to the end of the row, `count` blocks, and never beyond.
#pragma once

#include "kernel/generic/bytes.hpp"

namespace gapless::kernel::generic {

using Words [[gnu::vector_size(16)]] = std::int32_t;

GAPLESS_INLINE Words load_words(const char* src) {
  Words words;
  std::memcpy(&words, src, sizeof words);
  return words;
}

GAPLESS_INLINE void store_words(char* dst, Words words) {
  std::memcpy(dst, &words, sizeof words);
}

// Words a..d of the eight that two vectors hold.
template <int a, int b, int c, int d>
GAPLESS_INLINE Words shuffled(Words low, Words high) {
#if defined(__clang__)
  return __builtin_shufflevector(low, high, a, b, c, d);
#else
  return __builtin_shuffle(low, high, Words{a, b, c, d});
#endif
}

// Four blocks of 12 bytes are three vectors. A load also reads the word after its block, so the last block is left.
GAPLESS_INLINE std::int64_t close_pack12(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                         std::int64_t stride) {
  std::int64_t done = 0;
  for (; done + 4 < count; done += 4, dst += 48, src += 4 * stride) {
    const Words first = load_words(src), second = load_words(src + stride), third = load_words(src + 2 * stride),
                fourth = load_words(src + 3 * stride);
    store_words(dst, shuffled<0, 1, 2, 4>(first, second));
    store_words(dst + 16, shuffled<1, 2, 4, 5>(second, third));
    store_words(dst + 32, shuffled<2, 4, 5, 6>(third, fourth));
  }
  return done;
}

// Single words at the two strides that shuffles of four words handle.
GAPLESS_INLINE std::int64_t close_pack4(char* __restrict__ dst, const char* __restrict__ src, std::int64_t count,
                                        std::int64_t stride) {
  std::int64_t done = 0;
  if (stride == 8) {
    for (; done + 4 < count; done += 4, dst += 16, src += 32)
      store_words(dst, shuffled<0, 2, 4, 6>(load_words(src), load_words(src + 16)));
  } else if (stride == 12) {
    for (; done + 4 < count; done += 4, dst += 16, src += 48) {
      const Words ends = shuffled<0, 3, 0, 3>(load_words(src), load_words(src));
      const Words rest = shuffled<2, 5, 2, 5>(load_words(src + 16), load_words(src + 32));
      store_words(dst, shuffled<0, 1, 4, 5>(ends, rest));
    }
  }
  return done;
}

// How a vector of kLanes words is made from kEach repetitions of kWords words.
template <std::int64_t kLanes, std::int64_t kWords>
struct Shuffle {
  static constexpr std::int64_t kEach = kLanes / kWords;

  GAPLESS_INLINE Shuffle(const std::int32_t* words, std::int64_t count, std::int64_t stride) {
    const std::int64_t last = words[kWords - 1] + (kEach - 1) * (stride / 4);
    windows = last / kLanes + 1;
    // The windows of the last vector must not extend past the row.
    const std::int64_t readable = (count - 1) * stride + 4 * (words[kWords - 1] + 1) - windows * kLanes * 4;
    if (readable >= 0 && count > kEach) vectors = least(readable / (kEach * stride), (count - 1) / kEach - 1) + 1;
  }

  std::int64_t windows;      // vectors of user memory that hold the words of one packed vector
  std::int64_t vectors = 0;  // packed vectors that may be made in this way
};

// The repetition of kWords words that lane `lane` belongs to.
template <std::int64_t kWords>
constexpr std::int32_t repetition(int lane) {
  return static_cast<std::int32_t>(lane / kWords);
}

// The words of a block of 4 or 8 bytes.
template <std::int64_t kWords>
struct FirstWords {
  alignas(kLine) std::int32_t of[kMaxWords];
  constexpr FirstWords() : of() {
    for (int i = 0; i < kMaxWords; ++i) of[i] = static_cast<std::int32_t>(i % kWords);
  }
};

// Packs repetitions of the given kWords words of user memory, `stride` bytes apart.
template <class M, std::int64_t kWords>
GAPLESS_INLINE std::int64_t shuffle_words(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                          std::int64_t stride) {
  // Repetitions at one address, or backwards, do not form consecutive vectors.
  if (count < kMinShuffled || stride <= 0 || stride % 4 != 0) return 0;
  // No gap, inside a repetition or after it, may contain a whole line.
  for (std::int64_t i = 1; i < kWords; ++i)
    if (words[i] - words[i - 1] > kLine / 4) return 0;
  if (stride / 4 + words[0] - words[kWords - 1] > kLine / 4) return 0;
  return M::template shuffle<kWords>(dst, src, words, count, stride);
}

template <class M, std::int64_t kBlock>
GAPLESS_INLINE std::int64_t close_pack(char* dst, const char* src, std::int64_t count, std::int64_t stride) {
  if (!is_close(kBlock, stride)) return 0;
  if constexpr (kBlock == 12)
    return close_pack12(dst, src, count, stride);
  else if constexpr (kBlock == 4 || kBlock == 8)
    return shuffle_words<M, kBlock / 4>(dst, src, M::template kFirstWords<kBlock / 4>.of, count, stride);
  else
    return 0;
}

// True if the machine has masked stores of words.
template <class M>
inline constexpr bool kScatters = requires(char* dst) { M::template scatter<1>(dst, dst, nullptr, 0, 0); };

// Unpacks them, if it has: exactly the words of the runs are written.
template <class M, std::int64_t kWords>
GAPLESS_INLINE std::int64_t scatter_words(char* dst, const char* src, const std::int32_t* words, std::int64_t count,
                                          std::int64_t stride) {
  if constexpr (kScatters<M>) {
    // The words of a repetition must come after those of the one before.
    if (count < kMinShuffled || stride % 4 != 0 || stride / 4 <= words[kWords - 1] - words[0]) return 0;
    return M::template scatter<kWords>(dst, src, words, count, stride);
  }
  return 0;
}

template <class M, std::int64_t kBlock>
GAPLESS_INLINE std::int64_t close_unpack(char* dst, const char* src, std::int64_t count, std::int64_t stride) {
  if constexpr (kBlock == 4 || kBlock == 8) {
    if (is_close(kBlock, stride))
      return scatter_words<M, kBlock / 4>(dst, src, M::template kFirstWords<kBlock / 4>.of, count, stride);
  }
  return 0;
}

}  // namespace gapless::kernel::generic
