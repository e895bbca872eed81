#include "preload/paired/receiver.hpp"

#include "preload/paired/acceptance.hpp"

namespace gapless::preload {

std::optional<PairedReceive> PairedReceive::recognise(const void* bytes) noexcept {
  SharedMemory* const shared = shared_memory();
  wire::Sealed message;
  if (shared == nullptr || !wire::read_header(bytes, shared->segment, message)) return std::nullopt;
  count_arrival();
  return PairedReceive(shared->segment, message.ticket);
}

}  // namespace gapless::preload
