// A regular all-to-all with its arguments bound: to be run once, or any number of times.
#pragma once

#include <vector>

#include "alltoall/catalogue.hpp"
#include "ext/alltoall/blocks.hpp"
#include "ext/alltoall/ways.hpp"
#include "ext/private_comm.hpp"
#include "ext/room.hpp"

namespace gapless::ext::regular {

// What the caller gave. In place, the sending side is the receiving one.
struct Arguments {
  const void* sendbuf;
  MPI_Count sendcount;
  MPI_Datatype sendtype;
  void* recvbuf;
  MPI_Count recvcount;
  MPI_Datatype recvtype;
  MPI_Comm comm;
  const char* algorithm;  // null: the model chooses
};

// Which algorithm it is, and how its messages are made.
struct Choice {
  const alltoall::Algorithm* algorithm;
  Asked asked;
};

class Operation {
 public:
  // The arguments are right (arguments.hpp), and the communicator lives as long as this. Throws base::Error,
  // std::bad_alloc.
  Operation(const Choice& choice, const PrivateComm& comm, Blocks send, Blocks receive, bool is_in_place,
            bool is_persistent);

  const alltoall::Algorithm& algorithm() const noexcept { return *choice_.algorithm; }
  const alltoall::Schedule& schedule() const noexcept { return *schedule_; }
  const Memory& memory() const noexcept { return memory_; }
  const PrivateComm& comm() const noexcept { return comm_; }
  Asked asked() const noexcept { return choice_.asked; }
  // Slots and staging, as far as made [bytes].
  std::int64_t memory_bytes() const noexcept { return memory_bytes_; }
  bool is_persistent() const noexcept { return is_persistent_; }
  // Room for the packed bytes of any one step: what it sends, and behind that what it receives. Made at the first call,
  // which throws std::bad_alloc.
  char* staging();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  Choice choice_;
  const PrivateComm& comm_;
  Blocks send_, receive_;
  bool is_persistent_;
  alltoall::SchedulePtr schedule_;
  std::int64_t memory_bytes_;
  Room slots_, staging_;
  Memory memory_;
};

}  // namespace gapless::ext::regular
