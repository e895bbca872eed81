#include "unit/alltoall_machine.hpp"

#include <algorithm>

namespace gapless::test {
namespace {

using alltoall::Buffer;
using alltoall::Message;
using alltoall::Move;
using alltoall::Place;
using alltoall::Step;

struct Block {
  int from = -1, to = -1;
  friend bool operator==(const Block&, const Block&) = default;
};

class Machine {
 public:
  Machine(const alltoall::Schedule& schedule, bool in_place) : schedule_(schedule), p_(schedule.processes) {
    for (int rank = 0; rank < p_; ++rank) {
      Process process{in_place ? 0 : cells(p_), cells(p_), cells(schedule.slots)};
      std::vector<Block>& mine = in_place ? process.receive : process.send;
      for (int to = 0; to < p_; ++to) mine[cells(to)] = {rank, to};
      processes_.push_back(std::move(process));
    }
  }

  std::string run() {
    for (const Step& step : schedule_.steps) {
      for (int rank = 0; rank < p_; ++rank)
        for (const Move& copy : step.copies) move(rank, copy.from, rank, copy.to, copy.element);
      exchange(step);
      for (int rank = 0; rank < p_; ++rank)
        for (const Move& copy : step.meanwhile) {
          const auto both = {at(rank, copy.from), at(rank, copy.to)};
          for (const Block* block : both)
            if (std::binary_search(used_[cells(rank)].begin(), used_[cells(rank)].end(), block))
              wrong_ = "a copy uses memory of messages on their way";
          move(rank, copy.from, rank, copy.to, copy.element);
        }
      if (!wrong_.empty()) return wrong_;
    }
    for (int rank = 0; rank < p_; ++rank)
      for (int from = 0; from < p_; ++from)
        if (!(processes_[cells(rank)].receive[cells(from)] == Block{from, rank}))
          return "process " + std::to_string(rank) + " has not got its block from " + std::to_string(from);
    return wrong_;
  }

 private:
  struct Process {
    std::vector<Block> send, receive, slots;
    Process(std::size_t sent, std::size_t received, std::size_t slots) : send(sent), receive(received), slots(slots) {}
  };
  static std::size_t cells(int number) { return static_cast<std::size_t>(number); }

  Block* at(int rank, Place place) {
    Process& process = processes_[cells(rank)];
    std::vector<Block>& buffer = place.buffer == Buffer::kSend   ? process.send
                                 : place.buffer == Buffer::kSlot ? process.slots
                                                                 : process.receive;
    const int index = alltoall::block_index(place, rank, p_);
    if (index < 0 || cells(index) >= buffer.size()) {
      wrong_ = "block " + std::to_string(index) + " is outside its buffer";
      return nullptr;
    }
    return &buffer[cells(index)];
  }

  // The element says how far the block travels in all, in one direction or in the other: the same for all blocks.
  bool is_element(Block block, int element) {
    const int up = (block.to - block.from + p_) % p_, down = (p_ - up) % p_;
    can_be_up_ = can_be_up_ && up == element;
    can_be_down_ = can_be_down_ && down == element;
    return can_be_up_ || can_be_down_;
  }

  void move(int from_rank, Place from, int to_rank, Place to, int element) {
    const Block* source = at(from_rank, from);
    Block* target = at(to_rank, to);
    if (source == nullptr || target == nullptr) return;
    if (to.buffer == Buffer::kSend) wrong_ = "the send buffer is written";
    if (source->from < 0) wrong_ = "block " + std::to_string(element) + " is not there";
    if (!is_element(*source, element)) wrong_ = "not block " + std::to_string(element);
    *target = *source;
  }

  void exchange(const Step& step) {
    struct Sent {
      int rank;
      Place to;
      Block block;
    };
    std::vector<Sent> sent;
    used_.assign(cells(p_), {});
    for (int rank = 0; rank < p_ && wrong_.empty(); ++rank) {
      std::vector<const Block*>& touched = used_[cells(rank)];
      for (const Message& message : step.messages)
        for (const Move& block : message.blocks) {
          const Block* source = at(rank, block.from);
          if (source == nullptr || at(rank, block.to) == nullptr) return;
          if (source->from < 0) wrong_ = "block " + std::to_string(block.element) + " is sent and was not there";
          if (!is_element(*source, block.element)) wrong_ = "sent: not block " + std::to_string(block.element);
          if (block.to.buffer == Buffer::kSend) wrong_ = "received into the send buffer";
          touched.push_back(source);
          touched.push_back(at(rank, block.to));
          sent.push_back({(rank + message.distance) % p_, block.to, *source});
        }
      std::sort(touched.begin(), touched.end());
      if (std::adjacent_find(touched.begin(), touched.end()) != touched.end()) wrong_ = "a round uses memory twice";
    }
    for (const Sent& block : sent) *at(block.rank, block.to) = block.block;
  }

  const alltoall::Schedule& schedule_;
  int p_;
  std::vector<Process> processes_;
  std::vector<std::vector<const Block*>> used_;  // by the messages of a step, on each process
  bool can_be_up_ = true, can_be_down_ = true;
  std::string wrong_;
};

}  // namespace

std::string run_schedule(const alltoall::Schedule& schedule, bool in_place) {
  return Machine(schedule, in_place).run();
}

}  // namespace gapless::test
