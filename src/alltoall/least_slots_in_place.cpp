// In place, with the least number of slots: floor(p/2).
//
// Lower bound. All blocks stand in the receive buffer at first, so that the floor(p/2) blocks that come in in round 0
// have no place there: what is sent and what is received lie apart.
//
// It is enough. A round that sends n blocks frees n places after it has taken n; the number of blocks never changes, so
// that before each round floor(p/2) places are free, wherever the blocks stand, and no round needs more. What is left
// to choose is who stands where, so that few blocks must be copied to where they belong.
//
// Copies. Block a has its home, block a of the receive buffer, where at first p - a stands, until its first round, the
// lowest set bit of p - a. If a arrives there for good in that round or before (its highest set bit), it cannot be
// received at home, however many slots there are. Such a is p mod 2^h + 2^h for each h with a < p: floor(log2 p) copies
// at least. With floor(p/2) slots this schedule makes more, but at most one of each block.
//
// Choice. A block is received at home if that is free. Else it takes a place whose own block comes later than it
// leaves, the one whose own block comes first; else a slot; else a place whose own block comes as late as can be: that
// one will be copied home. A block that waits to be copied is copied as soon as its home is free.
#include <algorithm>
#include <bit>

#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"
#include "alltoall/free_places.hpp"

namespace gapless::alltoall {
namespace {

int first_round(int block) noexcept {
  return std::countr_zero(static_cast<std::uint32_t>(block));
}
int last_round(int block) noexcept {
  return std::bit_width(static_cast<std::uint32_t>(block)) - 1;
}

// Who stands where. Places are numbers: a < p is block a of the receive buffer, p + s is slot s.
class Blocks {
 public:
  explicit Blocks(int processes)
      : processes_(processes),
        rounds_(rounds_of(processes)),
        free_(processes + processes / 2, rounds_ + 1),
        at_(static_cast<std::size_t>(processes), 0),
        is_astray_(at_.size(), false) {
    for (int j = 1; j < processes; ++j) at_[static_cast<std::size_t>(j)] = opposite(j, processes);
    for (int slot = processes / 2; slot-- > 0;) free(processes + slot);
  }

  Place place_of(int block) const {
    const int number = at_[static_cast<std::size_t>(block)];
    return number < processes_ ? Place{Buffer::kReceive, number} : Place{Buffer::kSlot, number - processes_};
  }

  // Exchanges the blocks, and what it sent from is free afterwards.
  void exchange(const std::vector<int>& blocks, int round, std::vector<Move>& moves) {
    struct Stay {
      int until, block;
    };
    std::vector<Stay> stays;  // those away from home, the shortest ones first
    std::vector<int> to(at_.size(), -1);
    for (const int j : blocks) {
      const bool arrives = last_round(j) == round;
      if (arrives && free_.take(j)) {
        to[static_cast<std::size_t>(j)] = j;
      } else {
        const int home_free = std::max(round, first_round(opposite(j, processes_)));
        stays.push_back({arrives ? home_free : first_round(j >> (round + 1)) + round + 1, j});
      }
    }
    std::stable_sort(stays.begin(), stays.end(), [](Stay a, Stay b) { return a.until < b.until; });
    for (const Stay& stay : stays) to[static_cast<std::size_t>(stay.block)] = take_until(stay.until);

    std::vector<int> left;
    for (const int j : blocks) {
      const auto b = static_cast<std::size_t>(j);
      const Place from = place_of(j);
      left.push_back(at_[b]);
      at_[b] = to[b];
      is_astray_[b] = last_round(j) == round && at_[b] != j;
      moves.push_back({j, from, place_of(j)});
    }
    for (const int place : left) free(place);
    freed_ = std::move(left);
  }

  // Copies home whose home has become free, and so on for what that frees.
  void copy_home(std::vector<Move>& copies) {
    while (!freed_.empty()) {
      const int home = freed_.back();
      freed_.pop_back();
      if (home < processes_ && is_astray_[static_cast<std::size_t>(home)] && free_.take(home)) copy(home, home, copies);
    }
  }

  // After the last round: those that stand in each other's homes, in a circle.
  void open_circles(std::vector<Move>& copies) {
    for (int j = 1; j < processes_; ++j)
      if (is_astray_[static_cast<std::size_t>(j)]) {
        copy(j, take_until(rounds_), copies);
        copy_home(copies);
      }
  }

 private:
  void copy(int block, int to, std::vector<Move>& copies) {
    const auto b = static_cast<std::size_t>(block);
    const Place from = place_of(block);
    freed_.push_back(at_[b]);
    free(at_[b]);
    at_[b] = to;
    is_astray_[b] = to != block;
    copies.push_back({block, from, place_of(block)});
  }

  // The class of a place is the round in which its own block comes; slots are in the last one.
  void free(int place) { free_.release(place, place < processes_ ? last_round(place) : rounds_); }

  int take_until(int round) {
    int place = -1;
    for (int later = round + 1; place < 0 && later < rounds_; ++later) place = free_.take_any(later);
    for (int latest = rounds_; place < 0 && latest >= 0; --latest) place = free_.take_any(latest);
    return place;
  }

  int processes_, rounds_;
  FreePlaces free_;
  std::vector<int> at_;
  std::vector<char> is_astray_;  // has arrived, and not at home
  std::vector<int> freed_;       // since the last copy_home
};

// Calls visit(round, blocks sent, copies before the next round, or at the end) for each.
template <class Visit>
void for_each_round(int processes, Visit visit) {
  const int rounds = rounds_of(processes);
  Blocks blocks(processes);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Move> sent, copies;
    blocks.exchange(travelling(processes, round), round, sent);
    blocks.copy_home(copies);
    if (round + 1 == rounds) blocks.open_circles(copies);
    visit(round, std::move(sent), std::move(copies));
  }
}

}  // namespace

Schedule least_slots_in_place(int processes) {
  const int rounds = rounds_of(processes);
  Schedule schedule{.processes = processes, .slots = processes / 2, .steps = {}};
  schedule.steps.resize(static_cast<std::size_t>(rounds) + (rounds > 0 ? 1 : 0));
  for_each_round(processes, [&](int round, std::vector<Move>&& sent, std::vector<Move>&& copies) {
    schedule.steps[static_cast<std::size_t>(round)].messages.push_back(
        {.distance = processes - (1 << round), .blocks = std::move(sent)});
    schedule.steps[static_cast<std::size_t>(round) + 1].copies = std::move(copies);
  });
  return schedule;
}

std::int64_t copies_of_least_slots_in_place(int processes) {
  std::int64_t all = 0;
  for_each_round(processes, [&](int, const std::vector<Move>&, const std::vector<Move>& copies) {
    for (const Move& copy : copies) all += copy.element != 0 ? 1 : 0;
  });
  return all;
}

}  // namespace gapless::alltoall
