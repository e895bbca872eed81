// The ways a message takes between two processes of a node: packed into memory that they share ("host"), or copied by
// its receiver straight out of the sender's memory (wire/offer.hpp).
#pragma once

#include <cstdint>

#include "gapless/gapless_layer.h"
#include "mpi/types/datatype.hpp"

namespace gapless::preload {

enum class Way {
  kAdaptive = GAPLESS_WAY_ADAPTIVE,
  kHost = GAPLESS_WAY_HOST,
  kKernel = GAPLESS_WAY_KERNEL,    // process_vm_readv; close runs as one span
  kEntries = GAPLESS_WAY_ENTRIES,  // the same, one entry a run
  kDirect = GAPLESS_WAY_DIRECT,    // loads and stores, in memory that both have mapped (mapped.hpp)
};
// By GAPLESS_Switch_way, or GAPLESS_WAY.
Way wanted_way() noexcept;

// True if the runs at one end of a message are on average long enough for the kernel to read it, by the layer's own
// choice: what either end has short runs for goes by host.
bool has_long_runs(const mpi::Datatype& type, std::int64_t count) noexcept;

// What is to be sent.
struct Outbound {
  const mpi::DatatypePtr& type;
  std::int64_t count;
  const void* buffer;
};
// When a sender learns what became of its offer: in the call, so its receiver may refuse it, or when the operation
// completes. Then only what its receiver has mapped is offered, which is refused for lack of memory alone.
enum class Settles { kInCall, kAtCompletion };
// True if a message to this process of the node is to be offered.
bool may_offer(int number, const Outbound& message, Settles settles) noexcept;
// It was, and had to be packed all the same: its receiver could not copy it (`refused`), or had not begun in time.
// After some of these the next ones are not offered (choice.hpp).
void offer_failed(int number, const Outbound& message, bool refused) noexcept;

}  // namespace gapless::preload
