#include "fresh.hpp"

#include "mpi_type.hpp"

#include <mpi.h>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 12;

class FreshPingPong final : public Operation {
 public:
  FreshPingPong(const Trip& trip, const Message& message, Memory& memory, bool fresh_type, bool packs)
      : trip_(trip), message_(message), memory_(memory), fresh_type_(fresh_type), packs_(packs) {}

  void run(const std::function<void()>& before_send) override {
    if (!fresh_type_) {
      exchange(message_.send.handle.handle(), message_.receive.handle.handle(), before_send);
      return;
    }
    const MpiType sent = make_type_again(*message_.send.type);
    const MpiType unlike = message_.has_unlike_ends() ? make_type_again(*message_.receive.type) : MpiType();
    exchange(sent.handle(), message_.has_unlike_ends() ? unlike.handle() : sent.handle(), before_send);
  }

 private:
  void exchange(MPI_Datatype sent, MPI_Datatype received, const std::function<void()>& before_send) {
    round_trip(trip_, before_send, [&](int peer) { send(sent, peer); }, [&](int peer) { receive(received, peer); });
  }

  // As PingPong in operation.cpp: one buffer for what is packed and what is to be unpacked.
  void send(MPI_Datatype type, int peer) {
    const char* const from = memory_.send(message_);
    if (!packs_) {
      MPI_Send(from, message_.send.count, type, peer, kTag, MPI_COMM_WORLD);
      return;
    }
    int bytes = 0;
    MPI_Pack(from, message_.send.count, type, memory_.packed_send(), message_.packed_capacity, &bytes, MPI_COMM_WORLD);
    MPI_Send(memory_.packed_send(), bytes, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(MPI_Datatype type, int peer) {
    char* const to = memory_.receive(message_);
    if (!packs_) {
      MPI_Recv(to, message_.receive.count, type, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      return;
    }
    const int capacity = message_.packed_capacity;
    MPI_Recv(memory_.packed_send(), capacity, MPI_PACKED, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int position = 0;
    MPI_Unpack(memory_.packed_send(), capacity, &position, to, message_.receive.count, type, MPI_COMM_WORLD);
  }

  Trip trip_;
  const Message& message_;
  Memory& memory_;
  bool fresh_type_;
  bool packs_;
};

}  // namespace

bool can_be_fresh(MethodKind method) {
  return method == MethodKind::kNative || method == MethodKind::kGapless || method == MethodKind::kLocal ||
         method == MethodKind::kPack;
}

std::unique_ptr<Operation> make_fresh_pingpong(const Trip& trip, const MemberSpec& member, const Message& message,
                                               Memory& memory) {
  return std::make_unique<FreshPingPong>(trip, message, memory, member.fresh_type, member.method == MethodKind::kPack);
}

}  // namespace gapless::lab::exchange
