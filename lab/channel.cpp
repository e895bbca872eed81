#include "channel.hpp"

#include "manual_loops.hpp"

namespace gapless::lab {
namespace {

constexpr int kTag = 7;

class TypedChannel final : public Channel {
 public:
  TypedChannel(int* send_buffer, int* receive_buffer, int count, MPI_Datatype type)
      : send_buffer_(send_buffer), receive_buffer_(receive_buffer), count_(count), type_(type) {}
  void send(int peer) override { MPI_Send(send_buffer_, count_, type_, peer, kTag, MPI_COMM_WORLD); }
  void receive(int peer) override {
    MPI_Recv(receive_buffer_, count_, type_, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

 private:
  int* send_buffer_;
  int* receive_buffer_;
  int count_;
  MPI_Datatype type_;
};

class ManualChannel final : public Channel {
 public:
  ManualChannel(Buffers& buffers, const Layout& layout)
      : buffers_(buffers), layout_(layout), elements_(static_cast<int>(layout.payload_elements())) {}
  void send(int peer) override {
    manual_pack(layout_, buffers_.user_send(), buffers_.scratch());
    MPI_Send(buffers_.scratch(), elements_, MPI_INT, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    MPI_Recv(buffers_.scratch(), elements_, MPI_INT, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    manual_unpack(layout_, buffers_.scratch(), buffers_.user_receive());
  }

 private:
  Buffers& buffers_;
  Layout layout_;
  int elements_;
};

class PackChannel final : public Channel {
 public:
  PackChannel(Buffers& buffers, int count, MPI_Datatype type) : buffers_(buffers), count_(count), type_(type) {}
  void send(int peer) override {
    int position = 0;
    MPI_Pack(buffers_.user_send(), count_, type_, buffers_.scratch(), buffers_.packed_capacity_bytes(), &position,
             MPI_COMM_WORLD);
    // The packed size, not the upper bound that MPI_Pack_size gives.
    MPI_Send(buffers_.scratch(), position, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    MPI_Recv(buffers_.scratch(), buffers_.packed_capacity_bytes(), MPI_PACKED, peer, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    int position = 0;
    MPI_Unpack(buffers_.scratch(), buffers_.packed_capacity_bytes(), &position, buffers_.user_receive(), count_, type_,
               MPI_COMM_WORLD);
  }

 private:
  Buffers& buffers_;
  int count_;
  MPI_Datatype type_;
};

}  // namespace

std::unique_ptr<Channel> make_contiguous_channel(Buffers& buffers, int elements) {
  return std::make_unique<TypedChannel>(buffers.packed_send(), buffers.packed_receive(), elements, MPI_INT);
}

std::unique_ptr<Channel> make_manual_channel(Buffers& buffers, const Layout& layout) {
  return std::make_unique<ManualChannel>(buffers, layout);
}

std::unique_ptr<Channel> make_pack_channel(Buffers& buffers, int count, MPI_Datatype type) {
  return std::make_unique<PackChannel>(buffers, count, type);
}

std::unique_ptr<Channel> make_typed_channel(Buffers& buffers, int count, MPI_Datatype type) {
  return std::make_unique<TypedChannel>(buffers.user_send(), buffers.user_receive(), count, type);
}

}  // namespace gapless::lab
