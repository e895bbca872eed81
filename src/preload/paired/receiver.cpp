#include "preload/paired/receiver.hpp"

#include "preload/paired/acceptance.hpp"
#include "preload/paired/ways.hpp"

namespace gapless::preload {

std::optional<PairedReceive> PairedReceive::recognise(const void* bytes) noexcept {
  SharedMemory* const shared = shared_memory();
  wire::Sealed message;
  if (shared == nullptr || !wire::read_header(bytes, shared->segment, message)) return std::nullopt;
  count_arrival();
  if (wanted_way() != Way::kHost) shared->segment.reaches(static_cast<int>(message.ticket.process));
  return PairedReceive(shared->segment, message);
}

}  // namespace gapless::preload
