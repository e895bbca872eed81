// Messages of a process to itself: one typed copy, once both sides are there.
#include <algorithm>
#include <vector>

#include "channel/channel.hpp"

namespace gapless::channel {

namespace fabric = wire::fabric;

void Channel::match_own() {
  while (!own_sends_.empty() && !own_receives_.empty()) {
    Outgoing& out = *own_sends_.front();
    Incoming& in = *own_receives_.front();
    own_sends_.pop_front();
    own_receives_.pop_front();
    in.bytes = out.bytes;
    if (out.bytes > in.capacity) {
      const std::string text = "a message of " + std::to_string(out.bytes) + " bytes to oneself, and room for " +
                               std::to_string(in.capacity);
      end(out, fabric::Fault::kTruncated, text);
      end(in, fabric::Fault::kTruncated, text);
      continue;
    }
    const gapless_type from = out.shape->form->type.get(), to = in.shape->form->type.get();
    std::int64_t moved = 0;
    if (out.bytes == in.capacity) {
      must(gapless_copy(out.base, out.shape->count, from, in.base, in.shape->count, to, 0, out.bytes, &moved));
    } else {
      std::vector<std::byte> packed(static_cast<std::size_t>(out.bytes));
      must(gapless_pack(out.base, out.shape->count, from, 0, packed.data(), out.bytes, &moved));
      must(gapless_unpack(packed.data(), out.bytes, 0, in.base, in.shape->count, to, &moved));
    }
    end(out);
    end(in);
  }
}

}  // namespace gapless::channel
