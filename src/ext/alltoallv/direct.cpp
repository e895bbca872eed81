// Each block goes straight to its process, with the program's own datatype or packed by the engine where it has gaps:
// all at the same time (spread-out), or one pair of processes after the other (pairwise). Empty blocks are sent, too:
// if two processes do not agree which are, neither waits for ever. But those of a persistent spread-out are told in
// init.
#include <algorithm>
#include <vector>

#include "alltoall/irregular_rounds.hpp"
#include "base/checked.hpp"
#include "ext/alltoallv/exchange.hpp"
#include "ext/counted.hpp"
#include "ext/gaps.hpp"
#include "ext/room.hpp"
#include "mpi/abi/status.hpp"

namespace gapless::ext::irregular {

namespace {

using namespace alltoall::irregular;

// True if the engine packs and unpacks the block, for it is no run of bytes.
bool has_gaps(const Block& block) noexcept {
  return block.bytes > 0 && block.plan != nullptr && block.run == nullptr && are_gaps_packed(block.bytes);
}

// Of one side [bytes], but for what must be: a program may have counted on its memory. What is beyond is the library's.
constexpr std::int64_t kMostPacked = 64 << 20;

// One side's blocks as the library is told of them: as they lie, or packed, each in memory of its own.
class Described {
 public:
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;
  // `packs_all`: also what is a run. Packed ones need bytes() of memory, which place() gives them.
  Described(const Blocks& blocks, int rank, bool packs_all) : Described(blocks.size()) {
    std::int64_t left = kMostPacked;
    for (int peer = 0; peer < blocks.size(); ++peer) {
      const Block& block = blocks[peer];
      if (peer == rank || block.bytes == 0) continue;
      One& one = all_[static_cast<std::size_t>(peer)];
      one.data = block.data;
      one.is_packed = packs_all || (has_gaps(block) && block.bytes <= left);
      if (one.is_packed) left -= block.bytes;
      const int code =
          one.is_packed ? counted(block.bytes, MPI_PACKED, one.counted) : counted(block.count, block.type, one.counted);
      if (code != MPI_SUCCESS) throw Wrong{code};
    }
  }
  ~Described() {
    for (One& one : all_)
      if (one.counted.is_made) MPI_Type_free(&one.counted.type);
  }

  struct One {
    char* data = nullptr;  // where the library reads or writes it
    Counted counted{0, MPI_BYTE, false};
    bool is_packed = false;
  };
  const One& operator[](int peer) const noexcept { return all_[static_cast<std::size_t>(peer)]; }

  enum class Memory { kForEach, kForOne };  // that one is used after the other
  // Of all that is packed [bytes].
  std::int64_t bytes(const Blocks& blocks, Memory memory) const {
    std::int64_t bytes = 0;
    for (int peer = 0; peer < blocks.size(); ++peer) {
      if (!(*this)[peer].is_packed) continue;
      bytes = memory == Memory::kForOne ? std::max(bytes, blocks[peer].bytes)
                                        : base::checked_add(bytes, blocks[peer].bytes, "packed bytes");
    }
    return bytes;
  }
  void place(const Blocks& blocks, Memory memory, char* at) noexcept {
    for (int peer = 0; peer < blocks.size(); ++peer) {
      One& one = all_[static_cast<std::size_t>(peer)];
      if (!one.is_packed) continue;
      one.data = at;
      if (memory == Memory::kForEach) at += blocks[peer].bytes;
    }
  }

 private:
  // Alone first, so that what throws afterwards leaves no type.
  explicit Described(int processes) : all_(static_cast<std::size_t>(processes)) {}

  std::vector<One> all_;
};

// In place, all that is sent is packed before anything is received.
class Direct : public Exchange {
 protected:
  using Memory = Described::Memory;
  Direct(Call&& call, Memory memory)
      : call_(std::move(call)),
        in_(call_.received, call_.group.rank, false),
        out_(call_.sent, call_.group.rank, call_.is_in_place) {
    const std::int64_t sent = out_.bytes(call_.sent, memory), received = in_.bytes(call_.received, memory);
    char* const at = room_.reserve(base::checked_add(sent, received, "packed bytes"));
    out_.place(call_.sent, memory, at);
    in_.place(call_.received, memory, at + sent);
  }

  int copy_own() const {
    if (call_.is_in_place) return MPI_SUCCESS;
    const Block &from = call_.sent[call_.group.rank], &to = call_.received[call_.group.rank];
    const int code = copy(from, to);
    return code == MPI_SUCCESS && from.bytes > to.bytes ? MPI_ERR_TRUNCATE : code;
  }
  int receive(int peer, MPI_Request* request) const noexcept {
    const Described::One& one = in_[peer];
    return MPI_Irecv(one.data, one.counted.count, one.counted.type, peer, call_.group.tag, call_.group.comm, request);
  }
  // Before any receive of those that write to the same memory.
  int pack_for(int peer) const noexcept {
    return out_[peer].is_packed ? pack(call_.sent[peer], out_[peer].data) : MPI_SUCCESS;
  }
  int send(int peer, MPI_Request* request) const noexcept {
    const Described::One& one = out_[peer];
    return MPI_Isend(one.data, one.counted.count, one.counted.type, peer, call_.group.tag, call_.group.comm, request);
  }
  // After its receive, of which this is the status.
  int unpack_of(int peer, const MPI_Status& status) const noexcept {
    return in_[peer].is_packed ? unpack(call_.received[peer], in_[peer].data, mpi::received_bytes(status))
                               : MPI_SUCCESS;
  }

  const Call call_;

 private:
  Described in_, out_;
  Room room_;
};

class SpreadOut final : public Direct {
 public:
  explicit SpreadOut(Call&& call)
      : Direct(std::move(call), Memory::kForEach),
        others_(call_.group.size - 1),
        requests_(2 * static_cast<std::size_t>(others_), MPI_REQUEST_NULL),
        statuses_(static_cast<std::size_t>(others_)),
        comes_(static_cast<std::size_t>(others_), 1) {}

  // Tells the others what they get: empty blocks are not sent.
  int prepare() override {
    const Group& group = call_.group;
    int first = MPI_SUCCESS;
    for (int j = 1; j <= others_; ++j)
      note(first, MPI_Irecv(&comes_[at(j)], 1, MPI_INT64_T, behind(group.rank, j, group.size), group.tag, group.comm,
                            &requests_[at(j)]));
    for (int j = 1; j <= others_; ++j) {
      const int peer = before(group.rank, j, group.size);
      note(first, MPI_Send(&call_.sent[peer].bytes, 1, MPI_INT64_T, peer, group.tag, group.comm));
    }
    for (int j = 1; j <= others_; ++j) note(first, complete(&requests_[at(j)], MPI_STATUS_IGNORE));
    return first;
  }

  int start() noexcept override {
    const int rank = call_.group.rank, size = call_.group.size;
    error_ = MPI_SUCCESS;
    for (int j = 1; call_.is_in_place && j < size; ++j) note(error_, pack_for(before(rank, j, size)));
    for (int j = 1; j < size; ++j)
      if (comes_[at(j)] > 0) note(error_, receive(behind(rank, j, size), &requests_[at(j)]));
    for (int j = 1; j < size; ++j) {
      const int peer = before(rank, j, size);
      if (call_.is_persistent && call_.sent[peer].bytes == 0) continue;
      if (!call_.is_in_place) note(error_, pack_for(peer));
      note(error_, send(peer, &requests_[at(j + others_)]));
    }
    return error_;
  }

  // One after the other: MPI_Waitall would hide the errors in statuses. What has come is stored whatever else is wrong.
  int wait() noexcept override {
    note(error_, copy_own());
    for (int j = 1; j <= others_; ++j) {
      const bool is_begun = requests_[at(j)] != MPI_REQUEST_NULL;
      const int code = complete(&requests_[at(j)], &statuses_[at(j)]);
      note(error_, code == MPI_SUCCESS && is_begun ? store(j) : code);
    }
    for (int j = 1; j <= others_; ++j) note(error_, complete(&requests_[at(j + others_)], MPI_STATUS_IGNORE));
    return error_;
  }

  // The sends first, for of the receives the statuses are needed.
  bool try_end(int& first) noexcept override {
    int is_done = 0;
    int code = MPI_Testall(others_, requests_.data() + others_, &is_done, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && is_done != 0) {
      for (MPI_Status& status : statuses_) status.MPI_ERROR = MPI_SUCCESS;
      code = MPI_Testall(others_, requests_.data(), &is_done, statuses_.data());
      if (code == MPI_SUCCESS && is_done == 0) return false;
      for (int j = 1; j <= others_; ++j) {
        if (requests_[at(j)] != MPI_REQUEST_NULL) continue;
        const int own = code == MPI_SUCCESS ? MPI_SUCCESS : statuses_[at(j)].MPI_ERROR;
        note(error_, own == MPI_SUCCESS ? store(j) : own);
      }
    } else if (code == MPI_SUCCESS) {
      return false;
    }
    note(first, wait());
    note(first, code);
    return true;
  }

 private:
  static std::size_t at(int j) noexcept { return static_cast<std::size_t>(j - 1); }
  int store(int j) const noexcept { return unpack_of(behind(call_.group.rank, j, call_.group.size), statuses_[at(j)]); }

  const int others_;
  std::vector<MPI_Request> requests_;  // receives, then sends
  std::vector<MPI_Status> statuses_;   // of the receives
  std::vector<std::int64_t> comes_;    // 0 where it is known that no message does
  int error_ = MPI_SUCCESS;
};

class Pairwise final : public Direct {
 public:
  explicit Pairwise(Call&& call) : Direct(std::move(call), Memory::kForOne) {}

  int start() noexcept override {
    error_ = MPI_SUCCESS;
    post(0);
    return error_;
  }

  int wait() noexcept override {
    note(error_, copy_own());
    for (int round = 0; round < call_.group.size; ++round) {
      const int peer = partner(call_.group.rank, round, call_.group.size);
      MPI_Status status;
      if (peer != call_.group.rank) {
        const bool is_begun = requests_[0] != MPI_REQUEST_NULL;
        const int code = complete(&requests_[0], &status);
        note(error_, code == MPI_SUCCESS && is_begun ? unpack_of(peer, status) : code);
        note(error_, complete(&requests_[1], MPI_STATUS_IGNORE));
      }
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
    note(error_, pack_for(peer));
    note(error_, receive(peer, &requests_[0]));
    note(error_, send(peer, &requests_[1]));
  }

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
