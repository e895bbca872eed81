#include "ext/alltoall/steps.hpp"

#include <climits>

namespace gapless::ext::regular {

using alltoall::Buffer;
using alltoall::Pieces;

namespace {

// In one buffer, from neighbours to neighbours: one copy.
struct Copied {
  Buffer from, to;
  std::int64_t source, target, blocks;
};

int copy_run(const Copied& run, const Memory& memory) noexcept {
  const auto bytes = static_cast<std::size_t>(run.blocks * memory.send.bytes());
  if (run.from == Buffer::kSlot && run.to == Buffer::kSlot) {
    std::memcpy(memory.slot(run.target), memory.slot(run.source), bytes);
    return MPI_SUCCESS;
  }
  if (run.from == Buffer::kSlot)
    return memory.blocks_of(run.to).unpack(run.target, run.blocks, memory.slot(run.source));
  if (run.to == Buffer::kSlot) return memory.blocks_of(run.from).pack(run.source, run.blocks, memory.slot(run.target));
  return copy(memory.blocks_of(run.from), run.source, memory.blocks_of(run.to), run.target, run.blocks);
}

// The bytes of a message, where they follow one another in memory; else null.
char* run_of(const std::vector<Piece>& pieces, const Memory& memory) noexcept {
  if (pieces.size() > 1) return nullptr;
  const Piece& only = pieces.front();
  if (only.buffer == Buffer::kSlot) return memory.slot(only.first);
  const Blocks& blocks = memory.blocks_of(only.buffer);
  return blocks.is_run(only.blocks) ? blocks.data(only.first) : nullptr;
}

// Blocks of a message in the receive buffer that are what describe_vector describes: all that Bruck's algorithm sends.
bool is_vector(const alltoall::Message& message) noexcept {
  for (const alltoall::Move& block : message.blocks)
    if (block.from.buffer != message.blocks.front().from.buffer || block.from.index != block.element) return false;
  return message.blocks.front().from.buffer != Buffer::kSlot;
}

}  // namespace

Step::~Step() {
  for (Message& message : messages_) {
    free(message.send);
    free(message.receive);
  }
}

int Step::bind_side(const alltoall::Message& message, Side side, std::int64_t at, Described& described,
                    std::vector<Piece>& staged) {
  const Memory& memory = operation_.memory();
  const Pieces wanted = operation_.algorithm().pieces;
  const std::int64_t bytes = static_cast<std::int64_t>(message.blocks.size()) * memory.send.bytes();
  find_pieces(message, side, memory, wanted != Pieces::kEach, staged);
  char* const run = run_of(staged, memory);
  if (run == nullptr && way_of(staged, memory, operation_.asked(), operation_.is_persistent()) == Way::kStaged)
    return describe_bytes(operation_.staging() + at, bytes, described);
  int code = MPI_SUCCESS;
  if (run != nullptr)
    code = describe_bytes(run, bytes, described);
  else if (staged.size() == 1)
    code = describe_piece(staged[0], memory, described);
  else if (wanted == Pieces::kVector && side == Side::kSend && is_vector(message))
    code = describe_vector(message.blocks.front().from.buffer, message.blocks.front().element, memory, described);
  else
    code = describe_pieces(staged, memory, described);
  staged.clear();
  return code;
}

int Step::bind() {
  const int p = operation_.comm().size, rank = operation_.comm().rank;
  const std::int64_t block = operation_.memory().send.bytes();
  std::int64_t all = 0, at = 0;
  int first = MPI_SUCCESS;
  for (const alltoall::Message& message : schedule_.messages)
    all += static_cast<std::int64_t>(message.blocks.size()) * block;
  messages_.resize(schedule_.messages.size());
  for (std::size_t k = 0; k < messages_.size(); ++k) {
    const alltoall::Message& message = schedule_.messages[k];
    Message& bound = messages_[k];
    bound.to = alltoall::block_index({Buffer::kReceive, message.distance}, rank, p);
    bound.from = alltoall::block_index({Buffer::kReceive, p - message.distance}, rank, p);
    bound.out = at;
    bound.in = all + at;
    note(first, bind_side(message, Side::kSend, bound.out, bound.send, bound.packed));
    note(first, bind_side(message, Side::kReceive, bound.in, bound.receive, bound.unpacked));
    at += static_cast<std::int64_t>(message.blocks.size()) * block;
  }
  requests_.assign(2 * messages_.size(), MPI_REQUEST_NULL);
  statuses_.resize(requests_.size());
  return first;
}

int Step::copy(const std::vector<alltoall::Move>& moves) noexcept {
  const Memory& memory = operation_.memory();
  Copied run{Buffer::kSlot, Buffer::kSlot, 0, 0, 0};
  int first = MPI_SUCCESS;
  for (const alltoall::Move& move : moves) {
    const std::int64_t source = block_index(move.from, memory.rank, memory.processes);
    const std::int64_t target = block_index(move.to, memory.rank, memory.processes);
    // Within one buffer a copy may read what the one before has written.
    if (run.blocks > 0 && move.from.buffer == run.from && move.to.buffer == run.to && run.from != run.to &&
        source == run.source + run.blocks && target == run.target + run.blocks) {
      ++run.blocks;
      continue;
    }
    if (run.blocks > 0) note(first, copy_run(run, memory));
    run = {move.from.buffer, move.to.buffer, source, target, 1};
  }
  if (run.blocks > 0) note(first, copy_run(run, memory));
  return first;
}

int Step::begin(Receives receives) noexcept {
  int first = copy(schedule_.copies);
  const MPI_Comm comm = operation_.comm().comm();
  const std::size_t n = messages_.size();
  for (std::size_t k = 0; k < n && (n > 1 || receives == Receives::kInBegin); ++k) {
    const Described& into = messages_[k].receive;
    note(first, MPI_Irecv(into.address, into.count, into.type, messages_[k].from, tag_, comm, &requests_[k]));
  }
  for (std::size_t k = 0; k < n; ++k) {
    const Message& bound = messages_[k];
    if (!bound.packed.empty()) note(first, pack(bound.packed, operation_.memory(), operation_.staging() + bound.out));
    const Described& of = bound.send;
    note(first, MPI_Isend(of.address, of.count, of.type, bound.to, tag_, comm, &requests_[n + k]));
  }
  return first;
}

int Step::end() noexcept {
  int first = copy(schedule_.meanwhile);
  if (messages_.empty()) return first;
  if (messages_.size() == 1 && requests_[0] == MPI_REQUEST_NULL) {
    const Described& into = messages_[0].receive;
    note(first, MPI_Recv(into.address, into.count, into.type, messages_[0].from, tag_, operation_.comm().comm(),
                         MPI_STATUS_IGNORE));
    note(first, MPI_Wait(&requests_[1], MPI_STATUS_IGNORE));
  } else {
    note(first, wait_for_all());
  }
  if (first == MPI_SUCCESS) first = store();
  return first;
}

bool Step::try_end(int& first) noexcept {
  if (!messages_.empty()) {
    int is_done = 0;
    const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS && is_done == 0) return false;
    // Each error by itself, and what is still on its way.
    if (code != MPI_SUCCESS) note(first, wait_for_all());
    note(first, code);
  }
  note(first, copy(schedule_.meanwhile));
  if (first == MPI_SUCCESS) first = store();
  return true;
}

int Step::store() noexcept {
  for (const Message& bound : messages_) {
    if (bound.unpacked.empty()) continue;
    const int code = unpack(bound.unpacked, operation_.memory(), operation_.staging() + bound.in);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int Step::wait_for_all() noexcept {
  const int code = MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data());
  if (code == MPI_SUCCESS) return code;
  // The message's own error, where the library says it; those that it has not waited for are waited for.
  int first = MPI_SUCCESS;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (code == MPI_ERR_IN_STATUS && statuses_[k].MPI_ERROR != MPI_ERR_PENDING) note(first, statuses_[k].MPI_ERROR);
    if (requests_[k] != MPI_REQUEST_NULL) MPI_Wait(&requests_[k], MPI_STATUS_IGNORE);
  }
  note(first, code);
  return first;
}

}  // namespace gapless::ext::regular
