// Bruck's algorithm for blocks of different sizes, in three ways that differ in how a round's message lies in memory:
//  * zero-copy: where its blocks are, as a derived type of bytes. What is on its way is not copied within a process.
//  * two-phase: gathered into one run of memory, and scattered from there.
//  * padded: the same, but that each block takes as much room as the largest of all, behind its size: so nobody need
//    be told sizes before.
// Blocks of the program's that are no run of memory are packed by the engine's plans, once, when they are first sent;
// and unpacked, once, when they have arrived.
#include <cstring>
#include <vector>

#include "alltoall/irregular_bruck.hpp"
#include "alltoall/irregular_rounds.hpp"
#include "base/checked.hpp"
#include "ext/alltoallv/exchange.hpp"
#include "ext/alltoallv/message.hpp"
#include "ext/room.hpp"

namespace gapless::ext::irregular {

namespace {

using namespace alltoall::irregular;
using Place = Piece::Place;

constexpr std::int64_t kHeader = sizeof(std::int64_t);  // of a padded block: its size

class Bruck final : public Exchange {
 public:
  Bruck(Way way, Call&& call, std::int64_t largest) : way_(way), call_(std::move(call)) {
    const Sizes sizes =
        way == Way::kPadded ? equal_sizes(base::checked_add(largest, kHeader, "largest block")) : told_sizes();
    const Schedule schedule = bruck(sizes);
    reserve(schedule);
    rounds_.reserve(schedule.rounds.size());
    for (const Round& round : schedule.rounds) rounds_.push_back(bound(schedule, round));
    if (!call_.is_in_place && own(call_.sent).bytes > own(call_.received).bytes) is_truncated_ = true;
  }

  int start() noexcept override {
    error_ = MPI_SUCCESS;
    for (const Step& step : aside_) note(error_, pack(*step.block, step.packed));
    if (!rounds_.empty()) post(0);
    return error_;
  }

  int wait() noexcept override {
    if (!call_.is_in_place) note(error_, copy(own(call_.sent), own(call_.received)));
    for (std::size_t k = 0; k < rounds_.size(); ++k) {
      for (MPI_Request& request : requests_) note(error_, complete(&request, MPI_STATUS_IGNORE));
      for (std::size_t step = rounds_[k].scattered; step < rounds_[k].end; ++step) scatter(steps_[step]);
      if (k + 1 < rounds_.size()) post(k + 1);
    }
    note(error_, verdict());
    return error_;
  }

  int verdict() const noexcept override { return is_truncated_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS; }

 private:
  // Bytes that move within the process, between a place in a message and a block, or memory where that is not null.
  struct Step {
    const Block* block;
    char *memory, *packed;
    std::int64_t bytes;
    bool has_size;  // padded: the size stands before them
  };
  struct Bound {
    int to, from;
    std::size_t gathered, scattered, end;  // among the steps: before the messages, and after
    Message out, in;
  };

  const Block& own(const Blocks& blocks) const { return blocks[call_.group.rank]; }
  bool gathers() const { return way_ != Way::kZeroCopy; }
  bool waits_aside(const Piece& piece) const {
    return call_.is_in_place &&
           is_overwritten(before(call_.group.rank, piece.peer, call_.group.size), call_.group.size);
  }

  Sizes told_sizes() const {
    const auto& [comm, rank, size, tag] = call_.group;
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(size));
    for (int peer = 0; peer < size; ++peer) bytes[static_cast<std::size_t>(peer)] = call_.sent[peer].bytes;
    Sizes sizes(rank, bytes);
    for (int k = 0; k < sizes.rounds(); ++k) {
      const auto out = sizes.outgoing(k);
      const auto in = sizes.incoming(k);
      const int count = static_cast<int>(out.size());
      const int code = MPI_Sendrecv(out.data(), count, MPI_INT64_T, before(rank, 1 << k, size), tag, in.data(), count,
                                    MPI_INT64_T, behind(rank, 1 << k, size), tag, comm, MPI_STATUS_IGNORE);
      if (code != MPI_SUCCESS) throw Wrong{code};
      sizes.arrived(k, in);
    }
    return sizes;
  }

  Sizes equal_sizes(std::int64_t bytes) const {
    Sizes sizes(call_.group.rank, std::vector<std::int64_t>(static_cast<std::size_t>(call_.group.size), bytes));
    for (int k = 0; k < sizes.rounds(); ++k) sizes.arrived(k, sizes.outgoing(k));
    return sizes;
  }

  // Whether a piece of a message has to be there as a copy.
  bool is_staged_out(const Piece& piece) const {
    return gathers() || (piece.place == Place::kSent && call_.sent[piece.peer].run == nullptr && !waits_aside(piece));
  }
  bool is_staged_in(const Piece& piece) const {
    if (gathers() || piece.place != Place::kReceived) return gathers();
    const Block& block = call_.received[piece.peer];
    return block.run == nullptr || piece.bytes > block.bytes;
  }

  // Memory: what is on its way, and what a round's messages have as copies.
  void reserve(const Schedule& schedule) {
    std::int64_t out = 0, in = 0, aside = 0;
    for (const Round& round : schedule.rounds) {
      std::int64_t staged_out = 0, staged_in = 0;
      for (const Piece& piece : schedule.out(round)) {
        if (piece.place == Place::kSent && waits_aside(piece)) aside += call_.sent[piece.peer].bytes;
        if (is_staged_out(piece)) staged_out += piece.bytes;
      }
      for (const Piece& piece : schedule.in(round))
        if (is_staged_in(piece)) staged_in += piece.bytes;
      out = std::max(out, staged_out);
      in = std::max(in, staged_in);
    }
    const std::int64_t messages = base::checked_add(out, in, "bytes of a round");
    const std::int64_t copies = base::checked_add(messages, aside, "bytes of a round");
    held_ = room_.reserve(base::checked_add(schedule.held_bytes, copies, "bytes on their way"));
    out_ = held_ + schedule.held_bytes;
    in_ = out_ + out;
    next_aside_ = in_ + in;
  }

  Bound bound(const Schedule& schedule, const Round& round) {
    Bound bound{round.to, round.from, steps_.size(), 0, 0, {}, {}};
    char* staged = out_;
    pieces_.clear();
    for (const Piece& piece : schedule.out(round)) {
      const Block* const block = piece.place == Place::kSent ? &call_.sent[piece.peer] : nullptr;
      const std::int64_t bytes = block != nullptr ? block->bytes : piece.bytes;
      char* place = block != nullptr ? block->run : held_ + piece.offset;
      if (block != nullptr && waits_aside(piece)) {
        aside_.push_back({block, nullptr, next_aside_, bytes, false});
        place = next_aside_;
        next_aside_ += bytes;
      }
      if (is_staged_out(piece)) {
        steps_.push_back({block, place, staged, bytes, way_ == Way::kPadded && block != nullptr});
        place = staged;
        staged += piece.bytes;
      }
      pieces_.add(place, piece.bytes);
    }
    require_described(bound.out);
    bound.scattered = steps_.size();
    staged = in_;
    pieces_.clear();
    for (const Piece& piece : schedule.in(round)) {
      const Block* const block = piece.place == Place::kReceived ? &call_.received[piece.peer] : nullptr;
      char* place = block != nullptr ? block->run : held_ + piece.offset;
      const bool has_size = way_ == Way::kPadded && block != nullptr;
      if (block != nullptr && !has_size && piece.bytes > block->bytes) is_truncated_ = true;
      if (is_staged_in(piece)) {
        steps_.push_back({block, place, staged, piece.bytes, has_size});
        place = staged;
        staged += piece.bytes;
      }
      pieces_.add(place, piece.bytes);
    }
    require_described(bound.in);
    bound.end = steps_.size();
    return bound;
  }

  void require_described(Message& message) const {
    if (const int code = message.describe(pieces_); code != MPI_SUCCESS) throw Wrong{code};
  }

  void gather(const Step& step) noexcept {
    char* to = step.packed;
    if (step.has_size) {
      std::memcpy(to, &step.bytes, kHeader);
      to += kHeader;
    }
    if (step.memory != nullptr)
      std::memcpy(to, step.memory, static_cast<std::size_t>(step.bytes));
    else
      note(error_, pack(*step.block, to));
  }

  void scatter(const Step& step) noexcept {
    if (step.block == nullptr) {
      std::memcpy(step.memory, step.packed, static_cast<std::size_t>(step.bytes));
      return;
    }
    const char* from = step.packed;
    std::int64_t bytes = step.bytes;
    if (step.has_size) {
      std::memcpy(&bytes, from, kHeader);
      from += kHeader;
      if (bytes > step.block->bytes) note(error_, MPI_ERR_TRUNCATE);
    }
    note(error_, unpack(*step.block, from, bytes));
  }

  void post(std::size_t k) noexcept {
    const Bound& round = rounds_[k];
    const auto& [comm, rank, size, tag] = call_.group;
    requests_[0] = requests_[1] = MPI_REQUEST_NULL;
    if (!round.in.is_empty())
      note(error_,
           MPI_Irecv(round.in.buffer(), round.in.count(), round.in.type(), round.from, tag, comm, &requests_[0]));
    for (std::size_t step = round.gathered; step < round.scattered; ++step) gather(steps_[step]);
    if (!round.out.is_empty())
      note(error_,
           MPI_Isend(round.out.buffer(), round.out.count(), round.out.type(), round.to, tag, comm, &requests_[1]));
  }

  const Way way_;
  const Call call_;
  Room room_;
  char *held_ = nullptr, *out_ = nullptr, *in_ = nullptr, *next_aside_ = nullptr;
  std::vector<Bound> rounds_;
  std::vector<Step> steps_, aside_;
  Pieces pieces_;              // of the message that is being described
  bool is_truncated_ = false;  // more comes from a process than is expected of it
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int error_ = MPI_SUCCESS;
};

}  // namespace

std::unique_ptr<Exchange> make_bruck(Way way, Call&& call, std::int64_t largest) {
  return std::make_unique<Bruck>(way, std::move(call), largest);
}

}  // namespace gapless::ext::irregular
