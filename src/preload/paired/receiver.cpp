#include "preload/paired/receiver.hpp"

#include <cstring>

#include "preload/paired/acceptance.hpp"
#include "preload/paired/mapped.hpp"
#include "preload/paired/ways.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/stats/log.hpp"

namespace gapless::preload {

std::optional<PairedReceive> PairedReceive::recognise(const void* bytes) noexcept {
  SharedMemory* const shared = shared_memory();
  wire::Sealed message;
  if (shared == nullptr || !wire::read_header(bytes, shared->segment, message)) return std::nullopt;
  count_arrival();
  map_heap(*shared, static_cast<int>(message.ticket.process));
  if (wanted_way() != Way::kHost) {
    const auto sender = static_cast<int>(message.ticket.process);
    int refusal = 0;
    shared->segment.reaches(sender, &refusal);
    if (refusal != 0 && logging()) log_unread(rank_on_node(sender), "the memory", std::strerror(refusal));
  }
  return PairedReceive(shared->segment, message);
}

}  // namespace gapless::preload
