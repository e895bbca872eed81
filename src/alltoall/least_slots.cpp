// Zero-copy Bruck with the least number of slots: a block that waits for a later round waits wherever the receive
// buffer is not in use yet, too.
//
// Model. Block j with the bits b1 < b2 < ... < bm comes from the send buffer in round b1, waits from round b1 to b2
// (received in the first, sent in the second one: both included, since what a round sends and receives must lie apart),
// ..., and stands from round bm on, for ever, in block j of the receive buffer. So stays are intervals of rounds.
//
// Lower bound. In round k those blocks stand somewhere that have travelled, p - ceil(p / 2^k), one place each, and of
// the |S_k| that travel now also what comes in. There are p places in the receive buffer. Hence at least
//   X*(p) = max(0, max over 1 <= k < q of |S_k| - ceil(p / 2^k))
// slots (q rounds; the own block is copied last, so that its place is of use until then). As |S_k| <= floor(p/2) and
// ceil(p / 2^k) >= 2, it is at most floor(p/2) - 2.
//
// It is enough. Rounds are processed backwards, and each stay is given a place when its last round is met. The places
// taken at that moment are of stays that include this round (a stay that ends later and begins later has been
// released): at most p + X*(p) with this one, so that one of as many places is free, whichever was chosen before. The
// last stays, whose places are prescribed, all reach to the end, so that they are never met by surprise.
//
// Which place. Of 2^q processes: block j, sent in round k, waits where block sigma(j) will be received in round k + 1;
// sigma exchanges the bits k and k + 1. It is injective on the blocks that wait, into those received in round k + 1; so
// after each stay follows another one in the same memory, without a gap, and no two at once. Blocks that travel
// together then keep together in memory: as many pieces as with the parity rule. For other p the rule is followed where
// its place is free.
#include <algorithm>

#include "alltoall/algorithms.hpp"
#include "alltoall/bruck.hpp"
#include "alltoall/free_places.hpp"

namespace gapless::alltoall {
namespace {

int sigma(int block, int round) noexcept {
  const int differ = (block >> round ^ block >> (round + 1)) & 1;
  return block ^ (differ << round | differ << (round + 1));
}

}  // namespace

int least_number_of_slots(int processes) {
  int least = 0;
  for (int round = 1; round < rounds_of(processes); ++round) {
    const std::int64_t run = std::int64_t{1} << round, rest = processes % (2 * run);
    const std::int64_t travel = processes / (2 * run) * run + std::max<std::int64_t>(0, rest - run);
    const std::int64_t waiting_to_travel = (processes + run - 1) / run;
    least = std::max(least, static_cast<int>(travel - waiting_to_travel));
  }
  return least;
}

Schedule least_slots(int processes) {
  const int rounds = rounds_of(processes), slots = least_number_of_slots(processes);
  Schedule schedule{.processes = processes, .slots = slots, .steps = {}};
  schedule.steps.resize(static_cast<std::size_t>(rounds));

  // Places are numbers here: j < p is block j of the receive buffer, p + s is slot s.
  const auto place_of = [processes](int number) {
    return number < processes ? Place{Buffer::kReceive, number} : Place{Buffer::kSlot, number - processes};
  };
  FreePlaces free(processes + slots);
  free.release(0);
  for (int slot = slots; slot-- > 0;) free.release(processes + slot);
  std::vector<int> place(static_cast<std::size_t>(processes));  // of each block after the round
  for (int j = 0; j < processes; ++j) place[static_cast<std::size_t>(j)] = j;
  std::vector<int> received_later(place.size(), -1);  // where each block is received in the round after

  for (int round = rounds; round-- > 0;) {
    const std::vector<int> blocks = travelling(processes, round);
    std::vector<int> before(blocks.size(), -1);
    const auto must_wait = [&](std::size_t i) { return before[i] < 0 && has_travelled(blocks[i], round); };
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const int other = sigma(blocks[i], round);
      const int preferred = must_wait(i) && other < processes ? received_later[static_cast<std::size_t>(other)] : -1;
      if (preferred >= 0 && free.take(preferred)) before[i] = preferred;
    }
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (must_wait(i)) before[i] = free.take_any();

    Message message{.distance = processes - (1 << round), .blocks = {}};
    std::fill(received_later.begin(), received_later.end(), -1);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto j = static_cast<std::size_t>(blocks[i]);
      message.blocks.push_back(
          {blocks[i], before[i] < 0 ? Place{Buffer::kSend, opposite(blocks[i], processes)} : place_of(before[i]),
           place_of(place[j])});
      received_later[j] = place[j];
    }
    for (std::size_t i = blocks.size(); i-- > 0;) {
      free.release(place[static_cast<std::size_t>(blocks[i])]);
      place[static_cast<std::size_t>(blocks[i])] = before[i];
    }
    schedule.steps[static_cast<std::size_t>(round)].messages.push_back(std::move(message));
  }
  copy_own(schedule);
  return schedule;
}

}  // namespace gapless::alltoall
