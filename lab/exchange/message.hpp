// One message of a group, read and measured but not yet made: what it is by MPI's rules.
#pragma once

#include "../mpi_handle.hpp"
#include "../payload.hpp"
#include "job.hpp"
#include "operation.hpp"
#include "type_map.hpp"

#include <cstdint>
#include <optional>
#include <string>

#include "layout/layout.hpp"

namespace gapless::lab::exchange {

// What is sent, or received.
struct End {
  layout::LayoutPtr type;
  int count = 0;
  std::int64_t origin = 0;  // [bytes] from a cache line to displacement 0, less than a line
  Span span;                // of its buffer
  MpiType handle;
  std::optional<PayloadPlaces> places;  // of its bytes

  std::int64_t payload_bytes() const { return count * type->size; }
};

struct Message {
  std::string name;
  std::string label;  // messages of one label have equal type maps
  LoopsSpec loops;    // of the application that sends it
  End send;
  End receive;              // its span is that of `blocks` messages one after the other
  int blocks = 1;           // received, one from each of so many ranks
  int sent_blocks = 1;      // one for each of so many
  Runs padding;             // bytes of what is received that may arrive or not (type_map.hpp)
  int packed_capacity = 0;  // what MPI_Pack_size says
  int packed_bytes = 0;     // what MPI_Pack makes of it

  bool has_unlike_ends() const { return send.type != receive.type; }
  std::int64_t payload_bytes() const { return send.payload_bytes(); }
  std::int64_t block_bytes() const { return receive.count * receive.type->extent; }  // from one block to the next
  std::int64_t sent_block_bytes() const { return send.count * send.type->extent; }
};

// Of its two ends.
struct TypeMaps {
  Runs send;
  std::optional<Runs> unlike;  // what is received, where it differs
  const Runs& receive() const { return unlike ? *unlike : send; }
};

// Throws JobError (the text is no type), Refused, or base::Error where a number does not fit.
Message read_message(const MessageSpec& spec, const GroupSpec& group, Place place);

}  // namespace gapless::lab::exchange
