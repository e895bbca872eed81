// A channel: the letterboxes by which the members of one communicator on this node tell each other of messages, one for
// each ordered pair. In a letterbox lies one letter at a time, so that who writes the next waits until the last was
// read: within a collective operation it may, for what the reader has to read belongs to an operation before.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "wire/message.hpp"
#include "wire/segment.hpp"

namespace gapless::wire {

struct Letter {
  Ticket ticket;
  std::uint32_t word = 0;  // its meaning is the caller's
};

// Shared by two processes: `posted` is the writer's, `taken` the reader's.
struct Letterbox {
  alignas(64) Word posted;
  Letter letter;
  alignas(64) Word taken;
};

// [bytes] of the letterboxes of so many processes.
constexpr std::int64_t bytes_of_channel(std::int64_t processes) noexcept {
  return 64 + processes * processes * static_cast<std::int64_t>(sizeof(Letterbox));
}

// A process's end of a channel. Its members are numbered as in the communicator.
class Channel {
 public:
  // Takes a channel that nobody has, for `members` processes, and empties it. Returns its number, or -1: none is left,
  // or no memory.
  static int take(Segment& segment, int members) noexcept;
  // nullptr: no memory. Then the others' ends stay, and no other communicator gets this number.
  static std::unique_ptr<Channel> open(Segment& segment, int number, int self, int members) noexcept;
  // The last member's gives the number back.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Writes a letter; false, and nothing is written, while the one before it has not been read.
  bool post(int to, const Letter& letter) noexcept;
  // Reads the next letter from this member, if it has come.
  bool fetch(int from, Letter& letter) noexcept;

 private:
  Channel(Segment& segment, char* room, int number, int self, int members);
  Letterbox& box(int from, int to) noexcept { return boxes_[from * members_ + to]; }

  Segment& segment_;
  Word& users_;  // members that have not closed their ends
  Letterbox* boxes_;
  int number_, self_, members_;
  std::vector<std::uint32_t> posted_, taken_;  // letters to and from each member
};

}  // namespace gapless::wire
