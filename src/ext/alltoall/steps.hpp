// The steps of a schedule on one process, bound to memory: what is copied, and what the library sends and receives.
#pragma once

#include <vector>

#include "ext/alltoall/operation.hpp"
#include "ext/error.hpp"

namespace gapless::ext::regular {

// Of calls that are no requests (private_comm.hpp).
inline constexpr int kCallTag = 0;

// When a step's only receive is posted: a call that may block needs no request for it; where the program may do
// anything else before it waits, it must be on its way at once. Those of several are always.
enum class Receives { kInEnd, kInBegin };

class Step {
 public:
  Step(Operation& operation, const alltoall::Step& schedule, int tag) noexcept
      : operation_(operation), schedule_(schedule), tag_(tag) {}
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  // Describes the messages. MPI_SUCCESS or a code that is not raised yet; throws std::bad_alloc.
  int bind();
  // begin() returns as soon as the messages are on their way. Both go on after an error, that no process waits
  // for this one (bind() is the exception: docs/alltoall.md, Limits), and return MPI_SUCCESS or the code of the first
  // error.
  int begin(Receives receives = Receives::kInEnd) noexcept;
  int end() noexcept;
  // The same as end(), but waits for nothing: false if messages are still on their way. After begin(kInBegin).
  bool try_end(int& first) noexcept;

 private:
  struct Message {
    int to, from;
    Described send, receive;
    std::vector<Piece> packed, unpacked;  // by us, by way of the staging; none where the library does it
    std::int64_t out, in;                 // their places in the staging
  };
  int bind_side(const alltoall::Message& message, Side side, std::int64_t at, Described& described,
                std::vector<Piece>& staged);
  int copy(const std::vector<alltoall::Move>& moves) noexcept;
  int wait_for_all() noexcept;
  int store() noexcept;

  Operation& operation_;
  const alltoall::Step& schedule_;
  int tag_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;  // receives, then sends
  std::vector<MPI_Status> statuses_;
};

}  // namespace gapless::ext::regular
