// MPI_Psend_init, MPI_Precv_init, MPI_Pready, MPI_Pready_range, MPI_Pready_list, MPI_Parrived.
//
// All partitions together are one message of ours, of which each is an equal part: the library gets as many partitions,
// of bytes, and the other side may divide the same message in another way.
#include "preload/requests/held.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

MPI_Count total(int partitions, MPI_Count count) noexcept {
  MPI_Count product;
  return partitions <= 0 || __builtin_mul_overflow(count, partitions, &product) ? -1 : product;
}

// The library's part of the side's bytes, or the program's own.
MPI_Count count_of_each(const Side& side, int partitions, MPI_Count count) noexcept {
  return side.converted() ? side.bytes() / partitions : count;
}

std::unique_ptr<Partitions> divide(Side& side, int partitions, bool receives) noexcept {
  if (side.path() != Path::kPack) return nullptr;
  auto made = Partitions::make(partitions, side.bytes(), receives);
  if (made == nullptr) side.stay_native(Reason::kStaging);
  return made;
}

[[gnu::noinline]] int send_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                                int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Side side(Procedure::kPsend_init, buffer, total(partitions, count), type);
  side.choose(Operation::kIsend, dest, comm);
  auto parts = divide(side, partitions, false);
  Start start(Procedure::kPsend_init, request, nullptr, &side, Start::Lasts::kPersistent);
  start.divide(std::move(parts));
  count_sides(side);
  return start.end(mpi::library.Psend_init(side.buffer(), partitions, count_of_each(side, partitions, count),
                                           side.type(), dest, tag, comm, info, start.request()));
}

[[gnu::noinline]] int receive_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  Side side(Procedure::kPrecv_init, buffer, total(partitions, count), type);
  side.choose(Operation::kIreceive, source, comm);
  auto parts = divide(side, partitions, true);
  Start start(Procedure::kPrecv_init, request, &side, nullptr, Start::Lasts::kPersistent);
  start.divide(std::move(parts));
  count_sides(side);
  return start.end(mpi::library.Precv_init(side.buffer(), partitions, count_of_each(side, partitions, count),
                                           side.type(), source, tag, comm, info, start.request()));
}

// `pack_those` packs the partitions in question, which may be none of the operation's, and returns the bytes.
template <class Pack, class Call>
[[gnu::noinline]] int ready(Procedure procedure, const MPI_Request& request, Pack&& pack_those, Call&& call) {
  Held held(1, &request);
  Pending* const pending = held[0];
  std::int64_t bytes = 0;
  // Of a request that is not started they are not sent, and start with it anew.
  if (pending != nullptr && pending->partitions != nullptr && !pending->receives && pending->is_active()) {
    bytes = pack_those(*pending->partitions, pending->sent);
  }
  if (counting()) {
    if (bytes != 0) {
      count_accelerated(procedure, bytes);
    } else {
      count_declined(procedure, Reason::kContiguous);
    }
  }
  return call();
}

[[gnu::noinline]] int arrived(const MPI_Request& request, int partition, int* flag) {
  Held held(1, &request);
  Pending* const pending = held[0];
  bool unpacked = false;
  int code;
  {
    const Answer answer(flag);
    code = mpi::library.Parrived(request, partition, flag);
    unpacked = pending != nullptr && pending->partitions != nullptr && pending->receives && pending->is_active() &&
               code == MPI_SUCCESS && answer.get(0) != 0;
  }
  if (unpacked) pending->partitions->unpack(pending->received, partition);
  count_completion(Procedure::kParrived, unpacked);
  return code;
}

}  // namespace

int wrap_Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Psend_init(buffer, partitions, count, type, dest, tag, comm, info, request);
  return send_init(buffer, partitions, count, type, dest, tag, comm, info, request);
}

int wrap_Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag,
                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  if (takes_fast_path(type)) [[likely]]
    return mpi::library.Precv_init(buffer, partitions, count, type, source, tag, comm, info, request);
  return receive_init(buffer, partitions, count, type, source, tag, comm, info, request);
}

int wrap_Pready(int partition, MPI_Request request) {
  if (takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Pready(partition, request);
  return ready(
      Procedure::kPready, request,
      [partition](const Partitions& all, Side& sent) { return all.pack(sent, partition, partition); },
      [partition, request] { return mpi::library.Pready(partition, request); });
}

int wrap_Pready_range(int low, int high, MPI_Request request) {
  if (takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Pready_range(low, high, request);
  return ready(
      Procedure::kPready_range, request,
      [low, high](const Partitions& all, Side& sent) { return all.pack(sent, low, high); },
      [low, high, request] { return mpi::library.Pready_range(low, high, request); });
}

int wrap_Pready_list(int length, mpi::PartitionList partitions, MPI_Request request) {
  if (partitions == nullptr || takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Pready_list(length, partitions, request);
  return ready(
      Procedure::kPready_list, request,
      [length, partitions](const Partitions& all, Side& sent) {
        std::int64_t bytes = 0;
        for (int k = 0; k < length; ++k) bytes += all.pack(sent, partitions[k], partitions[k]);
        return bytes;
      },
      [length, partitions, request] { return mpi::library.Pready_list(length, partitions, request); });
}

int wrap_Parrived(MPI_Request request, int partition, int* flag) {
  if (flag == nullptr || takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Parrived(request, partition, flag);
  return arrived(request, partition, flag);
}

}  // namespace gapless::preload
