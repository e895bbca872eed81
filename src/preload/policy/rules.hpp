// Where packing is measured to be faster than the library's own way with a derived type: one decision for each kind of
// operation, distance and shape, by the bytes of the message and the mean length of its runs. Read from text
// (docs/tuning.md), looked up without a loop. Nothing here knows MPI, and nothing throws.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace gapless::preload {

enum class Operation {
  kSend,
  kReceive,
  kIsend,
  kIreceive,
  kPack,
  kUnpack,
  kExchangeReady,  // a side of a w-collective: all its messages together, where the other side lies ready
  kExchange,       // where it does not
  kWrite,          // to and from files
  kRead,
  kPaired,   // sent from point to point through memory that both processes share, in place of what else is decided
  kIpaired,  // the same of nonblocking and persistent sends
};
inline constexpr const char* kOperationWords[] = {"send",  "receive", "isend",          "ireceive",
                                                  "pack",  "unpack",  "exchange-ready", "exchange",
                                                  "write", "read",    "paired",         "ipaired"};
inline constexpr int kOperations = sizeof kOperationWords / sizeof kOperationWords[0];

// To the peer. kAny if there is none, or nothing is known of it.
enum class Distance { kNear, kFar, kAny };
inline constexpr const char* kDistanceWords[] = {"near", "far", "any"};
inline constexpr int kDistances = 3;

// What the library sees is the program's own constructors, and their shape decides how it goes through them.
enum class Shape {
  kVector,    // one level of blocks at a constant stride
  kNest,      // several levels
  kList,      // lists of blocks, structs, distributed arrays
  kElements,  // whatever the type, many small elements of it
};
inline constexpr const char* kShapeWords[] = {"vector", "nest", "list", "elements"};
inline constexpr int kShapes = 4;

// Sizes by half octaves: 2^k to 1.5 x 2^k - 1, and 1.5 x 2^k to 2^(k+1) - 1. What lies beyond an end belongs to it.
constexpr int half_octave(std::int64_t bytes, int first_power, int classes) noexcept {
  if (bytes < std::int64_t{1} << first_power) return 0;
  const int power = std::bit_width(static_cast<std::uint64_t>(bytes)) - 1;
  const int number = 2 * (power - first_power) + static_cast<int>(bytes >> (power - 1) & 1);
  return number < classes ? number : classes - 1;
}
constexpr std::int64_t half_octave_begins(int number, int first_power) noexcept {
  const std::int64_t power = std::int64_t{1} << (first_power + number / 2);
  return number % 2 == 0 ? power : power + power / 2;
}
inline constexpr int kRunClasses = 32, kFirstRunPower = 2;          // 4 B to 128 KB
inline constexpr int kMessageClasses = 36, kFirstMessagePower = 5;  // 32 B to 8 MB
constexpr int run_class(std::int64_t mean_run_bytes) noexcept {
  return half_octave(mean_run_bytes, kFirstRunPower, kRunClasses);
}
constexpr int message_class(std::int64_t bytes) noexcept {
  return half_octave(bytes, kFirstMessagePower, kMessageClasses);
}

enum class Verdict : unsigned char {
  kNative,
  kPacked,
  kPackedPast,  // past the caches, because another core is going to read it (move/past.hpp)
};

// For each class of messages, a bit of each kind for each class of runs.
class Table {
 public:
  struct Bits {
    std::uint32_t packed = 0, past = 0;
    bool operator==(const Bits&) const = default;
  };
  Verdict verdict(std::int64_t bytes, std::int64_t mean_run_bytes) const noexcept {
    const Bits& bits = bits_[static_cast<std::size_t>(message_class(bytes))];
    const int run = run_class(mean_run_bytes);
    return static_cast<Verdict>((bits.packed >> run & 1) + (bits.past >> run & 1));
  }
  bool packs(std::int64_t bytes, std::int64_t mean_run_bytes) const noexcept {
    return verdict(bytes, mean_run_bytes) != Verdict::kNative;
  }
  // A set bit of `past` needs that of `packed`.
  void set(int message, Bits bits) noexcept { bits_[static_cast<std::size_t>(message)] = bits; }
  bool operator==(const Table&) const = default;

 private:
  std::array<Bits, kMessageClasses> bits_{};
};

inline constexpr std::int64_t kNeverPaired = INT64_MAX;

// [bytes] Of the messages within a node that a sender packs, those that it describes as two pieces of memory
// (transfer/two_pieces.hpp). Of none: to < from.
struct Split {
  std::int64_t from = 0, to = -1;
  bool has(std::int64_t bytes) const noexcept { return from <= bytes && bytes <= to; }
  bool operator==(const Split&) const = default;
};

struct Rules {
  // [bytes] Of the messages from point to point that go through shared memory, if their table says so, too. Receivers
  // must know it: where it is kNeverPaired, they do not look.
  std::int64_t smallest_paired = 16 << 10;
  Split split;
  const Table& table(Operation operation, Distance distance, Shape shape) const noexcept {
    return tables[static_cast<int>(operation)][static_cast<int>(distance)][static_cast<int>(shape)];
  }
  Table tables[kOperations][kDistances][kShapes];
  bool operator==(const Rules&) const = default;
};

inline constexpr int kRulesVersion = 1;

// The outcome of reading a text of rules: taken, or where and why not.
struct Reading {
  enum class Outcome {
    kTaken,
    kForeign,  // a valid text without a section for this library and processor
    kWrong,
  };
  Outcome outcome = Outcome::kWrong;
  int line = 0;                        // where it is wrong; 0: nowhere in particular
  const char* reason = "it is empty";  // a constant
};

// What a section of rules must fit.
struct Here {
  std::string_view library;  // the first line of MPI_Get_library_version
  std::string_view vendor;   // kernel::ProcessorVendor
};

// Overrides `rules` by the first section that fits. They stay as they are unless the whole text, the other sections
// too, is valid.
Reading read_rules(std::string_view text, const Here& here, Rules& rules) noexcept;

// The name of a library's file of rules, without its ending: the first line of MPI_Get_library_version up to a comma,
// in small letters and digits, '-' for all between them. Returns its length; 0 if there is no name.
inline constexpr int kMaxRulesNameLength = 64;
int rules_name(std::string_view library, char (&name)[kMaxRulesNameLength + 1]) noexcept;

}  // namespace gapless::preload
