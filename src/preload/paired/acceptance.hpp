// Whether this process can be sent messages through shared memory, and what of them is on its way.
//
// While it can, every receive that has room for a header looks at what came (MessageBuffer::look_for_header). A process
// that declines them says so in shared memory ("none to me"), and from then on nothing is sent that way; what had been
// announced before is counted, and taken as before until none is left.
#pragma once

#include <atomic>
#include <cstdint>

#include "wire/header.hpp"

namespace gapless::preload {

// When the world is up and its memory is joined; before it ends; when it has ended. In between, in the delete callbacks
// of MPI_COMM_SELF's attributes, the program may receive what was sent before.
void begin_acceptance() noexcept;
void end_acceptance() noexcept;
void forget_acceptance() noexcept;

extern std::atomic<bool> headers_may_come_here, headers_may_go_from_here;
// True if a receive may meet a header. From the first to the last of the calls above it stays what it is.
inline bool headers_may_come() noexcept {
  return headers_may_come_here.load(std::memory_order_relaxed);
}

// True if this process may send them.
inline bool headers_may_go() noexcept {
  return headers_may_go_from_here.load(std::memory_order_relaxed);
}

// Why none may be sent to this process, from now on.
enum class Refusal : std::uint32_t {
  kProbes = 1,      // it asks for the sizes of messages
  kCompletion = 2,  // it completes requests by procedures that are not wrapped
  kReceive = 4,     // it has posted a receive that no header can meet
};
void refuse(Refusal why) noexcept;

// Of a process whose acceptance has begun: true of what can be the tag of a message.
bool is_tag(int tag) noexcept;

// True if messages that were announced to this process have not been seen by it.
bool is_any_on_its_way() noexcept;
// One was seen.
void count_arrival() noexcept;

// A receive that is left to the library although headers may come: the layer is switched off, and no header is on its
// way. As long as there is one, none is sent to this process.
class Unchecked {
 public:
  Unchecked() = default;
  ~Unchecked() { release(); }
  Unchecked(Unchecked&& other) noexcept : held_(other.held_) { other.held_ = false; }
  Unchecked& operator=(Unchecked&& other) noexcept {
    if (this == &other) return *this;
    release();
    held_ = other.held_;
    other.held_ = false;
    return *this;
  }
  // False if a header may come all the same.
  bool hold() noexcept;
  bool is_held() const noexcept { return held_; }

 private:
  void release() noexcept;
  bool held_ = false;
};

// Of a receive while the layer is switched on: takes messages again if it was off.
void accept_again() noexcept;

}  // namespace gapless::preload
