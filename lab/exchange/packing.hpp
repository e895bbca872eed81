// Who packs a message and unpacks it, where the program does so itself.
#pragma once

#include "job.hpp"
#include "message.hpp"

#include <memory>

namespace gapless::lab::exchange {

class Packing {
 public:
  virtual ~Packing() = default;
  // Packs what is sent, at `from`. Returns its bytes.
  virtual int pack(const char* from, char* packed) const = 0;
  // Unpacks at most so many bytes into what is received, at `to`.
  virtual void unpack(const char* packed, int bytes, char* to) const = 0;
};

// By loops for `manual`, by those of the application for `hand_*`, by the engine for `engine` and its parts, by the
// library for all others. `message` must outlive it.
std::unique_ptr<Packing> make_packing(MethodKind method, const Message& message);

}  // namespace gapless::lab::exchange
