// Copies an offered message out of its sender's memory: by loads and stores where this process has mapped it too, else
// by the kernel.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"
#include "preload/paired/layouts.hpp"
#include "preload/paired/receiver.hpp"
#include "preload/paired/sender.hpp"
#include "wire/header.hpp"

namespace gapless::preload {

// Where a message's data are to go: a committed type's plan, and the memory.
struct Target {
  const mpi::DatatypePtr& type;
  std::int64_t count;
  void* buffer;
  std::int64_t bytes;  // of the message that there is room for
};

// For PairedReceive::pull. False: not all could be copied, and the target holds anything.
bool pull(SharedMemory& shared, PairedReceive& message, const wire::Buffer& origin, const Target& target) noexcept;

// Of a sender whose receiver shares its message (PairedSend::settle): copies parts of it.
void help(SharedMemory& shared, PairedSend& message, const mpi::DatatypePtr& type, std::int64_t count,
          const void* buffer) noexcept;

}  // namespace gapless::preload
