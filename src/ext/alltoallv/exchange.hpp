// An irregular all-to-all with everything bound: blocks, sizes, memory, types, rounds. It may be run any number of
// times, one after the other; a plain call makes one, runs it once, and forgets it.
#pragma once

#include <memory>

#include "alltoall/irregular_model.hpp"
#include "ext/alltoallv/blocks.hpp"
#include "ext/error.hpp"

namespace gapless::ext::irregular {

// Processes of a communicator that is Gapless's own, with MPI_ERRORS_RETURN.
struct Group {
  MPI_Comm comm;
  int rank, size;
  int tag;  // of this exchange alone, as long as it lasts
};

// Both sides. In place, the sending one is the receiving one.
struct Call {
  Group group;
  Blocks sent, received;
  bool is_in_place;
  bool is_persistent = false;
};

class Exchange {
 public:
  virtual ~Exchange() = default;
  // Local: begins what can be begun. Then wait() ends it, with the same calls in the same order on all processes. All
  // rounds are gone through in any case, that nobody waits for this process; the first error of them is returned, not
  // yet raised: MPI_ERR_TRUNCATE if more came from a process than was expected of it.
  virtual int start() noexcept = 0;
  virtual int wait() noexcept = 0;
  // As that of a request (ext/request.hpp).
  virtual bool try_end(int& first) noexcept {
    note(first, wait());
    return true;
  }
  // Of a persistent one: collective, once all processes have made theirs and before the first start(). MPI_SUCCESS or
  // a code.
  virtual int prepare() { return MPI_SUCCESS; }
  // What is known to go wrong before it has run.
  virtual int verdict() const noexcept { return MPI_SUCCESS; }
};

// Collective. `largest`: of all blocks of all processes, for kPadded alone. Throws Raised, Wrong, base::Error.
std::unique_ptr<Exchange> make_exchange(alltoall::irregular::Algorithm algorithm, Call&& call, std::int64_t largest);

// The algorithms, in files of their own.
enum class Way { kZeroCopy, kTwoPhase, kPadded };
std::unique_ptr<Exchange> make_bruck(Way way, Call&& call, std::int64_t largest);
std::unique_ptr<Exchange> make_spread_out(Call&& call);
std::unique_ptr<Exchange> make_pairwise(Call&& call);

// Waits for it, if it was begun. Returns MPI_SUCCESS or its error.
inline int complete(MPI_Request* request, MPI_Status* status) noexcept {
  return *request == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_Wait(request, status);
}

}  // namespace gapless::ext::irregular
