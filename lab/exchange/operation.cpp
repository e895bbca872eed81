#include "operation.hpp"

#include "agree.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "mpi_type.hpp"
#include "packing.hpp"

#include <mpi.h>

#include <utility>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 7;

using Before = std::function<void()>;
using PackingPtr = std::unique_ptr<Packing>;

// A message and the addresses that it has in the memory of this rank.
struct Ends {
  Ends(const Message& message, Memory& memory, Place at)
      : send(memory.send(message)),
        receive(memory.receive(message)),
        packed_send(memory.packed_send()),
        packed_receive(memory.packed_receive()),
        send_count(message.send.count),
        receive_count(message.receive.count),
        send_type(message.send.handle.handle()),
        receive_type(message.receive.handle.handle()),
        packed_bytes(message.packed_bytes),
        capacity(message.packed_capacity),
        block_bytes(message.block_bytes()),
        place(at) {}

  char* send;
  char* receive;
  char* packed_send;
  char* packed_receive;
  int send_count, receive_count;
  MPI_Datatype send_type, receive_type;
  int packed_bytes;
  int capacity;
  std::int64_t block_bytes;
  Place place;
};

class PingPong final : public Operation {
 public:
  PingPong(const Ends& ends, PackingPtr packing, bool packs, bool unpacks)
      : ends_(ends), packing_(std::move(packing)), packs_(packs), unpacks_(unpacks) {}
  // A rank that answers sends from its send buffer, not what it just received: both directions touch the same memory.
  void run(const Before& before_send) override {
    if (ends_.place.rank == 0) {
      before_send();
      send(1);
      receive(1);
    } else {
      receive(0);
      before_send();
      send(0);
    }
  }

 private:
  // Packs and unpacks in one buffer: it stays warmer in the caches than two, and a rival deserves its best.
  void send(int peer) {
    if (packs_) {
      const int bytes = packing_->pack(ends_.send, ends_.packed_send);
      MPI_Send(ends_.packed_send, bytes, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
    } else {
      MPI_Send(ends_.send, ends_.send_count, ends_.send_type, peer, kTag, MPI_COMM_WORLD);
    }
  }
  void receive(int peer) {
    if (unpacks_) {
      MPI_Recv(ends_.packed_send, ends_.capacity, MPI_PACKED, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      packing_->unpack(ends_.packed_send, ends_.capacity, ends_.receive);
    } else {
      MPI_Recv(ends_.receive, ends_.receive_count, ends_.receive_type, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }

  Ends ends_;
  PackingPtr packing_;
  bool packs_;
  bool unpacks_;
};

// No message: one rank packs or unpacks where the others do, and the other one waits.
class Alone final : public Operation {
 public:
  Alone(const Ends& ends, PackingPtr packing, Leaves leaves)
      : ends_(ends), packing_(std::move(packing)), leaves_(leaves) {}
  void run(const Before& before_send) override {
    if (leaves_ == Leaves::kPacked) before_send();
    if (ends_.place.rank != kAlone) return;
    if (leaves_ == Leaves::kPacked)
      packing_->pack(ends_.send, ends_.packed_send);
    else
      packing_->unpack(ends_.packed_send, ends_.capacity, ends_.receive);
  }
  Leaves leaves() const override { return leaves_; }
  bool sends() const override { return ends_.place.rank == kAlone; }

 private:
  Ends ends_;
  PackingPtr packing_;
  Leaves leaves_;
};

class Bcast : public Operation {
 public:
  Bcast(const Ends& ends, int root) : ends_(ends), root_(root) {}
  bool sends() const override { return ends_.place.rank == root_; }

 protected:
  Ends ends_;
  int root_;
};

class TypedBcast final : public Bcast {
 public:
  using Bcast::Bcast;
  void run(const Before&) override {
    if (sends())
      MPI_Bcast(ends_.send, ends_.send_count, ends_.send_type, root_, MPI_COMM_WORLD);
    else
      MPI_Bcast(ends_.receive, ends_.receive_count, ends_.receive_type, root_, MPI_COMM_WORLD);
  }
};

class PackedBcast final : public Bcast {
 public:
  PackedBcast(const Ends& ends, int root, PackingPtr packing) : Bcast(ends, root), packing_(std::move(packing)) {}
  void run(const Before&) override {
    if (sends()) {
      const int bytes = packing_->pack(ends_.send, ends_.packed_send);
      MPI_Bcast(ends_.packed_send, bytes, MPI_PACKED, root_, MPI_COMM_WORLD);
      return;
    }
    // All ranks must name the same number of bytes: known from the same MPI_Pack before.
    MPI_Bcast(ends_.packed_send, ends_.packed_bytes, MPI_PACKED, root_, MPI_COMM_WORLD);
    packing_->unpack(ends_.packed_send, ends_.packed_bytes, ends_.receive);
  }

 private:
  PackingPtr packing_;
};

class TypedAllgather final : public Operation {
 public:
  explicit TypedAllgather(const Ends& ends) : ends_(ends) {}
  void run(const Before&) override {
    MPI_Allgather(ends_.send, ends_.send_count, ends_.send_type, ends_.receive, ends_.receive_count, ends_.receive_type,
                  MPI_COMM_WORLD);
  }

 private:
  Ends ends_;
};

class PackedAllgather final : public Operation {
 public:
  PackedAllgather(const Ends& ends, PackingPtr packing) : ends_(ends), packing_(std::move(packing)) {}
  void run(const Before&) override {
    const int bytes = packing_->pack(ends_.send, ends_.packed_send);
    MPI_Allgather(ends_.packed_send, bytes, MPI_PACKED, ends_.packed_receive, bytes, MPI_PACKED, MPI_COMM_WORLD);
    // Each is a packing unit of its own.
    for (int rank = 0; rank < ends_.place.ranks; ++rank)
      packing_->unpack(ends_.packed_receive + std::int64_t{rank} * bytes, bytes,
                       ends_.receive + rank * ends_.block_bytes);
  }

 private:
  Ends ends_;
  PackingPtr packing_;
};

// The arguments of a side, a block for each of `places` many; no data for those that are no peers.
template <class Displacement>
struct Side {
  Side(std::size_t places, MPI_Datatype type) : counts(places, 0), displacements(places, 0), types(places, type) {}
  void set(std::size_t place, int count, std::int64_t displacement) {
    counts[place] = count;
    displacements[place] = static_cast<Displacement>(displacement);
  }
  std::vector<int> counts;
  std::vector<Displacement> displacements;
  std::vector<MPI_Datatype> types;
};

class Alltoallw final : public Operation {
 public:
  Alltoallw(const Ends& ends, const Message& message)
      : ends_(ends),
        out_(static_cast<std::size_t>(ends.place.ranks), ends.send_type),
        in_(static_cast<std::size_t>(ends.place.ranks), ends.receive_type) {
    int block = 0;
    for (const int peer : peers_of(Pattern::kAlltoallw, ends.place)) {
      const auto at = static_cast<std::size_t>(peer);
      out_.set(at, ends.send_count, as_int(block * message.sent_block_bytes(), "a displacement"));
      in_.set(at, ends.receive_count, as_int(block * message.block_bytes(), "a displacement"));
      ++block;
    }
  }
  void run(const Before&) override {
    MPI_Alltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(), ends_.receive,
                  in_.counts.data(), in_.displacements.data(), in_.types.data(), MPI_COMM_WORLD);
  }

 private:
  Ends ends_;
  Side<int> out_, in_;
};

class NeighborAlltoallw final : public Operation {
 public:
  NeighborAlltoallw(const Ends& ends, const Message& message)
      : ends_(ends),
        out_(static_cast<std::size_t>(message.sent_blocks), ends.send_type),
        in_(static_cast<std::size_t>(message.blocks), ends.receive_type) {
    const std::vector<int> peers = peers_of(Pattern::kNeighborAlltoallw, ends.place);
    for (std::size_t block = 0; block < peers.size(); ++block) {
      out_.set(block, ends.send_count, static_cast<std::int64_t>(block) * message.sent_block_bytes());
      in_.set(block, ends.receive_count, static_cast<std::int64_t>(block) * message.block_bytes());
    }
    const auto size = static_cast<int>(peers.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, size, peers.data(), MPI_UNWEIGHTED, size, peers.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring_);
  }
  NeighborAlltoallw(const NeighborAlltoallw&) = delete;
  NeighborAlltoallw& operator=(const NeighborAlltoallw&) = delete;
  ~NeighborAlltoallw() override { MPI_Comm_free(&ring_); }
  void run(const Before&) override {
    MPI_Neighbor_alltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(), ends_.receive,
                           in_.counts.data(), in_.displacements.data(), in_.types.data(), ring_);
  }

 private:
  Ends ends_;
  Side<MPI_Aint> out_, in_;
  MPI_Comm ring_ = MPI_COMM_NULL;
};

// What a halo exchange does with messages: all ranks send and receive at once, in a ring.
class Halo : public Operation {
 public:
  Halo(const Ends& ends, const Message& message)
      : ends_(ends),
        sent_block_(message.sent_block_bytes()),
        peers_(peers_of(Pattern::kSendrecv, ends.place)),
        requests_(2 * peers_.size()) {}

 protected:
  char* out(std::size_t peer) const { return ends_.send + static_cast<std::int64_t>(peer) * sent_block_; }
  char* in(std::size_t peer) const { return ends_.receive + static_cast<std::int64_t>(peer) * ends_.block_bytes; }
  Ends ends_;
  std::int64_t sent_block_;
  std::vector<int> peers_;
  std::vector<MPI_Request> requests_;
};

class Sendrecv final : public Halo {
 public:
  using Halo::Halo;
  // Each call sends on round the ring in one direction, so nobody waits for a call that is still to come.
  void run(const Before&) override {
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const std::size_t from = peers_.size() - 1 - k;
      MPI_Sendrecv(out(k), ends_.send_count, ends_.send_type, peers_[k], kTag, in(from), ends_.receive_count,
                   ends_.receive_type, peers_[from], kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
};

class Waitall final : public Halo {
 public:
  using Halo::Halo;
  void run(const Before&) override {
    MPI_Request* next = requests_.data();
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Irecv(in(k), ends_.receive_count, ends_.receive_type, peers_[k], kTag, MPI_COMM_WORLD, next++);
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Isend(out(k), ends_.send_count, ends_.send_type, peers_[k], kTag, MPI_COMM_WORLD, next++);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
};

std::unique_ptr<Operation> make_pingpong(const Ends& ends, MethodKind method, PackingPtr packing) {
  switch (method) {
    case MethodKind::kEnginePack:
      return std::make_unique<Alone>(ends, std::move(packing), Operation::Leaves::kPacked);
    case MethodKind::kEngineUnpack:
      return std::make_unique<Alone>(ends, std::move(packing), Operation::Leaves::kUnpacked);
    default:
      break;
  }
  const bool typed = method == MethodKind::kNative || method == MethodKind::kGapless || method == MethodKind::kLocal;
  return std::make_unique<PingPong>(ends, std::move(packing), !typed && method != MethodKind::kUnpackReceive,
                                    !typed && method != MethodKind::kPackSend);
}

}  // namespace

std::vector<int> peers_of(Pattern pattern, Place place) {
  std::vector<int> peers;
  if (pattern == Pattern::kAlltoallw) {
    for (int rank = 0; rank < place.ranks; ++rank) {
      if (rank != place.rank) peers.push_back(rank);
    }
  } else if (pattern == Pattern::kNeighborAlltoallw || pattern == Pattern::kSendrecv || pattern == Pattern::kWaitall) {
    peers = {(place.rank + place.ranks - 1) % place.ranks, (place.rank + 1) % place.ranks};
    if (place.ranks == 2) peers.pop_back();
  }
  return peers;
}

std::unique_ptr<Operation> make_operation(const GroupSpec& group, MethodKind method, const Message& message,
                                          Memory& memory, Place place) {
  const Ends ends(message, memory, place);
  const bool packed = method == MethodKind::kPack;
  PackingPtr packing = make_packing(method, message);
  switch (group.pattern) {
    case Pattern::kPingPong:
      break;
    case Pattern::kBcast:
      if (packed) return std::make_unique<PackedBcast>(ends, group.root, std::move(packing));
      return std::make_unique<TypedBcast>(ends, group.root);
    case Pattern::kAllgather:
      if (packed) return std::make_unique<PackedAllgather>(ends, std::move(packing));
      return std::make_unique<TypedAllgather>(ends);
    case Pattern::kAlltoallw:
      return std::make_unique<Alltoallw>(ends, message);
    case Pattern::kNeighborAlltoallw:
      return std::make_unique<NeighborAlltoallw>(ends, message);
    case Pattern::kSendrecv:
      return std::make_unique<Sendrecv>(ends, message);
    case Pattern::kWaitall:
      return std::make_unique<Waitall>(ends, message);
  }
  return make_pingpong(ends, method, std::move(packing));
}

}  // namespace gapless::lab::exchange
