// A message from another process of this node, of which the library has brought the header: unpacked out of shared
// memory while it comes.
#pragma once

#include <cstdint>
#include <optional>

#include "preload/policy/shared_memory.hpp"
#include "preload/policy/world.hpp"
#include "wire/header.hpp"
#include "wire/wait.hpp"

namespace gapless::preload {

class PairedReceive {
 public:
  // Nothing if these wire::kHeaderBytes bytes are data. Afterwards they may be overwritten.
  static std::optional<PairedReceive> recognise(const void* bytes) noexcept;

  std::int64_t bytes() const noexcept { return message_.ticket().bytes; }
  int sender() const noexcept { return static_cast<int>(message_.ticket().process); }
  bool is_done() const noexcept { return message_.is_done(); }
  // Copies a message that is offered by copy(origin), which returns false if it cannot. To be called before
  // those below, which unpack whatever is packed.
  template <class Copy>
  void pull(Copy&& copy) noexcept {
    if (!origin_) return;
    message_.pull([&] { return copy(*origin_); });
    origin_.reset();
  }
  // While it is pulled: the sender may copy parts as well. False if it has ended before one of its parts was copied.
  template <class Copy>
  bool share(const wire::Buffer& target, Copy&& copy) noexcept {
    message_.share(target, copy);
    wire::Wait wait(*segment_, nullptr);
    while (!message_.is_all_copied()) {
      if (!wait.again(sender())) return message_.is_all_copied();
    }
    return true;
  }
  // Unpacks the parts that are there, by unpack(position, from, bytes). Returns true if nothing is left.
  template <class Unpack>
  bool advance(Unpack&& unpack) noexcept {
    while (message_.advance(unpack) == wire::Step::kMoved) {
    }
    return is_done();
  }
  // Unpacks all, and waits for what is being packed: the sender waits for nobody meanwhile, but for this process's
  // library, perhaps, to let it send the header. Returns false if it has ended.
  template <class Unpack>
  bool finish(Unpack&& unpack) noexcept {
    wire::Wait wait(*segment_, make_progress);
    while (!is_done()) {
      if (message_.advance(unpack) == wire::Step::kMoved) {
        wait.restart();
      } else if (!wait.again(sender())) {
        return advance(unpack);
      }
    }
    return true;
  }

 private:
  PairedReceive(wire::Segment& segment, const wire::Sealed& message) noexcept
      : segment_(&segment), message_(segment, message.ticket), origin_(message.origin) {}
  wire::Segment* segment_;
  wire::Incoming<wire::Segment> message_;
  std::optional<wire::Buffer> origin_;  // of one that is offered, until it is asked for
};

}  // namespace gapless::preload
