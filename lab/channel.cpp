#include "channel.hpp"

#include "manual_loops.hpp"

#include <utility>

namespace gapless::lab {
namespace {

constexpr int kTag = 7;

class TypedChannel final : public Channel {
 public:
  TypedChannel(void* send_buffer, void* receive_buffer, const Ends& ends)
      : send_buffer_(send_buffer), receive_buffer_(receive_buffer), ends_(ends) {}
  void send(int peer) override {
    MPI_Send(send_buffer_, ends_.send_count, ends_.send_type, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    MPI_Recv(receive_buffer_, ends_.receive_count, ends_.receive_type, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

 private:
  void* send_buffer_;
  void* receive_buffer_;
  Ends ends_;
};

class ManualChannel final : public Channel {
 public:
  ManualChannel(Buffers& buffers, const Layout& layout)
      : buffers_(buffers), layout_(layout), bytes_(static_cast<int>(layout.payload_bytes())) {}
  void send(int peer) override {
    manual_pack(layout_, buffers_.user_send(), buffers_.scratch());
    MPI_Send(buffers_.scratch(), bytes_, MPI_BYTE, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    MPI_Recv(buffers_.scratch(), bytes_, MPI_BYTE, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    manual_unpack(layout_, buffers_.scratch(), buffers_.user_receive());
  }

 private:
  Buffers& buffers_;
  Layout layout_;
  int bytes_;
};

class PackChannel final : public Channel {
 public:
  PackChannel(Buffers& buffers, const Ends& ends) : buffers_(buffers), ends_(ends) {}
  void send(int peer) override {
    int position = 0;
    MPI_Pack(buffers_.user_send(), ends_.send_count, ends_.send_type, buffers_.scratch(),
             buffers_.packed_capacity_bytes(), &position, MPI_COMM_WORLD);
    // The packed size, not the upper bound that MPI_Pack_size gives.
    MPI_Send(buffers_.scratch(), position, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    MPI_Recv(buffers_.scratch(), buffers_.packed_capacity_bytes(), MPI_PACKED, peer, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    int position = 0;
    MPI_Unpack(buffers_.scratch(), buffers_.packed_capacity_bytes(), &position, buffers_.user_receive(),
               ends_.receive_count, ends_.receive_type, MPI_COMM_WORLD);
  }

 private:
  Buffers& buffers_;
  Ends ends_;
};

class NonblockingChannel final : public Channel {
 public:
  NonblockingChannel(Buffers& buffers, const Ends& ends) : buffers_(buffers), ends_(ends) {}
  void send(int peer) override {
    MPI_Request request;
    MPI_Isend(buffers_.user_send(), ends_.send_count, ends_.send_type, peer, kTag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  void receive(int peer) override {
    MPI_Request request;
    MPI_Irecv(buffers_.user_receive(), ends_.receive_count, ends_.receive_type, peer, kTag, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

 private:
  Buffers& buffers_;
  Ends ends_;
};

class OneSidedChannel final : public Channel {
 public:
  OneSidedChannel(std::unique_ptr<Channel> inner, const LayerSwitch& layer, bool on_send)
      : inner_(std::move(inner)), layer_(layer), on_send_(on_send) {}
  void send(int peer) override {
    layer_.set(on_send_);
    inner_->send(peer);
  }
  void receive(int peer) override {
    layer_.set(!on_send_);
    inner_->receive(peer);
  }

 private:
  std::unique_ptr<Channel> inner_;
  const LayerSwitch& layer_;
  bool on_send_;
};

// Never refused: type, count and room were proved by a verified run before.
class EnginePack final : public Channel {
 public:
  EnginePack(Buffers& buffers, EngineEnds ends) : buffers_(buffers), ends_(std::move(ends)) {}
  void send(int) override {
    std::int64_t moved = 0;
    gapless_pack(buffers_.user_send(), ends_.send_count, ends_.send_type.handle(), 0, buffers_.scratch(),
                 buffers_.payload_bytes(), &moved);
  }
  void receive(int) override {}

 private:
  Buffers& buffers_;
  EngineEnds ends_;
};

class EngineUnpack final : public Channel {
 public:
  EngineUnpack(Buffers& buffers, EngineEnds ends) : buffers_(buffers), ends_(std::move(ends)) {}
  void send(int) override {
    std::int64_t moved = 0;
    gapless_unpack(buffers_.scratch(), buffers_.payload_bytes(), 0, buffers_.user_receive(), ends_.receive_count,
                   ends_.receive_type.handle(), &moved);
  }
  void receive(int) override {}

 private:
  Buffers& buffers_;
  EngineEnds ends_;
};

class EngineChannel final : public Channel {
 public:
  EngineChannel(Buffers& buffers, EngineEnds ends) : buffers_(buffers), ends_(std::move(ends)) {}
  void send(int peer) override {
    std::int64_t moved = 0;
    gapless_pack(buffers_.user_send(), ends_.send_count, ends_.send_type.handle(), 0, buffers_.scratch(),
                 buffers_.payload_bytes(), &moved);
    MPI_Send(buffers_.scratch(), static_cast<int>(moved), MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
  }
  void receive(int peer) override {
    const auto bytes = static_cast<int>(buffers_.payload_bytes());
    MPI_Recv(buffers_.scratch(), bytes, MPI_PACKED, peer, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::int64_t moved = 0;
    gapless_unpack(buffers_.scratch(), bytes, 0, buffers_.user_receive(), ends_.receive_count,
                   ends_.receive_type.handle(), &moved);
  }

 private:
  Buffers& buffers_;
  EngineEnds ends_;
};

}  // namespace

std::unique_ptr<Channel> make_contiguous_channel(Buffers& buffers, bool ints) {
  const auto count = static_cast<int>(buffers.payload_bytes() / (ints ? kIntBytes : 1));
  const MPI_Datatype type = ints ? MPI_INT : MPI_BYTE;
  return std::make_unique<TypedChannel>(buffers.packed_send(), buffers.packed_receive(),
                                        Ends{count, type, count, type});
}

std::unique_ptr<Channel> make_manual_channel(Buffers& buffers, const Layout& layout) {
  return std::make_unique<ManualChannel>(buffers, layout);
}

std::unique_ptr<Channel> make_pack_channel(Buffers& buffers, const Ends& ends) {
  return std::make_unique<PackChannel>(buffers, ends);
}

std::unique_ptr<Channel> make_typed_channel(Buffers& buffers, const Ends& ends) {
  return std::make_unique<TypedChannel>(buffers.user_send(), buffers.user_receive(), ends);
}

std::unique_ptr<Channel> make_nonblocking_channel(Buffers& buffers, const Ends& ends) {
  return std::make_unique<NonblockingChannel>(buffers, ends);
}

std::unique_ptr<Channel> make_one_sided_channel(Buffers& buffers, const Ends& ends, const LayerSwitch& layer,
                                                bool on_send) {
  return std::make_unique<OneSidedChannel>(make_typed_channel(buffers, ends), layer, on_send);
}

std::unique_ptr<Channel> make_engine_channel(Buffers& buffers, EngineEnds ends) {
  return std::make_unique<EngineChannel>(buffers, std::move(ends));
}

std::unique_ptr<Channel> make_engine_pack(Buffers& buffers, EngineEnds ends) {
  return std::make_unique<EnginePack>(buffers, std::move(ends));
}

std::unique_ptr<Channel> make_engine_unpack(Buffers& buffers, EngineEnds ends) {
  return std::make_unique<EngineUnpack>(buffers, std::move(ends));
}

}  // namespace gapless::lab
