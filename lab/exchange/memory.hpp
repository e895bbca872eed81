// The memory of one group and what must be in it. All expectations are arithmetic: the payload of rank r is the bytes
// of the integers payload_value(r, 0), payload_value(r, 1), ... (of r's block for rank k, where each gets its own, that
// of r * ranks + k), and every other byte of a buffer keeps its sentinel.
#pragma once

#include "../bytes.hpp"
#include "job.hpp"
#include "message.hpp"
#include "operation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gapless::lab::exchange {

// All messages of a group share a send buffer and a receive buffer: those of one layout lie at the same addresses.
class Memory {
 public:
  // `capacity`: what a packed message may need. `shared`: where the buffers are to lie, on a cache-line boundary, with
  // room for room_bytes() and longer than this lives; nullptr: in memory of their own.
  Memory(const GroupSpec& group, const std::vector<Message>& messages, Place place, std::size_t capacity,
         char* shared = nullptr);
  // What the buffers of a group take, rounded up to whole cache lines.
  static std::size_t room_bytes(const GroupSpec& group, const std::vector<Message>& messages);

  // Where the message's displacement 0 is; maybe outside of the memory, if its bytes are elsewhere.
  char* send(const Message& message) { return at(user_send_[turn_], message.send); }
  char* receive(const Message& message) { return at(user_receive_[turn_], message.receive); }
  char* packed_send() { return packed_send_.data(); }
  char* packed_receive() { return packed_receive_.data(); }

  // From now on send() and receive() are in the next of several buffers, or in the first ones: where members without
  // buffers of their own have their messages.
  void turn(bool to_next) { turn_ = to_next ? (turn_ + 1) % user_send_.size() : 0; }

  // Throws Refused if the message, whose type map is `maps`, receives a byte twice: MPI forbids that.
  void require_disjoint(const Message& message, const TypeMaps& maps);

  // Before each message: whoever sends gives the data of the message values that they never had, and all others note
  // that it does.
  void write(const Message& message, bool sends);

  // Makes ready for a verified run of such an operation with this message: own payload in all send buffers, what is to
  // be unpacked in the packed one, sentinels everywhere else.
  void reset(const Message& message, const TypeMaps& maps, Operation::Leaves leaves);
  // After it: every byte of both user buffers that it was in, gaps and guards included, and what was packed alone. Says
  // what is wrong, or nothing.
  std::optional<std::string> check(const Message& message, const TypeMaps& maps, Operation::Leaves leaves);

 private:
  static std::int64_t origin(const End& end);
  static char* at(Bytes& memory, const End& end);
  static std::size_t room(const std::vector<Message>& messages, End Message::* end);
  void build_images(const Message& message, const TypeMaps& maps, bool receives);
  void write_blocks(const Message& message, const Runs& runs);
  bool receives(Operation::Leaves leaves) const;
  int sent_payload(int block) const;
  int received_payload(int block) const;

  Pattern pattern_;
  int root_;
  Place place_;
  bool empty_pong_;
  Peers peers_;                                  // of patterns in which each gets a block of its own
  std::vector<Bytes> user_send_, user_receive_;  // several where a member turns from one to the next
  std::size_t turn_ = 0;
  Bytes packed_send_, packed_receive_;
  Bytes send_image_, receive_image_;  // what the user's buffers must hold
  // What the images are of: messages of one layout may still differ in the distance of an allgather's blocks.
  struct Imaged {
    std::string label;
    std::int64_t block_bytes = 0, send_origin = 0, receive_origin = 0;
    std::uint32_t version = 0, own = 0;
    bool receives = true;
    bool operator==(const Imaged&) const = default;
  };
  std::optional<Imaged> imaged_;
  std::uint32_t version_ = 0;  // of the data that were sent last
  std::uint32_t own_ = 0;      // of those in the send buffer
};

// At most so many bytes does a group need on each rank, type maps included. Throws base::Error beyond 64 bits.
std::int64_t memory_bytes(const GroupSpec& group, const std::vector<Message>& messages);

}  // namespace gapless::lab::exchange
