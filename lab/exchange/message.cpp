#include "message.hpp"

#include "agree.hpp"
#include "mpi_type.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "notation/parse.hpp"

namespace gapless::lab::exchange {
namespace {

constexpr std::int64_t kLine = 64;

layout::LayoutPtr parse_type(const EndSpec& end, const std::string& message, const GroupSpec& group) {
  try {
    return notation::parse(end.type);
  } catch (const base::Error& error) {
    const std::string where = "group '" + group.id + "', message '" + message + "', type: ";
    if (error.status() == base::Status::kInvalidArgument) throw JobError(where + error.what());
    throw Refused(where + error.what());
  }
}

End read_end(const EndSpec& spec, const std::string& message, const GroupSpec& group) {
  End end;
  end.type = parse_type(spec, message, group);
  end.count = as_int(spec.count, "the count");
  base::checked_mul(spec.count, end.type->size, "count * size");
  end.origin = spec.origin % kLine;
  end.span = span_of(*end.type, end.count);
  return end;
}

// What the loops pack must be the message.
void require_same_payload(const Message& message) {
  if (message.loops.kernel.empty()) return;
  const LoopsPayload loops = payload_of(message.loops);
  const std::int64_t bytes = message.payload_bytes() * message.sent_blocks;
  if (loops.elements * loops.element_bytes != bytes)
    throw JobError("message '" + message.name + "': its loops pack " +
                   std::to_string(loops.elements * loops.element_bytes) + " bytes, its type " + std::to_string(bytes));
  as_int(bytes, "the payload");
}

}  // namespace

Message read_message(const MessageSpec& spec, const GroupSpec& group, Place place) {
  Message message;
  message.name = spec.name;
  message.label = spec.layout;
  message.loops = spec.loops;
  message.send = read_end(spec.send, spec.name, group);
  if (spec.receive) {
    message.receive = read_end(*spec.receive, spec.name, group);
  } else {
    message.receive.type = message.send.type;
    message.receive.count = message.send.count;
    message.receive.origin = message.send.origin;
  }
  const Peers peers = peers_of(group, place);
  const auto blocks = [](const std::vector<int>& ranks) { return std::max(static_cast<int>(ranks.size()), 1); };
  message.blocks = group.pattern == Pattern::kAllgather ? place.ranks : blocks(peers.sources);
  message.sent_blocks = blocks(peers.targets);
  message.send.span = span_of(*message.send.type, std::int64_t{message.send.count} * message.sent_blocks);
  message.receive.span = span_of(*message.receive.type, std::int64_t{message.receive.count} * message.blocks);
  require_same_payload(message);
  return message;
}

}  // namespace gapless::lab::exchange
