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

// True if such a call on a communicator whose members are all on this node (Members::near) may bring headers.
bool may_bring_headers() noexcept;

class BlockMessages {
 public:
  // `numbers`: of all members (Members::numbers); `targets`: the member that each block goes to. Both live longer than
  // the call.
  BlockMessages(Procedure procedure, const int* numbers, std::span<const int> targets) noexcept
      : procedure_(procedure), numbers_(numbers), targets_(targets) {}

  // True if some block is to go as a message; send() does nothing unless this was asked.
  bool may_send(std::span<const Piece> sent) noexcept;
  void send_nothing() noexcept { sends_ = false; }
  // True if some block may come as one.
  static bool may_receive(std::span<const Piece> received) noexcept;
  // Of blocks that the library is to put where their types say: if a header that comes there could not be put together
  // again, no more are sent to this process. False: some is on its way.
  static bool may_leave(std::span<const Piece> received) noexcept;

  // Packs block `k` into shared memory, and writes its header to where the library reads. False: the library is to get
  // the data.
  bool send(const Piece& piece, std::size_t k, char* to_library) noexcept;
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
