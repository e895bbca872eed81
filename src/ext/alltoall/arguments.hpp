// The arguments of a regular all-to-all, checked before any data are communicated.
#pragma once

#include <optional>

#include "ext/alltoall/operation.hpp"

namespace gapless::ext::regular {

struct Checked {
  PrivateCommPtr comm;
  std::optional<Blocks> send, receive;  // in place, the same
  bool is_in_place = false;
  Choice choice{};
  int tag = 0;  // of a persistent one
};

// MPI_SUCCESS and what they mean, or the code of an error that was raised on the communicator. What all processes have
// a part in comes before what can be wrong on one alone: the private communicator and the model's numbers, where they
// are new, and the tag, which must be the same on all in the requests that follow an error. After ready(). Throws
// base::Error, std::bad_alloc.
int check(const Arguments& arguments, bool is_persistent, Checked& checked);

// The algorithm of that name, with or without how its messages are to be made. False: there is none.
bool find_choice(const char* name, Choice& choice) noexcept;

}  // namespace gapless::ext::regular
