// Each block goes straight to its process, with the program's own datatypes: all at the same time (spread-out), or one
// pair of processes after the other (pairwise). Empty blocks are sent, too: if two processes do not agree which are,
// neither waits for ever.
#include <algorithm>
#include <vector>

#include "alltoall/irregular_rounds.hpp"
#include "base/checked.hpp"
#include "ext/alltoallv/exchange.hpp"
#include "ext/counted.hpp"
#include "ext/room.hpp"

namespace gapless::ext::irregular {

namespace {

using namespace alltoall::irregular;

// What the library is told of each other process's block: as it lies, or packed.
class Described {
 public:
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  Described(const Blocks& blocks, int rank, bool is_packed) : Described(blocks.size()) {
    for (int peer = 0; peer < blocks.size(); ++peer) {
      const Block& block = blocks[peer];
      if (peer == rank || block.bytes == 0) continue;
      Counted& made = messages_[static_cast<std::size_t>(peer)];
      const int code = is_packed ? counted(block.bytes, MPI_PACKED, made) : counted(block.count, block.type, made);
      if (code != MPI_SUCCESS) throw Wrong{code};
    }
  }
  ~Described() {
    for (Counted& one : messages_)
      if (one.is_made) MPI_Type_free(&one.type);
  }
  const Counted& operator[](int peer) const noexcept { return messages_[static_cast<std::size_t>(peer)]; }

 private:
  // Alone first, so that what throws afterwards leaves no type.
  explicit Described(int processes) : messages_(static_cast<std::size_t>(processes), Counted{0, MPI_BYTE, false}) {}

  std::vector<Counted> messages_;
};

// In place, what is sent waits as packed bytes.
class Direct : public Exchange {
 protected:
  explicit Direct(Call&& call)
      : call_(std::move(call)),
        in_(call_.received, call_.group.rank, false),
        out_(call_.sent, call_.group.rank, call_.is_in_place) {}

  // Bytes that are packed for a process: none for this one itself.
  std::int64_t packed_bytes(int peer) const noexcept {
    return call_.is_in_place && peer != call_.group.rank ? call_.sent[peer].bytes : 0;
  }

  int copy_own() const {
    if (call_.is_in_place) return MPI_SUCCESS;
    const Block &from = call_.sent[call_.group.rank], &to = call_.received[call_.group.rank];
    const int code = copy(from, to);
    return code == MPI_SUCCESS && from.bytes > to.bytes ? MPI_ERR_TRUNCATE : code;
  }
  int receive(int peer, MPI_Request* request) const noexcept {
    return MPI_Irecv(call_.received[peer].data, in_[peer].count, in_[peer].type, peer, call_.group.tag,
                     call_.group.comm, request);
  }
  // `packed`: null unless in place.
  int send(int peer, const char* packed, MPI_Request* request) const noexcept {
    const char* const data = call_.is_in_place ? packed : call_.sent[peer].data;
    return MPI_Isend(data, out_[peer].count, out_[peer].type, peer, call_.group.tag, call_.group.comm, request);
  }

  const Call call_;

 private:
  const Described in_, out_;
};

class SpreadOut final : public Direct {
 public:
  explicit SpreadOut(Call&& call) : Direct(std::move(call)), packed_(static_cast<std::size_t>(call_.group.size)) {
    const int others = call_.group.size - 1;
    requests_.assign(2 * static_cast<std::size_t>(others), MPI_REQUEST_NULL);
    if (!call_.is_in_place) return;
    std::int64_t bytes = 0;
    for (int peer = 0; peer < call_.group.size; ++peer)
      bytes = base::checked_add(bytes, packed_bytes(peer), "bytes that are sent");
    char* at = room_.reserve(bytes);
    for (int peer = 0; peer < call_.group.size; ++peer) {
      packed_[static_cast<std::size_t>(peer)] = at;
      at += packed_bytes(peer);
    }
  }

  int start() noexcept override {
    const int rank = call_.group.rank, size = call_.group.size;
    error_ = MPI_SUCCESS;
    if (call_.is_in_place)
      for (int peer = 0; peer < size; ++peer)
        if (peer != rank) note(error_, pack(call_.sent[peer], packed_[static_cast<std::size_t>(peer)]));
    MPI_Request* request = requests_.data();
    for (int j = 1; j < size; ++j) note(error_, receive(behind(rank, j, size), request++));
    for (int j = 1; j < size; ++j) {
      const int peer = before(rank, j, size);
      note(error_, send(peer, packed_[static_cast<std::size_t>(peer)], request++));
    }
    return error_;
  }

  int wait() noexcept override {
    note(error_, copy_own());
    note(error_, complete(requests_.data(), static_cast<int>(requests_.size())));
    return error_;
  }

 private:
  std::vector<char*> packed_;
  std::vector<MPI_Request> requests_;
  Room room_;
  int error_ = MPI_SUCCESS;
};

class Pairwise final : public Direct {
 public:
  explicit Pairwise(Call&& call) : Direct(std::move(call)) {
    if (!call_.is_in_place) return;
    std::int64_t largest = 0;
    for (int peer = 0; peer < call_.group.size; ++peer) largest = std::max(largest, packed_bytes(peer));
    packed_ = room_.reserve(largest);
  }

  int start() noexcept override {
    error_ = MPI_SUCCESS;
    post(0);
    return error_;
  }

  int wait() noexcept override {
    note(error_, copy_own());
    for (int round = 0; round < call_.group.size; ++round) {
      note(error_, complete(requests_, 2));
      if (round + 1 < call_.group.size) post(round + 1);
    }
    return error_;
  }

 private:
  // What is sent is read before the request of the receive can write to it: in place the two are one block.
  void post(int round) noexcept {
    requests_[0] = requests_[1] = MPI_REQUEST_NULL;
    const int peer = partner(call_.group.rank, round, call_.group.size);
    if (peer == call_.group.rank) return;
    if (call_.is_in_place) note(error_, pack(call_.sent[peer], packed_));
    note(error_, receive(peer, &requests_[0]));
    note(error_, send(peer, packed_, &requests_[1]));
  }

  char* packed_ = nullptr;
  Room room_;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int error_ = MPI_SUCCESS;
};

}  // namespace

std::unique_ptr<Exchange> make_spread_out(Call&& call) {
  return std::make_unique<SpreadOut>(std::move(call));
}

std::unique_ptr<Exchange> make_pairwise(Call&& call) {
  return std::make_unique<Pairwise>(std::move(call));
}

}  // namespace gapless::ext::irregular
