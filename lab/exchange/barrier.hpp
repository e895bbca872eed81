// The lab's own barrier: the library's may be tuned, or be what is looked at.
#pragma once

namespace gapless::lab::exchange {

// Dissemination: after ceil(log2(ranks)) rounds of empty messages every rank has heard from every other.
void barrier(int rank, int ranks);

}  // namespace gapless::lab::exchange
