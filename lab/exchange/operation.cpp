#include "operation.hpp"

#include "agree.hpp"
#include "alltoall.hpp"
#include "by_hand.hpp"
#include "ends.hpp"
#include "halo.hpp"
#include "memory.hpp"
#include "message.hpp"
#include "mpi_type.hpp"
#include "packing.hpp"
#include "phases.hpp"
#include "round_trip.hpp"
#include "schemes.hpp"

#include <mpi.h>

#include <utility>

namespace gapless::lab::exchange {
namespace {

using Before = std::function<void()>;
using PackingPtr = std::unique_ptr<Packing>;

class PingPong final : public Operation {
 public:
  PingPong(const Trip& trip, const Ends& ends, PackingPtr packing, bool packs, bool unpacks)
      : trip_(trip), ends_(ends), packing_(std::move(packing)), packs_(packs), unpacks_(unpacks) {}
  void run(const Before& before_send) override {
    round_trip(trip_, before_send, [&](int peer) { send(peer); }, [&](int peer) { receive(peer); });
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

  Trip trip_;
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

// `waits`: by the nonblocking procedure and MPI_Wait.
class Alltoallw final : public Operation {
 public:
  Alltoallw(const Ends& ends, const Message& message, const Peers& peers, bool waits)
      : ends_(ends),
        waits_(waits),
        out_(static_cast<std::size_t>(ends.place.ranks), ends.send_type),
        in_(static_cast<std::size_t>(ends.place.ranks), ends.receive_type) {
    int block = 0;
    for (const int peer : peers.targets) {
      const auto at = static_cast<std::size_t>(peer);
      out_.set(at, ends.send_count, as_int(block * message.sent_block_bytes(), "a displacement"));
      in_.set(at, ends.receive_count, as_int(block * message.block_bytes(), "a displacement"));
      ++block;
    }
  }
  void run(const Before&) override {
    if (!waits_) {
      MPI_Alltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(), ends_.receive,
                    in_.counts.data(), in_.displacements.data(), in_.types.data(), MPI_COMM_WORLD);
      return;
    }
    MPI_Request request;
    MPI_Ialltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(), ends_.receive,
                   in_.counts.data(), in_.displacements.data(), in_.types.data(), MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  Ends ends_;
  bool waits_;
  Side<int> out_, in_;
};

// A communicator on which each rank's neighbours are its peers.
class Neighbors : public Operation {
 public:
  Neighbors(const Ends& ends, const Peers& peers) : ends_(ends) {
    const auto sources = static_cast<int>(peers.sources.size()), targets = static_cast<int>(peers.targets.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, sources, peers.sources.data(), MPI_UNWEIGHTED, targets,
                                   peers.targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring_);
  }
  Neighbors(const Neighbors&) = delete;
  Neighbors& operator=(const Neighbors&) = delete;
  ~Neighbors() override { MPI_Comm_free(&ring_); }

 protected:
  Ends ends_;
  MPI_Comm ring_ = MPI_COMM_NULL;
};

// `waits`: as above.
class NeighborAlltoallw final : public Neighbors {
 public:
  NeighborAlltoallw(const Ends& ends, const Message& message, const Peers& peers, bool waits)
      : Neighbors(ends, peers),
        waits_(waits),
        out_(static_cast<std::size_t>(message.sent_blocks), ends.send_type),
        in_(static_cast<std::size_t>(message.blocks), ends.receive_type) {
    for (std::size_t block = 0; block < peers.targets.size(); ++block) {
      out_.set(block, ends.send_count, static_cast<std::int64_t>(block) * message.sent_block_bytes());
      in_.set(block, ends.receive_count, static_cast<std::int64_t>(block) * message.block_bytes());
    }
  }
  void run(const Before&) override {
    if (!waits_) {
      MPI_Neighbor_alltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(),
                             ends_.receive, in_.counts.data(), in_.displacements.data(), in_.types.data(), ring_);
      return;
    }
    MPI_Request request;
    MPI_Ineighbor_alltoallw(ends_.send, out_.counts.data(), out_.displacements.data(), out_.types.data(), ends_.receive,
                            in_.counts.data(), in_.displacements.data(), in_.types.data(), ring_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  bool waits_;
  Side<MPI_Aint> out_, in_;
};

class NeighborAlltoall final : public Neighbors {
 public:
  using Neighbors::Neighbors;
  void run(const Before&) override {
    MPI_Neighbor_alltoall(ends_.send, ends_.send_count, ends_.send_type, ends_.receive, ends_.receive_count,
                          ends_.receive_type, ring_);
  }
};

// Gatherv, and scatterv: the root has a block for each other rank.
class Rooted final : public Operation {
 public:
  Rooted(const Ends& ends, int root, bool gathers, const Peers& peers)
      : ends_(ends),
        root_(root),
        gathers_(gathers),
        many_(static_cast<std::size_t>(ends.place.ranks), gathers ? ends.receive_type : ends.send_type) {
    const int count = gathers ? ends.receive_count : ends.send_count;
    int block = 0;
    for (const int peer : gathers ? peers.sources : peers.targets) {
      many_.set(static_cast<std::size_t>(peer), count, std::int64_t{block} * count);
      ++block;
    }
  }
  bool sends() const override { return gathers_ != (ends_.place.rank == root_); }
  void run(const Before&) override {
    const bool is_root = ends_.place.rank == root_;
    if (gathers_) {
      MPI_Gatherv(ends_.send, is_root ? 0 : ends_.send_count, ends_.send_type, ends_.receive, many_.counts.data(),
                  many_.displacements.data(), ends_.receive_type, root_, MPI_COMM_WORLD);
    } else {
      MPI_Scatterv(ends_.send, many_.counts.data(), many_.displacements.data(), ends_.send_type, ends_.receive,
                   is_root ? 0 : ends_.receive_count, ends_.receive_type, root_, MPI_COMM_WORLD);
    }
  }

 private:
  Ends ends_;
  int root_;
  bool gathers_;
  Side<int> many_;
};

std::unique_ptr<Operation> make_pingpong(const Trip& trip, const Ends& ends, MethodKind method, PackingPtr packing) {
  switch (method) {
    case MethodKind::kEnginePack:
      return std::make_unique<Alone>(ends, std::move(packing), Operation::Leaves::kPacked);
    case MethodKind::kEngineUnpack:
      return std::make_unique<Alone>(ends, std::move(packing), Operation::Leaves::kUnpacked);
    default:
      break;
  }
  const bool typed = method == MethodKind::kNative || method == MethodKind::kGapless || method == MethodKind::kLocal;
  const bool received_typed = typed || method == MethodKind::kPackSend || method == MethodKind::kEngineSend;
  return std::make_unique<PingPong>(trip, ends, std::move(packing), !typed && method != MethodKind::kUnpackReceive,
                                    !received_typed);
}

}  // namespace

bool has_peers(Pattern pattern) {
  return pattern != Pattern::kPingPong && pattern != Pattern::kBcast && pattern != Pattern::kAllgather;
}

Peers peers_of(const GroupSpec& group, Place place) {
  if (!has_peers(group.pattern)) return {};
  std::vector<int> others;
  for (int rank = 0; rank < place.ranks; ++rank) {
    if (rank != place.rank || group.pattern == Pattern::kAlltoall) others.push_back(rank);
  }
  const bool is_root = place.rank == group.root;
  const std::vector<int> of_root = is_root ? others : std::vector<int>{},
                         of_each = is_root ? std::vector<int>{} : std::vector{group.root};
  if (group.pattern == Pattern::kGatherv) return {of_each, of_root};
  if (group.pattern == Pattern::kScatterv) return {of_root, of_each};
  const bool all = group.pattern == Pattern::kAlltoallw || group.pattern == Pattern::kIalltoallw ||
                   group.pattern == Pattern::kAlltoall;
  if (!all && place.ranks > 2) {
    others = {(place.rank + place.ranks - 1) % place.ranks, (place.rank + 1) % place.ranks};
  }
  return {others, others};
}

std::unique_ptr<Operation> make_operation(const GroupSpec& group, MethodKind method, const Message& message,
                                          Memory& memory, Place place, Stamps* stamps) {
  const Ends ends(message, memory, place);
  const bool packed = method == MethodKind::kPack;
  const Peers peers = peers_of(group, place);
  PackingPtr packing = make_packing(method, message);
  if (stamps) packing = stamped(std::move(packing), *stamps);
  switch (group.pattern) {
    case Pattern::kPingPong:
      if (is_by_hand(method)) return make_pingpong_by_hand(Trip(group, place), message, memory, std::move(packing));
      if (is_scheme(method)) return make_scheme(Trip(group, place), method, message, memory);
      break;
    case Pattern::kAlltoall:
      return make_alltoall(method, message, memory, std::move(packing));
    case Pattern::kBcast:
      if (packed) return std::make_unique<PackedBcast>(ends, group.root, std::move(packing));
      return std::make_unique<TypedBcast>(ends, group.root);
    case Pattern::kAllgather:
      if (packed) return std::make_unique<PackedAllgather>(ends, std::move(packing));
      return std::make_unique<TypedAllgather>(ends);
    case Pattern::kAlltoallw:
    case Pattern::kIalltoallw:
      return std::make_unique<Alltoallw>(ends, message, peers, group.pattern == Pattern::kIalltoallw);
    case Pattern::kNeighborAlltoallw:
    case Pattern::kIneighborAlltoallw:
      return std::make_unique<NeighborAlltoallw>(ends, message, peers, group.pattern == Pattern::kIneighborAlltoallw);
    case Pattern::kNeighborAlltoall:
      return std::make_unique<NeighborAlltoall>(ends, peers);
    case Pattern::kGatherv:
    case Pattern::kScatterv:
      return std::make_unique<Rooted>(ends, group.root, group.pattern == Pattern::kGatherv, peers);
    case Pattern::kSendrecv:
    case Pattern::kWaitall:
      return make_halo(group.pattern, ends, message, peers, packed ? std::move(packing) : nullptr);
  }
  return make_pingpong(Trip(group, place), ends, method, std::move(packing));
}

}  // namespace gapless::lab::exchange
