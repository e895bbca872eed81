#include "halo.hpp"

#include "message.hpp"

#include <mpi.h>

#include <utility>
#include <vector>

namespace gapless::lab::exchange {
namespace {

using Before = std::function<void()>;

// What a call gets of one message.
struct Data {
  char* address;
  int count;
  MPI_Datatype type;
};

class Halo : public Operation {
 public:
  Halo(const Ends& ends, const Message& message, const Peers& peers, std::unique_ptr<Packing> packing)
      : ends_(ends),
        sent_block_(message.sent_block_bytes()),
        peers_(peers.targets),
        packing_(std::move(packing)),
        packed_(packing_ ? 2 * peers_.size() * static_cast<std::size_t>(ends.capacity) : 0) {}

 protected:
  // Of the message to a peer, which is packed now if it goes packed.
  Data sent(std::size_t peer) {
    char* const out = ends_.send + static_cast<std::int64_t>(peer) * sent_block_;
    if (!packing_) return {out, ends_.send_count, ends_.send_type};
    char* const to = packed(peer);
    return {to, packing_->pack(out, to), MPI_PACKED};
  }
  Data received(std::size_t peer) {
    if (packing_) return {packed(peers_.size() + peer), ends_.capacity, MPI_PACKED};
    return {in(peer), ends_.receive_count, ends_.receive_type};
  }
  // When the message from a peer is there.
  void unpack(std::size_t peer) {
    if (packing_) packing_->unpack(packed(peers_.size() + peer), ends_.capacity, in(peer));
  }
  const std::vector<int>& peers() const { return peers_; }

 private:
  char* in(std::size_t peer) const { return ends_.receive + static_cast<std::int64_t>(peer) * ends_.block_bytes; }
  char* packed(std::size_t place) { return packed_.data() + place * static_cast<std::size_t>(ends_.capacity); }
  Ends ends_;
  std::int64_t sent_block_;
  std::vector<int> peers_;
  std::unique_ptr<Packing> packing_;
  std::vector<char> packed_;  // what is sent to each peer, then what each sends
};

class Sendrecv final : public Halo {
 public:
  using Halo::Halo;
  // Each call sends on round the ring in one direction, so nobody waits for a call that is still to come.
  void run(const Before&) override {
    for (std::size_t k = 0; k < peers().size(); ++k) {
      const std::size_t from = peers().size() - 1 - k;
      const Data out = sent(k), in = received(from);
      MPI_Sendrecv(out.address, out.count, out.type, peers()[k], kTag, in.address, in.count, in.type, peers()[from],
                   kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      unpack(from);
    }
  }
};

// As codes do it: receives posted first, each message packed and sent in turn, unpacked when all are there.
class Waitall final : public Halo {
 public:
  Waitall(const Ends& ends, const Message& message, const Peers& of, std::unique_ptr<Packing> packing)
      : Halo(ends, message, of, std::move(packing)), requests_(2 * peers().size()) {}
  void run(const Before&) override {
    MPI_Request* next = requests_.data();
    for (std::size_t k = 0; k < peers().size(); ++k) {
      const Data in = received(k);
      MPI_Irecv(in.address, in.count, in.type, peers()[k], kTag, MPI_COMM_WORLD, next++);
    }
    for (std::size_t k = 0; k < peers().size(); ++k) {
      const Data out = sent(k);
      MPI_Isend(out.address, out.count, out.type, peers()[k], kTag, MPI_COMM_WORLD, next++);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t k = 0; k < peers().size(); ++k) unpack(k);
  }

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Operation> make_halo(Pattern pattern, const Ends& ends, const Message& message, const Peers& peers,
                                     std::unique_ptr<Packing> packing) {
  if (pattern == Pattern::kWaitall) return std::make_unique<Waitall>(ends, message, peers, std::move(packing));
  return std::make_unique<Sendrecv>(ends, message, peers, std::move(packing));
}

}  // namespace gapless::lab::exchange
