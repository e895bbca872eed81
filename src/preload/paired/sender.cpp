#include "preload/paired/sender.hpp"

#include <atomic>
#include <new>
#include <utility>

#include "preload/paired/mapped.hpp"

namespace gapless::preload {

std::atomic<int> offers{0};

PairedSend::PairedSend(SharedMemory& shared, wire::Lease& lease, const wire::Ticket& ticket, int to,
                       const std::optional<wire::Buffer>& origin) noexcept
    : shared_(shared), message_(shared.segment, std::move(lease), ticket, 1), to_(to), is_offered_(origin.has_value()) {
  static std::atomic<std::uint32_t> serial{0};
  const wire::Sealed sealed{ticket, serial.fetch_add(1, std::memory_order_relaxed), origin};
  if (is_offered_) {
    message_.offer();
    offered_ns_ = base::now_ns();
    offers.fetch_add(1, std::memory_order_relaxed);
    count_way(WayEvent::kOffered);
  }
  // Read by whoever has the header, which is sent later.
  shared.segment.record(shared.segment.self(), ticket.record).serial.store(sealed.serial, std::memory_order_relaxed);
  wire::write_header(header_, shared.segment, sealed);
}

std::unique_ptr<PairedSend> PairedSend::begin(int number, std::int64_t bytes, std::int64_t mean_run_bytes,
                                              wire::Sending sending,
                                              const std::optional<wire::Buffer>& origin) noexcept {
  SharedMemory* const shared = shared_memory();
  if (shared == nullptr || number == shared->segment.self() || !shared->segment.accepts(number)) return nullptr;
  map_heap(*shared, number);
  const std::int64_t part = wire::part_bytes_of(bytes, sending), parts = wire::parts_of(bytes, part);
  wire::Lease lease;
  if (parts > shared->segment.max_chunks() || !shared->pool.take(static_cast<std::uint32_t>(parts), number, lease)) {
    return nullptr;
  }
  const wire::Ticket ticket = shared->ticket(lease, bytes, part, {bytes, mean_run_bytes, sending});
  shared->segment.announce(number);
  // Asked after the announcement: now it is counted, if that process declines meanwhile.
  if (shared->segment.accepts(number)) {
    auto* const made = new (std::nothrow) PairedSend(*shared, lease, ticket, number, origin);
    if (made != nullptr) return std::unique_ptr<PairedSend>(made);
  }
  shared->segment.withdraw(number);
  shared->pool.lend(lease, 0);
  return nullptr;
}

PairedSend::~PairedSend() {
  // An operation that nobody has completed: who copies its message now needs the record.
  while (!withdrawn_ && !try_settle(true, [] {})) {
  }
  end_offer();
  shared_.pool.lend(message_.lease(), withdrawn_ ? 0 : message_.used_chunks());
}

void PairedSend::withdraw() noexcept {
  withdrawn_ = true;
  shared_.segment.withdraw(to_);
}

}  // namespace gapless::preload
