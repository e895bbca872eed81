// The data of a message. Rank r writes as its version v the 32-bit words payload_word(r, v, 0), payload_word(r, v, 1),
// ..., so that what arrives is known by arithmetic alone, and data of another version are seen to be stale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gapless::lab {

inline constexpr std::int64_t kWordBytes = 4;

// Odd factors: two versions differ in every word.
constexpr std::uint32_t payload_word(int rank, std::uint32_t version, std::uint32_t word) {
  return (static_cast<std::uint32_t>(rank) + 1) * 1'000'000'007u + version * 0x9e3779b1u + word;
}

struct ByteRun {
  std::int64_t displacement_bytes;
  std::int64_t bytes;
};

// Where a payload lies, said briefly, so that writing it anew touches little memory besides: as a program's own loops
// would, which know their strides.
class PayloadPlaces {
 public:
  // The runs in packing order. They need not be maximal.
  explicit PayloadPlaces(const std::vector<ByteRun>& runs);
  // The payload as one run.
  static PayloadPlaces contiguous(std::int64_t bytes);

  std::int64_t bytes() const { return bytes_; }
  std::int64_t run_count() const;
  // Maximal runs in packing order.
  std::vector<ByteRun> runs() const;

  // Writes the payload of this rank and version. `origin`: displacement 0.
  void write(char* origin, int rank, std::uint32_t version) const;
  // Packing and unpacking by hand: the loops that a scientist would write.
  void gather(const char* origin, char* packed) const;
  void scatter(const char* packed, char* origin) const;

 private:
  // `repetitions` times one run or two, `stride` apart; or, if there is a list, one run at each of its places.
  struct Part {
    std::int64_t first = 0, second = 0;              // displacements
    std::int64_t first_bytes = 0, second_bytes = 0;  // 0: no second run
    std::int64_t stride = 0, repetitions = 1;        // of a list: how many places
    std::size_t list = 0;                            // where its places begin in places_
    bool listed = false;
  };
  static std::int64_t strided(const std::vector<ByteRun>& runs, std::size_t at, std::size_t period);
  // visit(displacement, bytes, position in the payload)
  template <class Visit>
  void each_run(const Visit& visit) const;
  template <class Words, class Copy>
  void each_copy(const char* origin, const Words& words, const Copy& copy) const;

  std::vector<Part> parts_;
  std::vector<std::int32_t> places_;
  std::int64_t bytes_ = 0;
  bool whole_words_ = true;  // each run begins and ends between two words
};

}  // namespace gapless::lab
