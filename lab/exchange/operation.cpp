#include "operation.hpp"

#include <mpi.h>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 7;

using Before = std::function<void()>;

// A message and the addresses that it has in the memory of this rank.
struct Ends {
  Ends(const Message& message, Memory& memory, Place at)
      : send(memory.send(message)),
        receive(memory.receive(message)),
        packed_send(memory.packed_send()),
        packed_receive(memory.packed_receive()),
        count(message.count),
        type(message.handle.handle()),
        packed_bytes(message.packed_bytes),
        capacity(message.packed_capacity),
        block_bytes(message.block_bytes()),
        place(at) {}

  // The packed size, not the upper bound that MPI_Pack_size gives.
  int pack() const {
    int position = 0;
    MPI_Pack(send, count, type, packed_send, capacity, &position, MPI_COMM_WORLD);
    return position;
  }

  char* send;
  char* receive;
  char* packed_send;
  char* packed_receive;
  int count;
  MPI_Datatype type;
  int packed_bytes;
  int capacity;
  std::int64_t block_bytes;
  Place place;
};

class PingPong final : public Operation {
 public:
  PingPong(const Ends& ends, bool packs, bool unpacks) : ends_(ends), packs_(packs), unpacks_(unpacks) {}
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
      const int bytes = ends_.pack();
      MPI_Send(ends_.packed_send, bytes, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
    } else {
      MPI_Send(ends_.send, ends_.count, ends_.type, peer, kTag, MPI_COMM_WORLD);
    }
  }
  void receive(int peer) {
    if (unpacks_) {
      int position = 0;
      MPI_Recv(ends_.packed_send, ends_.capacity, MPI_PACKED, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Unpack(ends_.packed_send, ends_.capacity, &position, ends_.receive, ends_.count, ends_.type, MPI_COMM_WORLD);
    } else {
      MPI_Recv(ends_.receive, ends_.count, ends_.type, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }

  Ends ends_;
  bool packs_;
  bool unpacks_;
};

class TypedBcast final : public Operation {
 public:
  TypedBcast(const Ends& ends, int root) : ends_(ends), root_(root) {}
  void run(const Before&) override {
    MPI_Bcast(ends_.place.rank == root_ ? ends_.send : ends_.receive, ends_.count, ends_.type, root_, MPI_COMM_WORLD);
  }

 private:
  Ends ends_;
  int root_;
};

class PackedBcast final : public Operation {
 public:
  PackedBcast(const Ends& ends, int root) : ends_(ends), root_(root) {}
  void run(const Before&) override {
    if (ends_.place.rank == root_) {
      const int bytes = ends_.pack();
      MPI_Bcast(ends_.packed_send, bytes, MPI_PACKED, root_, MPI_COMM_WORLD);
      return;
    }
    // All ranks must name the same number of bytes: known from the same MPI_Pack before.
    int position = 0;
    MPI_Bcast(ends_.packed_send, ends_.packed_bytes, MPI_PACKED, root_, MPI_COMM_WORLD);
    MPI_Unpack(ends_.packed_send, ends_.packed_bytes, &position, ends_.receive, ends_.count, ends_.type,
               MPI_COMM_WORLD);
  }

 private:
  Ends ends_;
  int root_;
};

class TypedAllgather final : public Operation {
 public:
  explicit TypedAllgather(const Ends& ends) : ends_(ends) {}
  void run(const Before&) override {
    MPI_Allgather(ends_.send, ends_.count, ends_.type, ends_.receive, ends_.count, ends_.type, MPI_COMM_WORLD);
  }

 private:
  Ends ends_;
};

class PackedAllgather final : public Operation {
 public:
  explicit PackedAllgather(const Ends& ends) : ends_(ends) {}
  void run(const Before&) override {
    const int bytes = ends_.pack();
    MPI_Allgather(ends_.packed_send, bytes, MPI_PACKED, ends_.packed_receive, bytes, MPI_PACKED, MPI_COMM_WORLD);
    // Each is a packing unit of its own.
    for (int rank = 0; rank < ends_.place.ranks; ++rank) {
      int position = 0;
      MPI_Unpack(ends_.packed_receive + std::int64_t{rank} * bytes, bytes, &position,
                 ends_.receive + rank * ends_.block_bytes, ends_.count, ends_.type, MPI_COMM_WORLD);
    }
  }

 private:
  Ends ends_;
};

}  // namespace

std::unique_ptr<Operation> make_operation(const GroupSpec& group, MethodKind method, const Message& message,
                                          Memory& memory, Place place) {
  const Ends ends(message, memory, place);
  const bool packed = method == MethodKind::kPack;
  switch (group.pattern) {
    case Pattern::kPingPong:
      break;
    case Pattern::kBcast:
      if (packed) return std::make_unique<PackedBcast>(ends, group.root);
      return std::make_unique<TypedBcast>(ends, group.root);
    case Pattern::kAllgather:
      if (packed) return std::make_unique<PackedAllgather>(ends);
      return std::make_unique<TypedAllgather>(ends);
  }
  return std::make_unique<PingPong>(ends, packed || method == MethodKind::kPackSend,
                                    packed || method == MethodKind::kUnpackReceive);
}

}  // namespace gapless::lab::exchange
