// Caches as another program would leave them.
#pragma once

#include "../bytes.hpp"

#include <optional>

namespace gapless::lab::exchange {

class Eviction {
 public:
  // Takes the memory; walk() does nothing before.
  void prepare();
  // Reads every line of memory of at least twice the last cache. Only reads: lines that had to be written back would
  // cost what is timed next.
  void walk();

 private:
  std::optional<Bytes> memory_;
  char sum_ = 0;
};

// Twice the last cache, 128 MiB at most.
std::size_t eviction_bytes();

}  // namespace gapless::lab::exchange
