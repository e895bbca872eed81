// The rough cost of steps in moves of a vector or less, about a cycle each. For comparing plans of the same work, not
// for predicting times.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "plan/joint.hpp"
#include "plan/step.hpp"

namespace gapless::plan {

// In moves.
struct Rates {
  double call = 20, rows_call = 80;     // a kernel's call; one amid others like it, whose loops are not learnt
  double pass = 20;                     // of a pattern: a pass's call for a tile
  double pattern_move = 1;              // one of its moves
  double long_run = 5, long_move = 1;   // of a pattern
  double one_run = 25, copied = 1;      // a run that is a step of its own: a call of the C library
  double short_row = 5, long_row = 20;  // at the end of a long one the processor guesses wrong
  double move = 1;                      // in a row
  double looked_up_move = 1.4;          // whose places are
  double far_move = 4;                  // narrow, too, of which four repetitions are too far apart to be read ahead
  double listed = 1, listed_run = 3, listed_move = 1;
  double shuffled = 1;         // 16 bytes packed by shuffles
  double shuffled_line = 1.5;  // what each line takes that they read
  double scattered = 1.6;      // 16 bytes unpacked by masked stores
};
// Fitted to `gapless bench copy` on Zen 4.
inline constexpr Rates kCopied{};
// Fitted to messages of random types, in the first cache, on Zen 4: 0.18 ns a move.
inline constexpr Rates kRepeated{.call = 33,
                                 .pass = 29,
                                 .pattern_move = 2,
                                 .long_run = 4.7,
                                 .long_move = 1.2,
                                 .one_run = 25,
                                 .copied = 1.2,
                                 .short_row = 1.7,
                                 .long_row = 1.7,
                                 .listed = 0.7,
                                 .listed_run = 7.7,
                                 .listed_move = 0.3,
                                 .shuffled = 0.5,
                                 .shuffled_line = 0.8,
                                 .scattered = 1.4};

// Caches the costs of steps, which are shared; they must outlive it.
class Costs {
 public:
  explicit Costs(const Rates& rates = kCopied) : rates_(rates) {}
  double pack(const Step& step) { return of(step, true); }
  double unpack(const Step& step) { return of(step, false); }
  double of(const Joint& step);
  // The cost of `count` copies of a step, `stride` bytes apart.
  double loop(const Step& body, std::int64_t count, std::int64_t stride, bool packs);
  // The cost of `count` elements in their folded form.
  double folded(const FoldedSteps& folded, std::int64_t count, bool packs);

 private:
  double of(const Step& step, bool packs);
  double side(const Step& step, bool packs);
  double nest(const Step& step, std::int64_t rows, bool packs);

  const Rates& rates_;
  std::unordered_map<const Step*, double> known_[2];
};

// The cost of one row of a nest among others.
double row_cost(const Step& nest);
// Gives a step its pattern, with the least number of repetitions and the largest stride for which it takes less than
// `steps`, the cost of one repetition without it. No pattern if it never does.
void set_pattern(Step& step, std::shared_ptr<const RunPattern> pattern, double steps);

}  // namespace gapless::plan
