// MPI_Psend_init, MPI_Precv_init, MPI_Pready, MPI_Pready_range, MPI_Pready_list, MPI_Parrived.
//
// All partitions together are packed as one message, of which each is an equal part: the library gets as many
// partitions, of bytes, and the peer may partition the same message in another way.
#include "preload/requests/held_entries.hpp"
#include "preload/requests/start.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

MPI_Count total(int partitions, MPI_Count count) noexcept {
  MPI_Count product;
  return partitions <= 0 || __builtin_mul_overflow(count, partitions, &product) ? -1 : product;
}

// The count of one partition for the library: packed bytes, or the program's own count.
MPI_Count count_of_each(const MessageBuffer& data, int partitions, MPI_Count count) noexcept {
  return data.converted() ? data.bytes() / partitions : count;
}

std::unique_ptr<Partitions> divide(MessageBuffer& data, int partitions, bool receives) noexcept {
  if (data.path() != Path::kPack) return nullptr;
  auto made = Partitions::make(partitions, data.bytes(), receives);
  if (made == nullptr) data.stay_native(Reason::kStaging);
  return made;
}

[[gnu::noinline]] int send_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest,
                                int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  MessageBuffer data(Procedure::kPsend_init, buffer, total(partitions, count), type);
  data.choose_path(Operation::kIsend, dest, comm);
  auto parts = divide(data, partitions, false);
  Start start(Procedure::kPsend_init, request, nullptr, &data, Start::Lasts::kPersistent);
  start.divide(std::move(parts));
  count_transfer(data);
  return start.end(mpi::library.Psend_init(data.buffer(), partitions, count_of_each(data, partitions, count),
                                           data.type(), dest, tag, comm, info, start.request()));
}

[[gnu::noinline]] int receive_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source,
                                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  MessageBuffer data(Procedure::kPrecv_init, buffer, total(partitions, count), type);
  data.choose_path(Operation::kIreceive, source, comm);
  auto parts = divide(data, partitions, true);
  Start start(Procedure::kPrecv_init, request, &data, nullptr, Start::Lasts::kPersistent);
  start.divide(std::move(parts));
  count_transfer(data);
  return start.end(mpi::library.Precv_init(data.buffer(), partitions, count_of_each(data, partitions, count),
                                           data.type(), source, tag, comm, info, start.request()));
}

// `pack_those` packs the partitions that the call names, which may not exist, and returns the bytes.
template <class Pack, class Call>
[[gnu::noinline]] int ready(Procedure procedure, const MPI_Request& request, Pack&& pack_those, Call&& call) {
  HeldEntries held(Requests::Use::kLooks, 1, &request);
  RequestEntry* const entry = held[0];
  std::int64_t bytes = 0;
  // A request that is not started sends no partition; its start resets them all.
  if (entry != nullptr && entry->partitions != nullptr && !entry->receives && entry->is_active()) {
    bytes = pack_those(*entry->partitions, entry->sent);
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
  HeldEntries held(Requests::Use::kLooks, 1, &request);
  RequestEntry* const entry = held[0];
  OutputArgument answer(flag);
  const int code = mpi::library.Parrived(request, partition, answer.get());
  const bool unpacked = entry != nullptr && entry->partitions != nullptr && entry->receives && entry->is_active() &&
                        code == MPI_SUCCESS && answer.value_or(0) != 0;
  if (unpacked) entry->partitions->unpack(entry->received, partition);
  answer.give();
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
      [partition](const Partitions& all, MessageBuffer& sent) { return all.pack(sent, partition, partition); },
      [partition, request] { return mpi::library.Pready(partition, request); });
}

int wrap_Pready_range(int low, int high, MPI_Request request) {
  if (takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Pready_range(low, high, request);
  return ready(
      Procedure::kPready_range, request,
      [low, high](const Partitions& all, MessageBuffer& sent) { return all.pack(sent, low, high); },
      [low, high, request] { return mpi::library.Pready_range(low, high, request); });
}

int wrap_Pready_list(int length, mpi::PartitionList partitions, MPI_Request request) {
  if (partitions == nullptr || takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Pready_list(length, partitions, request);
  return ready(
      Procedure::kPready_list, request,
      [length, partitions](const Partitions& all, MessageBuffer& sent) {
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
