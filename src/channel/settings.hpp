// How a channel moves data: what its options and the environment say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "channel/frame.hpp"
#include "gapless/gapless_channel.h"
#include "wire/fabric/memory.hpp"

namespace gapless::channel {

struct Settings {
  std::string provider, domain, address, meeting, secret;
  int rank = 0, processes = 1;
  std::optional<Way> way;            // nothing: adaptive
  std::int64_t timeout_ns = -1;      // negative: for ever
  std::int64_t part = 128 * 1024;    // [bytes] of a ring (GAPLESS_FABRIC_PART)
  std::uint32_t parts = 4;           // of a ring (GAPLESS_FABRIC_PARTS)
  std::int64_t eager = kEagerBytes;  // [bytes] of a message, at most (GAPLESS_FABRIC_EAGER)
  std::uint32_t targets = 16;        // (GAPLESS_FABRIC_TARGETS)
  wire::fabric::Charge charge;       // (GAPLESS_FABRIC_CHARGE)
  bool registers_again = false;      // forgets a registration with its message (GAPLESS_FABRIC_CACHE=0)
};

// Throws Failure(kArgument) that names the option or setting.
Settings read_settings(const GAPLESS_Channel_options& options);

}  // namespace gapless::channel
