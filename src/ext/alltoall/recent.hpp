// What a communicator's calls leave for the next ones: programs call with the same arguments again and again. A call
// that is like an earlier one needs no check, no choice and, from the third on, no schedule and no type.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "alltoall/model.hpp"
#include "ext/alltoall/arguments.hpp"
#include "ext/alltoall/rounds.hpp"

namespace gapless::ext::regular {

// One call. The facts of its types are part of it: a handle may have been given to another type since.
struct Call {
  const Arguments& arguments;
  const mpi::Datatype* send;  // null: in place
  const mpi::Datatype* receive;
};

class Recent {
 public:
  struct Entry {
    Arguments arguments{};
    std::string name;                // its text counts: the program's memory may change
    mpi::DatatypePtr send, receive;  // null: in place; null: no entry
    const alltoall::Algorithm* algorithm = nullptr;
    std::unique_ptr<Rounds> rounds;  // from the second call on, if they need little memory
    bool is_large = false;           // they need much
  };
  // The entry of an equal call; null: none.
  Entry* find(const Call& call) noexcept;
  // A new one, in place of the oldest. Throws std::bad_alloc.
  Entry& add(const Arguments& arguments, const Checked& checked);

 private:
  std::array<Entry, 4> entries_;
  std::size_t next_ = 0;
};

// What is kept for a communicator, on which calls are made one after the other.
struct Kept final : PrivateComm::Kept {
  Recent recent;
  std::optional<alltoall::Range> ranges[2][2];  // in place or not, persistent or not
};
Kept& kept_of(PrivateComm& comm);

}  // namespace gapless::ext::regular
