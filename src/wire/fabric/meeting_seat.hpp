// The members that have proven themselves to rank 0, and what they are sent once all have (meeting.hpp).
#pragma once

#include <span>

#include "wire/fabric/meeting.hpp"
#include "wire/fabric/meeting_message.hpp"

namespace gapless::wire::fabric {

struct Seat {
  Descriptor socket;  // none for rank 0
  Hello hello;
  Nonce challenge{};
  bool is_taken = false;
};

// A member says nothing more, so anything that is heard of it is its end; or it does not keep to the order of messages.
bool has_left(const Seat& seat) noexcept;

// Sends the table to all and closes their connections. One that ends meanwhile does not matter to the meeting: the
// others have their tables, and notice by life.hpp. Throws Failure(kTimeout).
void hand_out(const Meeting& meeting, std::span<Seat> seats, View table);

}  // namespace gapless::wire::fabric
