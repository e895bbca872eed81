// One message of a group, read and measured but not yet made: what it is by MPI's rules.
#pragma once

#include "../mpi_handle.hpp"
#include "../payload.hpp"
#include "job.hpp"
#include "type_map.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "layout/layout.hpp"

namespace gapless::lab::exchange {

struct Message {
  std::string name;
  std::string label;  // messages of one label have equal type maps
  layout::LayoutPtr type;
  int count = 0;
  std::int64_t payload_bytes = 0;
  Span send_span;     // of the send buffer
  Span receive_span;  // of the receive buffer: `blocks` messages one after the other
  int blocks = 1;     // what an allgather receives from so many ranks
  Runs padding;       // bytes of the message that may arrive or not (type_map.hpp)
  MpiType handle;
  int packed_capacity = 0;              // what MPI_Pack_size says
  int packed_bytes = 0;                 // what MPI_Pack makes of it
  std::optional<PayloadPlaces> places;  // of its bytes, where data are fresh

  std::int64_t block_bytes() const { return count * type->extent; }  // from one block to the next
};

// Throws JobError (the text is no type), Refused, or base::Error where a number does not fit.
Message read_message(const MessageSpec& spec, const GroupSpec& group, int ranks);

}  // namespace gapless::lab::exchange
