// The blocks of a nonblocking v- or w-call that go through shared memory as messages do (paired/sender.hpp): each is
// packed in the call, and the library carries a header in its place. So nobody waits for anybody, and which block goes
// where is the library's to know. A sender decides by itself, for each block, and what it cannot pack goes as ever: the
// receiver gives the library room for the data, and looks if a header came. That the library gets fewer bytes than it
// has room for is no error of these procedures in any library known: each block is a message to them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi/abi/abi.hpp"
#include "preload/collectives/pieces.hpp"
#include "preload/paired/sender.hpp"
#include "preload/procedures.hpp"
#include "preload/stats/counters.hpp"

namespace gapless::preload {

// True if such calls may bring headers.
bool may_bring_headers() noexcept;
// Of calls that any process may send some in: false where the process has loaded a library of collectives to which a
// block is more than a message (HCOLL, UCC, to which Open MPI leaves MPI_Ialltoallv).
bool are_blocks_messages() noexcept;

class BlockMessages {
 public:
  // `numbers`: of all members, on this node (Members::numbers); nullptr: nothing is sent. `targets`: the member that
  // each block goes to. Both live longer than the call.
  BlockMessages(Procedure procedure, const int* numbers, std::span<const int> targets) noexcept
      : procedure_(procedure), numbers_(numbers), targets_(targets) {}

  // True if some blocks are to go as messages, and are most of the data, or `staged` as they are; send() does nothing
  // unless this was true.
  bool may_send(std::span<const Piece> sent, bool staged) noexcept;
  // True if some block may come as one.
  static bool may_receive(std::span<const Piece> received) noexcept;
  // Of blocks that the library is to put where their types say: no more headers are sent to this process if it alone
  // can read them there, for that is slow.
  static void leave(std::span<const Piece> received) noexcept;

  // Packs block `k` into shared memory, and writes its header to where the library reads. Returns how many bytes of it
  // the library is to get; 0: it is to get the data.
  int send(const Piece& piece, std::size_t k, char* to_library) noexcept;
  // The library's call failed.
  void withdraw() noexcept;
  // Unpacks a block of which a header came to where the library wrote, by bytes; or (nullptr) where its type says.
  // False: it is data.
  bool receive(const Piece& piece, const char* from_library) noexcept;
  // When all are received: counts and logs them; and their error class.
  void count() const noexcept;
  int error() const noexcept { return error_; }

 private:
  int receiver_of(const Piece& piece, std::size_t k) const noexcept;

  const Procedure procedure_;
  const int* const numbers_;
  const std::span<const int> targets_;
  std::vector<std::unique_ptr<PairedSend>> sent_;  // until the operation completes
  Paired moved_;
  bool sends_ = false;
  int error_ = MPI_SUCCESS;
};

}  // namespace gapless::preload
