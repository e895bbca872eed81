// How many bytes the descriptions of a message take, serialised and as text.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "case.hpp"

namespace gapless::bench {

// An object for each description: its type, and its sizes. Each form is read again and compared with its type: throws
// std::runtime_error if it is another layout.
std::vector<nlohmann::json> serialised(const Case& of, std::int64_t nominal_bytes, const Message& message);

}  // namespace gapless::bench
