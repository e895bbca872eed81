#include "wire/channels.hpp"

#include <new>

namespace gapless::wire {

namespace {

constexpr int kWordBits = 64;

}  // namespace

int Channel::take(Segment& segment, int members) noexcept {
  if (members > segment.processes()) return -1;
  std::atomic<std::uint64_t>* const taken = segment.channels_taken();
  for (int number = 0; number < Segment::kChannels; ++number) {
    const std::uint64_t bit = std::uint64_t{1} << (number % kWordBits);
    if ((taken[number / kWordBits].fetch_or(bit, std::memory_order_acquire) & bit) != 0) continue;
    const std::int64_t bytes = bytes_of_channel(members);
    const bool grown = segment.grow_channel(number, bytes);
    char* const room = grown ? segment.open_channel(number, bytes) : nullptr;
    if (room == nullptr) {
      if (grown) segment.shrink_channel(number, bytes);
      taken[number / kWordBits].fetch_and(~bit, std::memory_order_release);
      return -1;
    }
    new (room) Word(static_cast<std::uint32_t>(members));
    for (int k = 0; k < members * members; ++k) {
      new (room + 64 + k * static_cast<std::int64_t>(sizeof(Letterbox))) Letterbox{};
    }
    return number;
  }
  return -1;
}

Channel::Channel(Segment& segment, char* room, int number, int self, int members)
    : segment_(segment),
      users_(*reinterpret_cast<Word*>(room)),
      boxes_(reinterpret_cast<Letterbox*>(room + 64)),
      number_(number),
      self_(self),
      members_(members),
      posted_(static_cast<std::size_t>(members), 0),
      taken_(static_cast<std::size_t>(members), 0) {}

std::unique_ptr<Channel> Channel::open(Segment& segment, int number, int self, int members) noexcept {
  char* const room = segment.open_channel(number, bytes_of_channel(members));
  if (room == nullptr) return nullptr;
  try {
    return std::unique_ptr<Channel>(new Channel(segment, room, number, self, members));
  } catch (...) {
    return nullptr;
  }
}

Channel::~Channel() {
  // What a thread remembers of communicators ends in a child of fork, too.
  if (!segment_.is_mapped_here() || users_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  segment_.shrink_channel(number_, bytes_of_channel(members_));
  const std::uint64_t bit = std::uint64_t{1} << (number_ % kWordBits);
  segment_.channels_taken()[number_ / kWordBits].fetch_and(~bit, std::memory_order_release);
}

bool Channel::post(int to, const Letter& letter) noexcept {
  Letterbox& box = this->box(self_, to);
  std::uint32_t& posted = posted_[static_cast<std::size_t>(to)];
  if (box.taken.load(std::memory_order_acquire) != posted) return false;
  box.letter = letter;
  box.posted.store(++posted, std::memory_order_release);
  return true;
}

bool Channel::fetch(int from, Letter& letter) noexcept {
  Letterbox& box = this->box(from, self_);
  std::uint32_t& taken = taken_[static_cast<std::size_t>(from)];
  if (box.posted.load(std::memory_order_acquire) == taken) return false;
  letter = box.letter;
  box.taken.store(++taken, std::memory_order_release);
  return true;
}

}  // namespace gapless::wire
