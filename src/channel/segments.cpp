// The exchange of minimum segments: both sides cut the message into chunks of a length that neither's shortest run
// makes longer than its list of entries. Suresh et al., "Layout-aware Hardware-assisted Designs for Derived Data Types
// in MPI", 2022.
#include <algorithm>
#include <array>

#include "channel/channel.hpp"

namespace gapless::channel {

namespace fabric = wire::fabric;

namespace {

constexpr int kMostChunks = 256;  // of a message, under way

std::uint64_t tag(const Clear& clear, std::uint32_t index) {
  return static_cast<std::uint64_t>(clear.target << 10 | clear.generation % Immediate::kGenerations) << 32 | index;
}

struct Chunk {
  std::array<fabric::Local, 32> pieces;
  std::size_t used = 0;
  // The next `bytes` of the runs. `descriptor(base, bytes)`: of the registration that a piece lies in.
  template <class Descriptor>
  void take(Runs& runs, std::int64_t bytes, Descriptor descriptor) {
    while (bytes > 0) {
      const gapless_iov run = runs.rest();
      const std::int64_t part = std::min(run.length, bytes);
      pieces[used++] = {run.base, static_cast<std::size_t>(part), descriptor(run.base, part)};
      runs.advance(part);
      bytes -= part;
    }
  }
};

}  // namespace

// True if all have been given to libfabric.
bool Channel::send_chunks(Outgoing& message) {
  const Clear& clear = message.clear;
  while (message.issued < message.bytes && message.parts < message.credits && message.in_flight < kMostChunks) {
    const std::int64_t bytes = std::min(message.bytes - message.issued, static_cast<std::int64_t>(clear.part));
    Chunk chunk;
    Runs runs = message.local;
    Stage* buffer = nullptr;
    if (message.is_packed) {
      buffer = stage(bytes);
      std::int64_t moved = 0;
      must(gapless_pack(message.base, message.shape->count, message.shape->form->type.get(), message.issued,
                        buffer->memory.get(), bytes, &moved));
      chunk.pieces[chunk.used++] = {buffer->memory.get(), static_cast<std::size_t>(bytes),
                                    buffer->region ? buffer->region->registration.descriptor : nullptr};
    }
    const auto descriptor = [&](void* base, std::int64_t part) { return descriptor_of(message, base, part); };
    if (!message.is_packed) chunk.take(runs, bytes, descriptor);
    Issue* operation = issue(message, fabric::Operation::Kind::kChunkOut);
    const int error = endpoint_->send_chunk(message.peer->address, {chunk.pieces.data(), chunk.used},
                                            tag(clear, message.parts), operation->operation);
    if (error != 0) {
      withdraw(operation);
      if (buffer != nullptr) free_stages_.push_back(buffer);
      if (!fabric::Endpoint::is_busy(error))
        lose(*message.peer, "libfabric: sending a chunk: " + fabric::Endpoint::text(error));
      return false;
    }
    operation->stage = buffer;
    message.local = runs;
    message.issued += bytes;
    ++message.parts;
    ++counters_.writes;
  }
  return message.issued == message.bytes;
}

// Each chunk has its receive before the sender knows that it may send it: one that nobody awaits is kept by libfabric,
// without bound, and found again by a search of all. All targets together take half of the receives that libfabric has
// room for, so that frames come in beside them.
void Channel::receive_chunks(Incoming& message) {
  const int all = endpoint_->most_receives() / 2 / static_cast<int>(targets_.size());
  const int most = message.window != 0 ? static_cast<int>(message.window) : std::clamp(all, 1, kMostChunks);
  while (message.position < message.bytes && message.in_flight < most) {
    const std::int64_t bytes = std::min(message.bytes - message.position, message.chunk);
    Chunk chunk;
    Runs runs = message.local;
    const auto descriptor = [&](void* base, std::int64_t part) { return descriptor_of(message, base, part); };
    chunk.take(runs, bytes, descriptor);
    Issue* operation = issue(message, fabric::Operation::Kind::kChunkIn);
    Clear clear;
    clear.target = message.target->index;
    clear.generation = message.target->generation;
    const int error = endpoint_->receive_chunk(message.peer->address, {chunk.pieces.data(), chunk.used},
                                               tag(clear, message.posted), operation->operation);
    if (error != 0) {
      withdraw(operation);
      if (!fabric::Endpoint::is_busy(error))
        lose(*message.peer, "libfabric: receiving a chunk: " + fabric::Endpoint::text(error));
      break;
    }
    message.local = runs;
    message.position += bytes;
    ++message.posted;
  }
  if (message.is_done) return;
  if (message.position == message.bytes && message.in_flight == 0) return finish(message);
  const std::uint32_t more = message.posted - std::min(message.posted, message.window + message.told);
  if (message.window == 0 || more == 0 ||
      (more < static_cast<std::uint32_t>(most) / 2 && message.position < message.bytes))
    return;
  message.told += more;
  Header header;
  header.kind = Kind::kCredit;
  header.message = message.message.header.message;
  header.number = message.told;
  mail_.post(*message.peer, mail_.blank(), header, 0);
}

}  // namespace gapless::channel
