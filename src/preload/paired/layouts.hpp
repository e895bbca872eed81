// The layouts of messages that are offered (wire/offer.hpp): those that this process shows to the others of its node,
// and those of the others that it has read, with what pulling their messages needs. Both are kept as long as they are
// used.
#pragma once

#include <cstdint>
#include <optional>

#include "copy/foreign.hpp"
#include "mpi/types/datatype.hpp"
#include "preload/policy/shared_memory.hpp"

namespace gapless::preload {

// Where others of the node find the layout of this type; nothing: it cannot be serialised, or there is no room. While a
// message of it is on offer the caller keeps the type alive. Cost: a lock and a look-up; at the type's first use,
// linear in its form.
std::optional<wire::Place> show_layout(SharedMemory& shared, const mpi::DatatypePtr& type) noexcept;

// nullptr: what stands there is no layout, or no memory. Thread-safe.
copy::ForeignPtr read_layout(SharedMemory& shared, int process, const wire::Place& place) noexcept;

}  // namespace gapless::preload
