#include "alltoall.hpp"

#include "by_hand.hpp"

#include <mpi.h>

#include <utility>

namespace gapless::lab::exchange {
namespace {

class TypedAlltoall final : public Operation {
 public:
  TypedAlltoall(const Message& message, Memory& memory) : message_(message), memory_(memory) {}
  void run(const std::function<void()>&) override {
    MPI_Alltoall(memory_.send(message_), message_.send.count, message_.send.handle.handle(), memory_.receive(message_),
                 message_.receive.count, message_.receive.handle.handle(), MPI_COMM_WORLD);
  }

 private:
  const Message& message_;
  Memory& memory_;
};

// Each block is a packing unit of its own, at both ends.
class PackedAlltoall final : public Operation {
 public:
  PackedAlltoall(const Message& message, Memory& memory, std::unique_ptr<Packing> packing)
      : message_(message), memory_(memory), packing_(std::move(packing)) {}
  void run(const std::function<void()>&) override {
    const int bytes = message_.packed_bytes;
    const char* from = memory_.send(message_);
    for (std::int64_t block = 0; block < message_.sent_blocks; ++block)
      packing_->pack(from + block * message_.sent_block_bytes(), memory_.packed_send() + block * bytes);
    MPI_Alltoall(memory_.packed_send(), bytes, MPI_PACKED, memory_.packed_receive(), bytes, MPI_PACKED, MPI_COMM_WORLD);
    char* const to = memory_.receive(message_);
    for (std::int64_t block = 0; block < message_.blocks; ++block)
      packing_->unpack(memory_.packed_receive() + block * bytes, bytes, to + block * message_.block_bytes());
  }

 private:
  const Message& message_;
  Memory& memory_;
  std::unique_ptr<Packing> packing_;
};

// An application's loops pack all blocks.
class AlltoallByHand final : public Operation {
 public:
  AlltoallByHand(const Message& message, Memory& memory, std::unique_ptr<Packing> packing)
      : message_(message),
        memory_(memory),
        type_(hand_type(message)),
        count_(hand_count(message) / message.sent_blocks),
        packing_(std::move(packing)) {}
  void run(const std::function<void()>&) override {
    packing_->pack(memory_.send(message_), memory_.packed_send());
    MPI_Alltoall(memory_.packed_send(), count_, type_, memory_.packed_receive(), count_, type_, MPI_COMM_WORLD);
    packing_->unpack(memory_.packed_receive(), 0, memory_.receive(message_));
  }

 private:
  const Message& message_;
  Memory& memory_;
  MPI_Datatype type_;
  int count_;
  std::unique_ptr<Packing> packing_;
};

}  // namespace

std::unique_ptr<Operation> make_alltoall(MethodKind method, const Message& message, Memory& memory,
                                         std::unique_ptr<Packing> packing) {
  if (is_by_hand(method)) return std::make_unique<AlltoallByHand>(message, memory, std::move(packing));
  if (method == MethodKind::kPack) return std::make_unique<PackedAlltoall>(message, memory, std::move(packing));
  return std::make_unique<TypedAlltoall>(message, memory);
}

}  // namespace gapless::lab::exchange
