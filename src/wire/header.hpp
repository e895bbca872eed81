// The header of a message that goes through the memory which the processes of a node share: what the MPI library
// carries in place of the data, with the program's envelope, so that matching and order stay the library's.
//
// It is so long that a receive of less room is too small for any message that is paired: the library raises the error
// that it would have raised for the data, and such receives need not be looked at. No longer, so that libraries send it
// without asking the receiver (Open MPI: up to 4 KB with its own headers; of 4024 bytes, three times as long).
#pragma once

#include <cstdint>
#include <optional>

#include "wire/message.hpp"

namespace gapless::wire {

struct alignas(64) Header {
  // Every second one is used: a library that moves long doubles may leave out what lies behind their ten bytes.
  static constexpr int kWords = 480;
  std::uint64_t words[kWords];
};
// A multiple of the size of each basic type, so that it ends inside none.
inline constexpr std::int64_t kHeaderBytes = sizeof(Header);
static_assert(kHeaderBytes == 3840);

// Which message of a sender's record.
struct Sealed {
  Ticket ticket;
  std::uint32_t serial = 0;
  std::optional<Buffer> origin;  // of one that is offered: the data, in the sender's memory
};

void write_header(Header& header, const Segment& segment, const Sealed& message) noexcept;
// True if these kHeaderBytes bytes, of any alignment, are the header of a message that nobody has received. An old one
// that a program has kept as data is none: its record has another serial number, or is free.
bool read_header(const void* bytes, Segment& segment, Sealed& message) noexcept;

}  // namespace gapless::wire
