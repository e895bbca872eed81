// A message on its way: out of this process, or into it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "channel/frame.hpp"
#include "channel/layouts.hpp"
#include "channel/peer.hpp"
#include "wire/fabric/endpoint.hpp"

struct GAPLESS_Transfer_s {
  virtual ~GAPLESS_Transfer_s() = default;
  gapless::channel::Peer* peer = nullptr;
  gapless::channel::ShapePtr shape;
  gapless::channel::PlacementPtr placement;  // of a message that is longer than eager ones
  char* base = nullptr;
  std::int64_t bytes = 0;  // of the message
  bool is_done = false;
  gapless::wire::fabric::Fault fault = gapless::wire::fabric::Fault::kNone;
  std::string text;  // of the fault
  std::int64_t began_ns = 0;
  int in_flight = 0;  // operations that libfabric has
};

namespace gapless::channel {

using Transfer = ::GAPLESS_Transfer_s;

// A walk along the runs of a message, in as small steps as one likes.
class Runs {
 public:
  Runs() = default;
  Runs(gapless_type type, std::int64_t count, char* base, std::int64_t bytes)
      : type_(type), count_(count), base_(base), bytes_(bytes) {}
  // The rest of the run at the current position; {nullptr, 0} at the end.
  gapless_iov rest();
  void advance(std::int64_t bytes) noexcept {
    taken_ += bytes;
    position_ += bytes;
  }
  std::int64_t position() const noexcept { return position_; }

 private:
  static constexpr std::int64_t kBatch = 64;
  gapless_type type_ = nullptr;
  std::int64_t count_ = 0;
  char* base_ = nullptr;
  std::int64_t bytes_ = 0, position_ = 0;
  std::array<gapless_iov, kBatch> batch_;
  std::int64_t entries_ = 0, next_ = 0, taken_ = 0;
};

using Pages = std::unique_ptr<char, void (*)(void*)>;
Pages page_aligned(std::int64_t bytes);  // throws std::bad_alloc

// A buffer that a sender packs into.
struct Stage {
  Pages memory{nullptr, nullptr};
  std::int64_t bytes = 0;
  wire::fabric::RegionPtr region;
};

struct Outgoing final : Transfer {
  std::uint32_t number = 0;
  Way asked = Way::kHost, way = Way::kHost;
  bool is_clear = false;
  std::uint64_t choice = 0;  // what its way is chosen by
  Clear clear;
  std::shared_ptr<const Type> remote_form;  // which `remote` walks along
  bool is_packed = false;                   // by way of stages
  std::uint32_t credits = 0, parts = 0;     // of the ring, or segments: may be sent; were sent
  std::int64_t issued = 0;                  // [bytes]
  std::uint32_t writes = 0;
  Runs local, remote;
  // A write that libfabric had no room for.
  struct Pending {
    std::vector<wire::fabric::Local> from;
    std::vector<wire::fabric::Remote> to;
    std::int64_t bytes = 0;
    Stage* stage = nullptr;
  };
  Pending pending;
};

// Where a message may arrive: one of the channel's, with a ring of buffers that was registered once.
struct Target {
  std::uint32_t index = 0, generation = 0;
  Incoming* user = nullptr;
  Pages ring{nullptr, nullptr};
  wire::fabric::RegionPtr region;
};

struct Incoming final : Transfer {
  std::int64_t capacity = 0;
  Arrived message;  // once it has come
  Way way = Way::kHost;
  Clear::Where where = Clear::Where::kRing;
  Target* target = nullptr;
  std::uint64_t unpacked = 0;         // a bit for each part of the ring beyond `freed`
  std::uint32_t freed = 0, told = 0;  // parts
  std::uint32_t writes = 0, expected_writes = 0;
  bool knows_writes = false;
  // Segments: a chunk of each number is received by itself.
  std::int64_t chunk = 0, position = 0;  // [bytes] of each; before the next one to be received
  std::uint32_t posted = 0, window = 0;  // receives of chunks; how many of them the sender learns with its CTS
  Runs local;
};

// An operation of libfabric's on behalf of a transfer.
struct Issue {
  wire::fabric::Operation operation;
  Transfer* transfer = nullptr;
  Stage* stage = nullptr;
};

}  // namespace gapless::channel
