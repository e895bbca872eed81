#include "preload/transfer/repeated.hpp"

#include <algorithm>
#include <array>

#include "base/per_thread.hpp"
#include "move/move.hpp"
#include "mpi/staging/host_memory.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/stats/log.hpp"

namespace gapless::preload {

namespace {

constexpr std::size_t kSlots = 16;
using Slots = std::array<Repeated, kSlots>;

Repeated* slot_of(Operation operation, MPI_Count count, MPI_Datatype type, int peer) noexcept {
  Slots* const slots = base::PerThread<Slots>::get();
  if (slots == nullptr) return nullptr;
  const std::uint64_t key = mpi::key_of(type) ^ static_cast<std::uint64_t>(count) << 20 ^
                            static_cast<std::uint64_t>(static_cast<unsigned>(peer)) << 40 ^
                            static_cast<std::uint64_t>(operation) << 60;
  return &(*slots)[key * 0x9e3779b97f4a7c15u >> 60];
}

}  // namespace

const Repeated* find_repeated(Operation operation, const void* buffer, MPI_Count count, MPI_Datatype type, int peer,
                              MPI_Comm comm) noexcept {
  if (slow_path_required() || logging()) return nullptr;
  const Repeated* const like = slot_of(operation, count, type, peer);
  // The handle may be that of another type by now, and the memory an accelerator's.
  if (like == nullptr || !like->is_like(operation, type, count, peer, comm) ||
      mpi::remembered_type(type) != like->datatype.get() || !switched_on() || switched_past())
    return nullptr;
  const bool is_ours =
      like->is_native() ||
      (buffer != MPI_BOTTOM && mpi::is_host(static_cast<const char*>(buffer) + like->plan().first_byte()));
  return is_ours ? like : nullptr;
}

namespace {

bool is_worth_keeping(Operation operation, const MessageBuffer& decided) noexcept {
  if (decided.plan() == nullptr ||
      decided.bytes() >= std::min(Repeated::kLongest, smallest_paired(Traffic::kPointToPoint)))
    return false;
  if (decided.path() == Path::kPack) {
    // Which of them the library would cut depends on who the peer is, and a communicator's handle may be another's.
    return !decided.is_past() &&
           (!policy.cuts_packed || decided.bytes() < wire::kHeaderBytes || decided.datatype()->has_one_basic_type());
  }
  const bool has_room_for_header = operation == Operation::kReceive && decided.bytes() >= wire::kHeaderBytes;
  return decided.path() == Path::kNative && decided.reason() == Reason::kSmall && !has_room_for_header;
}

}  // namespace

void keep_repeated(Operation operation, const MessageBuffer& decided, int peer, MPI_Comm comm) noexcept {
  if (!is_worth_keeping(operation, decided)) return;
  Repeated* const slot = slot_of(operation, decided.given_count(), decided.given_type(), peer);
  if (slot == nullptr || slot->uses != 0) return;
  *slot = {.operation = operation,
           .type = decided.given_type(),
           .count = decided.given_count(),
           .peer = peer,
           .comm = comm,
           .bytes = decided.bytes(),
           .is_split = decided.is_split(),
           // What the rules leave to the library may be staged all the same, for a header.
           .native = decided.path() == Path::kNative ? decided.reason() : Reason::kNone,
           .datatype = decided.datatype()};
}

bool RepeatedStaging::reserve(std::int64_t bytes, bool receives) noexcept {
  if ((!receives || !mpi::kTruncationOverruns) && bytes <= wire::kHeaderBytes) return true;
  if (!(mpi::kTruncationOverruns ? longer_.reserve_isolated(bytes) : longer_.reserve(bytes))) return false;
  data_ = static_cast<char*>(longer_.data());
  return true;
}

bool receive_repeated(const Repeated& like, Procedure procedure, void* buffer, int tag, MPI_Status* status,
                      int& code) noexcept {
  RepeatedStaging packed;
  if (!packed.reserve(like.bytes, true)) return false;
  const Repeated::InUse in_use(like);
  OwnStatus own(status);
  code =
      mpi::library.Recv(packed.data(), static_cast<int>(like.bytes), MPI_PACKED, like.peer, tag, like.comm, own.get());
  if (tallying()) count_accelerated(procedure, like.bytes);
  if (code == MPI_SUCCESS && own.bytes() <= like.bytes) [[likely]]
    packed.contained();
  // What is as long as a header may be one, of a message that is too long.
  if (code == MPI_SUCCESS && own.bytes() == like.bytes && like.bytes != wire::kHeaderBytes) [[likely]] {
    own.give();
    move::unpack_all(like.plan(), like.count, buffer, packed.data());
    return true;
  }
  MessageBuffer data(procedure, buffer, like.count, like.type);
  data.take_packed(like.datatype, like.bytes, packed.data());
  code = finish(data, own, code, like.comm);
  return true;
}

}  // namespace gapless::preload
