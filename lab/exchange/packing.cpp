#include "packing.hpp"

#include "by_hand.hpp"

#include <mpi.h>

#include "move/move.hpp"
#include "plan/plan.hpp"

namespace gapless::lab::exchange {
namespace {

class LibraryPacking final : public Packing {
 public:
  explicit LibraryPacking(const Message& message)
      : message_(message), send_(message.send.handle.handle()), receive_(message.receive.handle.handle()) {}
  // The packed size, not the upper bound that MPI_Pack_size gives.
  int pack(const char* from, char* packed) const override {
    int position = 0;
    MPI_Pack(from, message_.send.count, send_, packed, message_.packed_capacity, &position, MPI_COMM_WORLD);
    return position;
  }
  void unpack(const char* packed, int bytes, char* to) const override {
    int position = 0;
    MPI_Unpack(packed, bytes, &position, to, message_.receive.count, receive_, MPI_COMM_WORLD);
  }

 private:
  const Message& message_;
  MPI_Datatype send_;
  MPI_Datatype receive_;
};

// The loops that a scientist would write who knows the layout and distrusts MPI's datatypes.
class LoopPacking final : public Packing {
 public:
  explicit LoopPacking(const Message& message) : send_(*message.send.places), receive_(*message.receive.places) {}
  int pack(const char* from, char* packed) const override {
    send_.gather(from, packed);
    return static_cast<int>(send_.bytes());
  }
  void unpack(const char* packed, int, char* to) const override { receive_.scatter(packed, to); }

 private:
  const PayloadPlaces& send_;
  const PayloadPlaces& receive_;
};

class EnginePacking final : public Packing {
 public:
  explicit EnginePacking(const Message& message)
      : message_(message),
        send_(plan::compile(*message.send.type)),
        receive_(message.has_unlike_ends() ? plan::compile(*message.receive.type) : send_) {}
  int pack(const char* from, char* packed) const override {
    if (message_.payload_bytes() > 0) move::pack_all(*send_, message_.send.count, from, packed);
    return static_cast<int>(message_.payload_bytes());
  }
  void unpack(const char* packed, int, char* to) const override {
    if (message_.payload_bytes() > 0) move::unpack_all(*receive_, message_.receive.count, to, packed);
  }

 private:
  const Message& message_;
  plan::PlanPtr send_;
  plan::PlanPtr receive_;
};

}  // namespace

std::unique_ptr<Packing> make_packing(MethodKind method, const Message& message) {
  switch (method) {
    case MethodKind::kManual:
      return std::make_unique<LoopPacking>(message);
    case MethodKind::kEngine:
    case MethodKind::kEngineSend:
    case MethodKind::kEnginePack:
    case MethodKind::kEngineUnpack:
      return std::make_unique<EnginePacking>(message);
    case MethodKind::kHandC:
    case MethodKind::kHandClang:
    case MethodKind::kHandFortran:
      return make_hand_packing(method, message);
    default:
      return std::make_unique<LibraryPacking>(message);
  }
}

}  // namespace gapless::lab::exchange
