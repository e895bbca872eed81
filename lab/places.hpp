// Random places for lists.
#pragma once

#include <cstdint>
#include <vector>

namespace gapless::lab {

// `count` different numbers below `places`, in random order. The same in every launch and on every library.
std::vector<std::int32_t> random_places(std::int64_t count, std::int64_t places);

}  // namespace gapless::lab
