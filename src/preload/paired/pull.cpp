#include "preload/paired/pull.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/per_thread.hpp"
#include "move/direction.hpp"
#include "move/iov.hpp"
#include "move/move.hpp"
#include "preload/paired/mapped.hpp"
#include "preload/paired/part_copy.hpp"
#include "preload/paired/ways.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/stats/log.hpp"
#include "preload/stats/ways.hpp"
#include "wire/reach.hpp"

namespace gapless::preload {

namespace {

// [bytes] Read at a time: it stays in the second cache until it is unpacked.
constexpr std::int64_t kRoomBytes = 64 << 10;
// An entry costs the kernel about as long as reading some KB: runs of 512 bytes are read faster with their gaps than
// each by itself, runs of 4096 are not (gapless measure adaptive).
constexpr copy::SpanLimits kSpans{.gap = 1024, .length = kRoomBytes, .most = 1 << 16};
constexpr copy::SpanLimits kEntries{.gap = 0, .length = 0, .most = 1 << 16};
constexpr std::int64_t kAtOnceBytes = 1 << 20;

// What one thread reads with.
struct Room {
  alignas(64) char bytes[kRoomBytes];
  iovec here[wire::kMaxEntries], there[wire::kMaxEntries];
  move::Piece pieces[wire::kMaxEntries];
};

class KernelPull {
 public:
  KernelPull(Room& room, std::int64_t pid, const wire::Buffer& origin, const PartCopy& parts, const Target& target)
      : room_(room), pid_(pid), origin_(origin), parts_(parts), target_(target), plan_(*target.type->plan()) {}

  // Reads the message in the order of its spans. False: not all could be read.
  bool spans(const std::vector<copy::Span>& spans) noexcept {
    const bool has_gaps =
        std::any_of(spans.begin(), spans.end(), [](const copy::Span& span) { return !span.is_run(); });
    const bool is_long = has_long_runs(*target_.type, target_.count);
    std::size_t next = 0;
    std::int64_t within = 0;  // [bytes] of the next span that are read
    for (std::int64_t position = 0; position < target_.bytes;) {
      const bool is_direct = is_long && !has_gaps;
      const move::Exported found =
          is_direct ? move::iov(plan_, target_.count, target_.buffer, position, room_.pieces, wire::kMaxEntries)
                    : move::Exported{};
      const std::int64_t limit = is_direct ? std::min(found.bytes, kAtOnceBytes) : kRoomBytes;
      const std::size_t first = next;
      const std::int64_t from = within;
      std::int64_t read = 0, data = 0;
      std::size_t entries = 0;
      while (next < spans.size() && entries < wire::kMaxEntries && position + data < target_.bytes) {
        const copy::Span& span = spans[next];
        // A span with gaps is read as a whole, a run in as many parts as it takes.
        const std::int64_t left = span.length - within;
        const std::int64_t part =
            span.is_run() ? std::min({left, limit - read, target_.bytes - position - data}) : left;
        if (part <= 0 || read + part > limit) break;
        room_.there[entries++] = {address(span.offset + within), static_cast<std::size_t>(part)};
        read += part;
        data += span.is_run() ? part : span.bytes;
        within += part;
        if (within == span.length) {
          within = 0;
          ++next;
        }
      }
      if (entries == 0) return false;
      if (!fetch(entries, read, is_direct ? found.pieces : 0)) return false;
      if (!is_direct && !has_gaps) {
        move::unpack(plan_, target_.count, target_.buffer, position, room_.bytes, data);
      } else if (!is_direct) {
        scatter(spans, first, from, entries, position);
      }
      position += data;
    }
    return true;
  }

  // Why not (errno).
  int error() const noexcept { return error_; }

 private:
  void* address(std::int64_t offset) const noexcept {
    return reinterpret_cast<void*>(origin_.address + static_cast<std::uint64_t>(offset));
  }

  // Into the room, or, if there are some, into the target's pieces.
  bool fetch(std::size_t entries, std::int64_t bytes, std::int64_t pieces) noexcept {
    std::size_t here = 0;
    if (pieces == 0) room_.here[here++] = {room_.bytes, static_cast<std::size_t>(bytes)};
    for (std::int64_t k = 0, left = bytes; k < pieces && left > 0; ++k) {
      const std::int64_t part = std::min(room_.pieces[k].bytes, left);
      room_.here[here++] = {room_.pieces[k].base, static_cast<std::size_t>(part)};
      left -= part;
    }
    const bool is_read = wire::read_memory(pid_, {room_.here, here}, {room_.there, entries});
    if (!is_read) error_ = errno;
    return is_read;
  }

  // What was read into the room, span by span, the first one from `within` on.
  void scatter(const std::vector<copy::Span>& spans, std::size_t first, std::int64_t within, std::size_t entries,
               std::int64_t position) {
    const char* at = room_.bytes;
    for (std::size_t k = 0; k < entries; ++k) {
      const copy::Span& span = spans[first + k];
      const auto length = static_cast<std::int64_t>(room_.there[k].iov_len);
      const std::int64_t data = std::min(span.is_run() ? length : span.bytes, target_.bytes - position);
      // As if the message lay where this span of it would be in the room.
      parts_.copy(move::at(at, -(span.offset + within)), target_.buffer, position, data);
      at += length;
      position += data;
      within = 0;
    }
  }

  Room& room_;
  std::int64_t pid_;
  const wire::Buffer& origin_;
  const PartCopy& parts_;
  const Target& target_;
  const plan::Plan& plan_;
  int error_ = EFAULT;
};

// Where the sender can write the target's memory, if it can.
std::optional<wire::Buffer> shown(SharedMemory& shared, int sender, const Target& target) noexcept {
  if (!is_mapped_there(sender, {*target.type->plan(), target.count}, target.buffer)) return std::nullopt;
  const std::optional<wire::Place> layout = show_layout(shared, target.type);
  if (!layout) return std::nullopt;
  return wire::Buffer{
      .layout = *layout, .count = target.count, .address = reinterpret_cast<std::uintptr_t>(target.buffer)};
}

// The message and its target do not share memory, or the program is wrong.
bool pull_mapped(SharedMemory& shared, PairedReceive& message, const void* from, const PartCopy& parts,
                 const Target& target) noexcept {
  const auto copy = [&](std::int64_t position, std::int64_t bytes) {
    parts.copy(from, target.buffer, position, bytes);
  };
  const auto lent = shared.heap.lend();
  const std::optional<wire::Buffer> there =
      target.bytes < message.bytes() ? std::nullopt : shown(shared, message.sender(), target);
  if (!there) {
    copy(0, target.bytes);
    return true;
  }
  return message.share(*there, copy);
}

bool is_message_of(const plan::Plan& plan, std::int64_t count, std::int64_t bytes) noexcept {
  std::int64_t all = 0;
  return count > 0 && plan.size() > 0 && !__builtin_mul_overflow(plan.size(), count, &all) && all == bytes;
}

// False.
bool refuses(const PairedReceive& message, const char* why) noexcept {
  if (logging()) log_unread(rank_on_node(message.sender()), "a message", why);
  return false;
}

bool pull_by_kernel(SharedMemory& shared, const PairedReceive& message, const wire::Buffer& origin,
                    copy::Foreign& layout, const PartCopy& parts, const Target& target) noexcept {
  Room* const room = base::PerThread<Room>::get();
  if (room == nullptr) return refuses(message, "no memory");
  if (wanted_way() == Way::kAdaptive && !has_long_runs(*target.type, target.count)) {
    return refuses(message, "its place here has short runs");
  }
  const auto spans = layout.spans(origin.count, wanted_way() == Way::kEntries ? kEntries : kSpans);
  if (spans == nullptr) return refuses(message, "it has too many spans, or there is no memory for them");
  KernelPull kernel(*room, shared.segment.pid_of(message.sender()), origin, parts, target);
  if (!kernel.spans(*spans)) return refuses(message, std::strerror(kernel.error()));
  count_way(WayEvent::kKernel);
  return true;
}

}  // namespace

bool pull(SharedMemory& shared, PairedReceive& message, const wire::Buffer& origin, const Target& target) noexcept {
  const copy::ForeignPtr layout = read_layout(shared, message.sender(), origin.layout);
  if (layout == nullptr || !is_message_of(*layout->plan(), origin.count, message.bytes())) {
    return refuses(message, "its layout is none, or there is no memory for it");
  }
  const PartCopy parts({layout->plan(), origin.count}, {target.type->shared_plan(), target.count}, target.bytes);
  const bool is_by_kernel = wanted_way() == Way::kKernel || wanted_way() == Way::kEntries;
  void* const from = mapped_here(message.sender(), {*layout->plan(), origin.count}, origin.address);
  if (from == nullptr || is_by_kernel) {
    if (pull_by_kernel(shared, message, origin, *layout, parts, target)) return true;
    // What is mapped here is never refused: its sender may be unable to pack it before it completes the operation.
    if (from == nullptr) return false;
  }
  count_way(WayEvent::kDirect);
  return pull_mapped(shared, message, from, parts, target);
}

void help(SharedMemory& shared, PairedSend& message, const mpi::DatatypePtr& type, std::int64_t count,
          const void* buffer) noexcept {
  const wire::Buffer target = message.target();
  const copy::ForeignPtr layout = read_layout(shared, message.dest(), target.layout);
  std::int64_t room = 0;
  if (layout == nullptr || layout->plan()->size() == 0 ||
      __builtin_mul_overflow(layout->plan()->size(), target.count, &room) || room < message.ticket().bytes) {
    return;
  }
  void* const to = mapped_here(message.dest(), {*layout->plan(), target.count}, target.address);
  if (to == nullptr) return;
  const PartCopy parts({type->shared_plan(), count}, {layout->plan(), target.count}, message.ticket().bytes);
  message.help([&](std::int64_t position, std::int64_t bytes) { parts.copy(buffer, to, position, bytes); });
}

}  // namespace gapless::preload
