// A message of a blocking call that is like one before: what was decided for that one holds, so nothing is decided, and
// what is packed has its place on the stack or in the pool.
#pragma once

#include <cstdint>

#include "move/move.hpp"
#include "preload/transfer/transfer.hpp"

namespace gapless::preload {

// A message of this type, count and peer that was packed, or left to the library by the rules. It is shorter than any
// that goes through shared memory, and what is left to the library has no room for a header.
struct Repeated {
  // [bytes] Beyond, what is saved is nothing beside the message.
  static constexpr std::int64_t kLongest = 64 << 10;
  Operation operation{};
  MPI_Datatype type{};
  MPI_Count count = 0;
  int peer = 0;
  MPI_Comm comm{};
  std::int64_t bytes = 0;
  bool is_split = false;
  Reason native = Reason::kNone;  // why it is the library's
  mpi::DatatypePtr datatype;      // kept: no other type has its address, by which it is known
  mutable int uses = 0;           // by receives of this thread that go on: an error handler may call MPI

  class InUse {
   public:
    explicit InUse(const Repeated& one) noexcept : one_(one) { ++one_.uses; }
    ~InUse() { --one_.uses; }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    const Repeated& one_;
  };

  bool is_native() const noexcept { return native != Reason::kNone; }
  const plan::Plan& plan() const noexcept { return *datatype->plan(); }
  bool is_like(Operation as, MPI_Datatype of, MPI_Count times, int to, MPI_Comm on) const noexcept {
    return type == of && count == times && peer == to && comm == on && operation == as && datatype != nullptr;
  }
};

// What this thread keeps of a message like this, or nullptr: decide.
const Repeated* find_repeated(Operation operation, const void* buffer, MPI_Count count, MPI_Datatype type, int peer,
                              MPI_Comm comm) noexcept;
// After the decision.
void keep_repeated(Operation operation, const MessageBuffer& decided, int peer, MPI_Comm comm) noexcept;

// Counts one that is left to the library.
inline void count_native(const Repeated& like, Procedure procedure) noexcept {
  if (tallying()) count_declined(procedure, like.native);
}

// Where one is packed: on the stack if it is short.
class RepeatedStaging {
 public:
  // False: no memory. A long one is isolated where receives are (MessageBuffer::reserve).
  bool reserve(std::int64_t bytes, bool receives) noexcept;
  char* data() noexcept { return data_; }
  // Nothing was written behind it.
  void contained() noexcept { longer_.contained(); }

 private:
  alignas(64) char short_[wire::kHeaderBytes];
  mpi::Staging longer_;
  char* data_ = short_;
};

// Sends one by `native`, MPI_Send or its relatives, and sets the call's return code. False, and nothing done, where
// there is no memory; so below.
template <class Send>
bool send_repeated(const Repeated& like, Procedure procedure, Send* native, const void* buffer, int tag,
                   int& code) noexcept {
  RepeatedStaging packed;
  TwoPieces pieces;
  if (!packed.reserve(like.bytes + (like.is_split ? TwoPieces::kGap : 0), false)) return false;
  packed.contained();
  if (like.is_split && !pieces.describe(like.bytes)) return false;
  move::pack_all(like.plan(), like.count, buffer, packed.data());
  if (tallying()) count_accelerated(procedure, like.bytes);
  if (like.is_split) {
    TwoPieces::part(packed.data(), like.bytes);
    code = native(packed.data(), 1, pieces.type(), like.peer, tag, like.comm);
  } else {
    code = native(packed.data(), static_cast<int>(like.bytes), MPI_PACKED, like.peer, tag, like.comm);
  }
  return true;
}

// Receives one.
bool receive_repeated(const Repeated& like, Procedure procedure, void* buffer, int tag, MPI_Status* status,
                      int& code) noexcept;

}  // namespace gapless::preload
