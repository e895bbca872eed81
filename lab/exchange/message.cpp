#include "message.hpp"

#include "agree.hpp"
#include "mpi_type.hpp"

#include "base/checked.hpp"
#include "notation/parse.hpp"

namespace gapless::lab::exchange {
namespace {

layout::LayoutPtr parse_type(const MessageSpec& spec, const GroupSpec& group) {
  try {
    return notation::parse(spec.type);
  } catch (const base::Error& error) {
    const std::string where = "group '" + group.id + "', message '" + spec.name + "', type: ";
    if (error.status() == base::Status::kInvalidArgument) throw JobError(where + error.what());
    throw Refused(where + error.what());
  }
}

}  // namespace

Message read_message(const MessageSpec& spec, const GroupSpec& group, int ranks) {
  Message message;
  message.name = spec.name;
  message.label = spec.layout;
  message.type = parse_type(spec, group);
  message.count = as_int(spec.count, "the count");
  message.payload_bytes = base::checked_mul(spec.count, message.type->size, "count * size");
  message.blocks = group.pattern == Pattern::kAllgather ? ranks : 1;
  message.send_span = span_of(*message.type, message.count);
  message.receive_span = span_of(*message.type, spec.count * message.blocks);
  return message;
}

}  // namespace gapless::lab::exchange
