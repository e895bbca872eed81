// GAPLESS_Copy.
#include "copy/planned.hpp"
#include "ext/datatype.hpp"
#include "ext/error.hpp"
#include "ext/memory.hpp"
#include "ext/packed_by_library.hpp"
#include "gapless/gapless_mpi.h"

using namespace gapless;
using namespace gapless::ext;

namespace {

struct Side {
  const void* buffer;  // written at the receiving side
  MPI_Count count;
  MPI_Datatype type;
};

void* written(const Side& side) noexcept {
  return const_cast<void*>(side.buffer);
}

int class_of_unequal(bool sends_more) noexcept {
  return sends_more ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
}

int copy_by_library(const Side& from, const Side& to) {
  PackedByLibrary sent(from.type, from.count), received(to.type, to.count);
  if (const int code = sent.make_room(); code != MPI_SUCCESS) return code;
  if (const int code = received.make_room(); code != MPI_SUCCESS) return code;
  if (sent.size() != received.size()) return class_of_unequal(sent.size() > received.size());
  if (const int code = sent.pack(from.buffer); code != MPI_SUCCESS) return code;
  received.take(sent);
  return received.unpack(written(to));
}

// [bytes] of the message. Throws base::Error.
std::int64_t size_of(const plan::Plan& plan, MPI_Count count) {
  std::int64_t bytes;
  if (__builtin_mul_overflow(plan.size(), count, &bytes))
    throw base::Error(base::Status::kOverflow, "the message is beyond 63 bits");
  return bytes;
}

// Returns MPI_SUCCESS or a code, not raised yet.
int copy_data(const mpi::Datatype& from_type, const Side& from, const mpi::Datatype& to_type, const Side& to) {
  if (from_type.plan() == nullptr || to_type.plan() == nullptr) return copy_by_library(from, to);
  const plan::Plan &source = *from_type.plan(), &destination = *to_type.plan();
  const std::int64_t bytes = size_of(source, from.count), room = size_of(destination, to.count);
  if (bytes != room) return class_of_unequal(bytes > room);
  if (bytes == 0) return MPI_SUCCESS;
  if (!is_buffer(from.buffer, source) || !is_buffer(to.buffer, destination)) return MPI_ERR_BUFFER;
  if (!is_host(from.buffer, source) || !is_host(to.buffer, destination)) return copy_by_library(from, to);
  source.prepare(from.count);
  destination.prepare(to.count);
  copy::planned(from.buffer, from_type.shared_plan(), from.count, written(to), to_type.shared_plan(), to.count, 0,
                bytes);
  return MPI_SUCCESS;
}

}  // namespace

int GAPLESS_Copy(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype recvtype) {
  if (!ready()) return kNotReady;
  if (sendcount < 0 || recvcount < 0) return raise(MPI_ERR_COUNT);
  const Side from{sendbuf, sendcount, sendtype}, to{recvbuf, recvcount, recvtype};
  const mpi::Datatype *const source = remembered(sendtype), *const destination = remembered(recvtype);
  if (source != nullptr && destination != nullptr) [[likely]]
    return guard([&] { return raised(copy_data(*source, from, *destination, to)); });
  mpi::DatatypePtr source_facts, destination_facts;
  if (const int code = find_committed(sendtype, source_facts); code != MPI_SUCCESS) return code;
  if (const int code = find_committed(recvtype, destination_facts); code != MPI_SUCCESS) return code;
  return guard([&] { return raised(copy_data(*source_facts, from, *destination_facts, to)); });
}
