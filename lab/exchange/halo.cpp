#include "halo.hpp"

#include "message.hpp"

#include <mpi.h>

#include <utility>
#include <vector>

namespace gapless::lab::exchange {
namespace {

using Before = std::function<void()>;

class Halo : public Operation {
 public:
  Halo(const Ends& ends, const Message& message, const Peers& peers)
      : ends_(ends), sent_block_(message.sent_block_bytes()), peers_(peers.targets), requests_(2 * peers_.size()) {}

 protected:
  char* out(std::size_t peer) const { return ends_.send + static_cast<std::int64_t>(peer) * sent_block_; }
  char* in(std::size_t peer) const { return ends_.receive + static_cast<std::int64_t>(peer) * ends_.block_bytes; }
  void wait() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }
  Ends ends_;
  std::int64_t sent_block_;
  std::vector<int> peers_;
  std::vector<MPI_Request> requests_;
};

class Sendrecv final : public Halo {
 public:
  using Halo::Halo;
  // Each call sends on round the ring in one direction, so nobody waits for a call that is still to come.
  void run(const Before&) override {
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const std::size_t from = peers_.size() - 1 - k;
      MPI_Sendrecv(out(k), ends_.send_count, ends_.send_type, peers_[k], kTag, in(from), ends_.receive_count,
                   ends_.receive_type, peers_[from], kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
};

class Waitall final : public Halo {
 public:
  using Halo::Halo;
  void run(const Before&) override {
    MPI_Request* next = requests_.data();
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Irecv(in(k), ends_.receive_count, ends_.receive_type, peers_[k], kTag, MPI_COMM_WORLD, next++);
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Isend(out(k), ends_.send_count, ends_.send_type, peers_[k], kTag, MPI_COMM_WORLD, next++);
    wait();
  }
};

// As codes do it by hand: receives posted first, each message packed and sent in turn, unpacked when all are there.
class PackedHalo : public Halo {
 public:
  PackedHalo(const Ends& ends, const Message& message, const Peers& peers, std::unique_ptr<Packing> packing)
      : Halo(ends, message, peers), packing_(std::move(packing)) {
    for (auto* of : {&sent_, &received_}) of->resize(peers_.size() * static_cast<std::size_t>(ends_.capacity));
  }

 protected:
  char* packed(std::vector<char>& of, std::size_t peer) const {
    return of.data() + peer * static_cast<std::size_t>(ends_.capacity);
  }
  int pack(std::size_t peer) { return packing_->pack(out(peer), packed(sent_, peer)); }
  void unpack(std::size_t peer) { packing_->unpack(packed(received_, peer), ends_.capacity, in(peer)); }
  std::unique_ptr<Packing> packing_;
  std::vector<char> sent_, received_;
};

class PackedSendrecv final : public PackedHalo {
 public:
  using PackedHalo::PackedHalo;
  void run(const Before&) override {
    for (std::size_t k = 0; k < peers_.size(); ++k) {
      const std::size_t from = peers_.size() - 1 - k;
      const int bytes = pack(k);
      MPI_Sendrecv(packed(sent_, k), bytes, MPI_PACKED, peers_[k], kTag, packed(received_, from), ends_.capacity,
                   MPI_PACKED, peers_[from], kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      unpack(from);
    }
  }
};

class PackedWaitall final : public PackedHalo {
 public:
  using PackedHalo::PackedHalo;
  void run(const Before&) override {
    MPI_Request* next = requests_.data();
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Irecv(packed(received_, k), ends_.capacity, MPI_PACKED, peers_[k], kTag, MPI_COMM_WORLD, next++);
    for (std::size_t k = 0; k < peers_.size(); ++k)
      MPI_Isend(packed(sent_, k), pack(k), MPI_PACKED, peers_[k], kTag, MPI_COMM_WORLD, next++);
    wait();
    for (std::size_t k = 0; k < peers_.size(); ++k) unpack(k);
  }
};

}  // namespace

std::unique_ptr<Operation> make_halo(Pattern pattern, const Ends& ends, const Message& message, const Peers& peers,
                                     std::unique_ptr<Packing> packing) {
  const bool by_requests = pattern == Pattern::kWaitall;
  if (packing) {
    if (by_requests) return std::make_unique<PackedWaitall>(ends, message, peers, std::move(packing));
    return std::make_unique<PackedSendrecv>(ends, message, peers, std::move(packing));
  }
  if (by_requests) return std::make_unique<Waitall>(ends, message, peers);
  return std::make_unique<Sendrecv>(ends, message, peers);
}

}  // namespace gapless::lab::exchange
