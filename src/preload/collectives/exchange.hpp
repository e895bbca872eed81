// The blocks of one collective call that go from process to process of this node through shared memory, not through the
// library: each packed once by its sender, and unpacked by whoever it is for while it comes.
//
// For each block that both ends know to be long enough there is a letter from sender to receiver (wire/channels.hpp):
// the message's ticket, or that the library is to bring it. So a sender decides by itself, and who receives takes part
// in any case. A process waits for others here as it may in any collective call, and lets the library progress
// meanwhile; a sender waits for its receivers only to find its warm chunks again, and not for long.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "preload/collectives/pieces.hpp"
#include "preload/collectives/room.hpp"
#include "preload/policy/near.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/procedures.hpp"
#include "wire/message.hpp"
#include "wire/wait.hpp"

namespace gapless::preload {

class Exchange {
 public:
  Exchange(Procedure procedure, const Near& near, int rank) noexcept
      : procedure_(procedure), near_(near), rank_(rank), shared_(*shared_memory()) {}
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();

  // How a sender wants a block to go.
  enum class Wish { kByLibrary, kEither, kPaired };

  // Before settle(). Add a block for these members, each as often as it is to receive it, one that comes from a member,
  // and one that this process gives to itself; the library has to bring that if it packs or unpacks it. Return false
  // without memory.
  bool send(const Piece& piece, std::span<const int> to, Wish wish) noexcept;
  bool receive(const Piece& piece, int from) noexcept;
  bool copy(const Piece& from, const Piece& to) noexcept;

  // Before settle(), where all blocks must go one way: by the library, unless none that is sent has to.
  void all_or_none() noexcept;

  // Posts the letters, and reads those that are for this process. Returns false if another process has ended; what is
  // the matter then is not decided here.
  bool settle() noexcept;
  // Packs all that is sent, and unpacks what comes meanwhile. Waits for nobody.
  void run_sends() noexcept;
  // Unpacks the rest. Returns false as settle() does.
  bool finish() noexcept;

  // After settle(): calls found(piece) for each block that goes through shared memory; true if all do.
  template <class Found>
  void for_each_sent(Found&& found) const {
    for (const Sent& block : sent_) {
      if (block.is_paired) found(*block.piece);
    }
  }
  template <class Found>
  void for_each_received(Found&& found) const {
    for (const Received& block : received_) {
      if (block.is_paired) found(*block.piece);
    }
  }
  template <class Found>
  void for_each_copied(Found&& found) const {
    for (const Copy& block : copies_) found(*block.from, *block.to);
  }
  // Calls sent(member, paired) and received(member, paired) for each block that goes to one member, or came from one.
  template <class Sent, class Received>
  void for_each_answer(Sent&& sent, Received&& received) const {
    for (const auto& block : sent_) sent(targets_[block.first], block.is_paired);
    for (const auto& block : received_) received(block.from, block.is_paired);
  }
  bool takes_all() const noexcept;
  // True if all that is sent does; before settle(), where it is not decided for all, too.
  bool takes_all_sent() const noexcept;
  // True if any sender wished it, this process or another one.
  bool is_wished() const noexcept { return wished_; }
  // For one that decides for others by letters of their own; and for those.
  bool tell(std::span<const int> members, bool paired) noexcept;
  bool is_told(int by, bool& paired) noexcept;
  // Leaves all to the library: nothing was packed yet.
  void leave() noexcept;
  std::int64_t bytes() const noexcept;
  // Counts and logs what goes through shared memory, and why what could have gone does not.
  void count() const noexcept;
  // True if a sender's message and the receiver's block differ in size: an error of the program.
  bool differs() const noexcept { return differs_; }

 private:
  using Segment = wire::Segment;
  struct Sent {
    const Piece* piece;
    bool is_paired = false;
    wire::Outgoing<Segment> message;     // none, which is done, if there are no bytes or the library gets them
    std::size_t first = 0, readers = 0;  // where the members that it goes to are among targets_
    Reason left = Reason::kNone;         // why it was left to the library at once
  };
  struct Copy {
    const Piece *from, *to;
  };
  struct Post {
    int to;
    wire::Letter letter;
  };
  struct Received {
    const Piece* piece;
    int from;
    bool is_read = false, is_paired = false;
    wire::Incoming<Segment> message;  // as above
    Room whole;                       // of a block that the library unpacks
  };
  void lend(Sent& block) noexcept;
  bool begin_receive(Received& block, const wire::Letter& letter) noexcept;
  bool advance_receives(int& waited_for) noexcept;
  bool advance_sends(bool patience) noexcept;

  const Procedure procedure_;
  const Near& near_;
  const int rank_;  // in the communicator
  SharedMemory& shared_;
  std::vector<Sent> sent_;
  std::vector<int> targets_;
  std::vector<Post> posts_;
  std::list<Received> received_;
  std::vector<Copy> copies_;
  Room strip_;  // for those
  bool differs_ = false, wished_ = false, copies_all_ = true;
};

}  // namespace gapless::preload
