#include "by_hand.hpp"

#include <utility>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 11;

LoopsBy compiler_of(MethodKind method) {
  return method == MethodKind::kHandC       ? LoopsBy::kC
         : method == MethodKind::kHandClang ? LoopsBy::kClang
                                            : LoopsBy::kFortran;
}

class HandPacking final : public Packing {
 public:
  HandPacking(const LoopsKernel::Functions& functions, const LoopsSpec& loops, int bytes)
      : functions_(functions), sizes_(loops.sizes.data()), list_(loops.list.data()), bytes_(bytes) {}
  int pack(const char* from, char* packed) const override {
    functions_.pack(sizes_, list_, from, packed);
    return bytes_;
  }
  void unpack(const char* packed, int, char* to) const override { functions_.unpack(sizes_, list_, packed, to); }

 private:
  LoopsKernel::Functions functions_;
  const int* sizes_;
  const int* list_;
  int bytes_;
};

bool unpacks(const Message& message) {
  const LoopsKernel::Unpacks how = find_loops(message.loops.kernel)->unpacks;
  return how == LoopsKernel::Unpacks::kAlways ||
         (how == LoopsKernel::Unpacks::kWhereAlike && !message.has_unlike_ends());
}

// As PingPong, one buffer for both directions; what is received dense goes straight to its place.
class PingPongByHand final : public Operation {
 public:
  PingPongByHand(const Trip& trip, const Message& message, Memory& memory, std::unique_ptr<Packing> packing)
      : trip_(trip),
        send_(memory.send(message)),
        receive_(memory.receive(message)),
        buffer_(memory.packed_send()),
        type_(hand_type(message)),
        count_(hand_count(message)),
        unpacks_(unpacks(message)),
        packing_(std::move(packing)) {}

  void run(const std::function<void()>& before_send) override {
    round_trip(trip_, before_send, [&](int peer) { send(peer); }, [&](int peer) { receive(peer); });
  }

 private:
  void send(int peer) {
    packing_->pack(send_, buffer_);
    MPI_Send(buffer_, count_, type_, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) {
    MPI_Recv(unpacks_ ? buffer_ : receive_, count_, type_, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (unpacks_) packing_->unpack(buffer_, 0, receive_);
  }

  Trip trip_;
  char* send_;
  char* receive_;
  char* buffer_;
  MPI_Datatype type_;
  int count_;
  bool unpacks_;
  std::unique_ptr<Packing> packing_;
};

}  // namespace

std::string lacks_loops(MethodKind method, const LoopsSpec& loops) {
  if (!is_by_hand(method) || find_loops(loops.kernel)->of(compiler_of(method)).pack != nullptr) return "";
  const std::string compiler = method == MethodKind::kHandC       ? "C"
                               : method == MethodKind::kHandClang ? "clang"
                                                                  : "Fortran";
  return "lab/exchange was built without a compiler for it: no " + compiler +
         " was found (build it where there is one)";
}

std::unique_ptr<Packing> make_hand_packing(MethodKind method, const Message& message) {
  const LoopsKernel* const kernel = find_loops(message.loops.kernel);
  const LoopsPayload payload = payload_of(message.loops);
  return std::make_unique<HandPacking>(kernel->of(compiler_of(method)), message.loops,
                                       static_cast<int>(payload.elements * payload.element_bytes));
}

MPI_Datatype hand_type(const Message& message) {
  return hand_element_bytes(message) == 4 ? MPI_FLOAT : MPI_DOUBLE;
}

int hand_count(const Message& message) {
  return static_cast<int>(payload_of(message.loops).elements);
}

std::int64_t hand_element_bytes(const Message& message) {
  return payload_of(message.loops).element_bytes;
}

std::unique_ptr<Operation> make_pingpong_by_hand(const Trip& trip, const Message& message, Memory& memory,
                                                 std::unique_ptr<Packing> packing) {
  return std::make_unique<PingPongByHand>(trip, message, memory, std::move(packing));
}

}  // namespace gapless::lab::exchange
