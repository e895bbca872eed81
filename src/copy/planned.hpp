// A copy from layout to layout that is planned when it is first made.
#pragma once

#include <cstdint>

#include "plan/plan.hpp"

namespace gapless::copy {

// Copies bytes [position, position + bytes) of the source's packed stream to the same bytes of the destination's, which
// is as long and longer than 0, also where the two overlap: then all is read before anything is written. The joint plan
// of the two is kept by the thread for the next copy. Throws base::Error or std::bad_alloc, before a byte is written.
void planned(const void* from, const plan::PlanPtr& source, std::int64_t source_count, void* to,
             const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position,
             std::int64_t bytes);
// The same for a part whose source and destination do not overlap, whatever the rest of the two messages does.
void planned_apart(const void* from, const plan::PlanPtr& source, std::int64_t source_count, void* to,
                   const plan::PlanPtr& destination, std::int64_t destination_count, std::int64_t position,
                   std::int64_t bytes);

}  // namespace gapless::copy
