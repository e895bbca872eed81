#include "schemes.hpp"

#include "by_hand.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace gapless::lab::exchange {
namespace {

constexpr int kTag = 14;
// Calls of MPI_Pack take 20 to 50 ns each: more would take seconds, and whoever wants to know has known for long.
constexpr std::int64_t kMostElements = 2'000'000;
// With a million blocks of an MPI_Put Open MPI 5.0.11 runs out of memory.
constexpr std::int64_t kMostPutBlocks = 200'000;

// What all of them have: the message, its addresses and its part of the ping-pong.
class Scheme : public Operation {
 public:
  Scheme(const Trip& trip, const Message& message, Memory& memory)
      : trip_(trip), message_(message), send_(memory.send(message)), receive_(memory.receive(message)) {}

 protected:
  void receive(int peer) const {
    MPI_Recv(receive_, message_.receive.count, message_.receive.handle.handle(), peer, kTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }

  Trip trip_;
  const Message& message_;
  char* send_;
  char* receive_;
};

// The buffer for MPI_Bsend is attached once, as programs do. It holds two messages: that the last one has left it is
// maybe not known yet when the next one comes.
class Buffered final : public Scheme {
 public:
  Buffered(const Trip& trip, const Message& message, Memory& memory)
      : Scheme(trip, message, memory), buffer_(static_cast<std::size_t>(scheme_bytes(MethodKind::kBuffered, message))) {
    MPI_Buffer_attach(buffer_.data(), static_cast<int>(buffer_.size()));
  }
  Buffered(const Buffered&) = delete;
  Buffered& operator=(const Buffered&) = delete;
  ~Buffered() override {
    void* address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  }
  void run(const std::function<void()>& before_send) override {
    round_trip(
        trip_, before_send,
        [&](int peer) {
          MPI_Bsend(send_, message_.send.count, message_.send.handle.handle(), peer, kTag, MPI_COMM_WORLD);
        },
        [&](int peer) { receive(peer); });
  }

 private:
  std::vector<char> buffer_;
};

// The requests are made with the first message: with the layer on, where the member has it.
class Persistent final : public Scheme {
 public:
  using Scheme::Scheme;
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;
  ~Persistent() override {
    for (MPI_Request& request : requests_)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  void run(const std::function<void()>& before_send) override {
    if (requests_[0] == MPI_REQUEST_NULL) make_requests();
    round_trip(trip_, before_send, [&](int) { once(requests_[0]); }, [&](int) { once(requests_[1]); });
  }

 private:
  void make_requests() {
    MPI_Send_init(send_, message_.send.count, message_.send.handle.handle(), trip_.peer, kTag, MPI_COMM_WORLD,
                  &requests_[0]);
    MPI_Recv_init(receive_, message_.receive.count, message_.receive.handle.handle(), trip_.peer, kTag, MPI_COMM_WORLD,
                  &requests_[1]);
  }
  static void once(MPI_Request& request) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

// Each message is a fence, the MPI_Put and a fence, on both sides; there is nothing to answer with where one direction
// alone is timed.
class Put final : public Scheme {
 public:
  Put(const Trip& trip, const Message& message, Memory& memory) : Scheme(trip, message, memory) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, std::min(rank, trip.peer), rank, &pair_);
    MPI_Win_create(receive_, static_cast<MPI_Aint>(message.receive.span.high), 1, MPI_INFO_NULL, pair_, &window_);
  }
  Put(const Put&) = delete;
  Put& operator=(const Put&) = delete;
  ~Put() override {
    MPI_Win_free(&window_);
    MPI_Comm_free(&pair_);
  }

  void run(const std::function<void()>& before_send) override {
    if (trip_.leads) before_send();
    epoch(trip_.leads);
    if (trip_.empty_pong) return;
    if (!trip_.leads) before_send();
    epoch(!trip_.leads);
  }

 private:
  void epoch(bool puts) {
    MPI_Win_fence(0, window_);
    if (puts)
      MPI_Put(send_, message_.send.count, message_.send.handle.handle(), trip_.leads ? 1 : 0, 0, message_.receive.count,
              message_.receive.handle.handle(), window_);
    MPI_Win_fence(0, window_);
  }

  MPI_Comm pair_ = MPI_COMM_NULL;  // a fence waits for its members alone
  MPI_Win window_ = MPI_WIN_NULL;
};

// A call of MPI_Pack for each number, as who packs by loops but wants MPI's portable bytes does.
class PackElement final : public Scheme {
 public:
  PackElement(const Trip& trip, const Message& message, Memory& memory)
      : Scheme(trip, message, memory),
        packed_(memory.packed_send()),
        type_(hand_type(message)),
        bytes_(hand_element_bytes(message)),
        runs_(message.send.places->runs()) {}
  void run(const std::function<void()>& before_send) override {
    round_trip(trip_, before_send, [&](int peer) { send(peer); }, [&](int peer) { receive(peer); });
  }

 private:
  void send(int peer) {
    int position = 0;
    for (const ByteRun& run : runs_)
      for (std::int64_t at = 0; at < run.bytes; at += bytes_)
        MPI_Pack(send_ + run.displacement_bytes + at, 1, type_, packed_, message_.packed_capacity, &position,
                 MPI_COMM_WORLD);
    MPI_Send(packed_, position, MPI_PACKED, peer, kTag, MPI_COMM_WORLD);
  }

  char* packed_;
  MPI_Datatype type_;
  std::int64_t bytes_;
  std::vector<ByteRun> runs_;
};

}  // namespace

bool is_scheme(MethodKind method) {
  return method == MethodKind::kBuffered || method == MethodKind::kPersistent || method == MethodKind::kPut ||
         method == MethodKind::kPackElement;
}

std::string lacks_scheme(MethodKind method, const Message& message) {
  if (method == MethodKind::kBuffered && scheme_bytes(method, message) > std::numeric_limits<int>::max())
    return "MPI_Buffer_attach takes an int of bytes, and two messages of " + std::to_string(message.payload_bytes()) +
           " are more";
  if (method == MethodKind::kPut && message.receive.span.low < 0)
    return "what is received begins before its address, and a window begins there";
  if (method == MethodKind::kPut && message.send.places && message.send.places->run_count() > kMostPutBlocks)
    return "a library may run out of memory with the blocks of an MPI_Put where there are more than " +
           std::to_string(kMostPutBlocks);
  if (method == MethodKind::kPackElement && message.payload_bytes() / hand_element_bytes(message) > kMostElements)
    return "a call of MPI_Pack for each number of more than " + std::to_string(kMostElements) + " takes too long";
  return "";
}

std::unique_ptr<Operation> make_scheme(const Trip& trip, MethodKind method, const Message& message, Memory& memory) {
  switch (method) {
    case MethodKind::kBuffered:
      return std::make_unique<Buffered>(trip, message, memory);
    case MethodKind::kPersistent:
      return std::make_unique<Persistent>(trip, message, memory);
    case MethodKind::kPut:
      return std::make_unique<Put>(trip, message, memory);
    default:
      return std::make_unique<PackElement>(trip, message, memory);
  }
}

std::int64_t scheme_bytes(MethodKind method, const Message& message) {
  // What packing may need is known when the type is made; until then, what it carries.
  if (method == MethodKind::kBuffered)
    return 2 * (std::max<std::int64_t>(message.packed_capacity, message.payload_bytes()) + MPI_BSEND_OVERHEAD);
  if (method == MethodKind::kPackElement)
    return message.payload_bytes() / hand_element_bytes(message) * static_cast<std::int64_t>(sizeof(ByteRun));
  return 0;
}

}  // namespace gapless::lab::exchange
