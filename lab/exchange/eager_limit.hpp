// Up to which size the library sends a message to a receiver that is not there yet.
#pragma once

#include <cstdint>

namespace gapless::lab::exchange {

// The longest message [bytes] of contiguous bytes, of at most `most`, whose send ends before it is received, from rank
// 0 to rank 1; known on these. 0 if even one byte waits for its receiver. Collective over all ranks.
//
// It is found by asking, not by looking for a step in times: rank 0 begins to send, and looks for some milliseconds
// whether that has ended, while rank 1 waits in MPI for another message, which it is sent after that. So whatever the
// library does to move the first message without its receiver happens.
std::int64_t eager_limit(int rank, std::int64_t most);

}  // namespace gapless::lab::exchange
