#define GAPLESS_SIMULATED_UNCHARGED
#include "charged.hpp"

#include <smpi/smpi.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ext/packed_by_library.hpp"
#include "gapless/gapless_mpi.h"
#include "layout/layout.hpp"
#include "layout/named.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::simulated {
namespace {

// What copying costs on the simulated processor: bytes by a rate, and each piece a little more.
constexpr double kCopyBytesPerSecond = 10e9;
constexpr double kPieceSeconds = 10e-9;
// As the platform has it [floating-point operations a second]: smpi_execute_flops counts in these.
constexpr double kFlops = 1e9;

// Of this process: all of them are contexts of one thread, and share variables.
double& owed_seconds() {
  static std::vector<double> owed;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (owed.size() <= static_cast<std::size_t>(rank)) owed.resize(static_cast<std::size_t>(rank) + 1);
  return owed[static_cast<std::size_t>(rank)];
}

void charge(double bytes, double pieces) {
  owed_seconds() += bytes / kCopyBytesPerSecond + pieces * kPieceSeconds;
}
void settle() {
  const double seconds = owed_seconds();
  owed_seconds() = 0;
  if (seconds > 0) smpi_execute_flops(seconds * kFlops);
}

// Contiguous pieces of each derived type that lives, and what each start of a persistent request costs.
std::map<MPI_Datatype, int>& pieces() {
  static std::map<MPI_Datatype, int> known;
  return known;
}
struct Cost {
  double bytes = 0, pieces = 0;
};
std::map<MPI_Request, Cost>& starts() {
  static std::map<MPI_Request, Cost> known;
  return known;
}

// A contiguous message is copied by nobody but the network.
Cost cost_of(int count, MPI_Datatype type) {
  const auto found = pieces().find(type);
  if (found == pieces().end()) return {};
  int size = 0;
  MPI_Type_size(type, &size);
  return {static_cast<double>(size) * count, static_cast<double>(found->second) * count};
}

void charge(Cost cost) {
  charge(cost.bytes, cost.pieces);
}

}  // namespace

void* charged_copy(void* to, const void* from, std::size_t bytes) {
  charge(static_cast<double>(bytes), 1);
  return std::memcpy(to, from, bytes);
}

int charged_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old, MPI_Datatype* made) {
  const int code = MPI_Type_create_hindexed(count, lengths, places, old, made);
  if (code == MPI_SUCCESS) pieces()[*made] = count;
  return code;
}

int charged_struct(int count, const int lengths[], const MPI_Aint places[], const MPI_Datatype old[],
                   MPI_Datatype* made) {
  const int code = MPI_Type_create_struct(count, lengths, places, old, made);
  if (code == MPI_SUCCESS) pieces()[*made] = count;
  return code;
}

int charged_free(MPI_Datatype* type) {
  pieces().erase(*type);
  return MPI_Type_free(type);
}

int charged_isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  charge(cost_of(count, type));
  settle();
  return MPI_Isend(data, count, type, to, tag, comm, request);
}

// What is received is unpacked later, and nothing else happens meanwhile: in rounds the sum is the same.
int charged_irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  charge(cost_of(count, type));
  return MPI_Irecv(data, count, type, from, tag, comm, request);
}

int charged_send_init(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  const int code = MPI_Send_init(data, count, type, to, tag, comm, request);
  if (code == MPI_SUCCESS) starts()[*request] = cost_of(count, type);
  return code;
}

int charged_recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                      MPI_Request* request) {
  const int code = MPI_Recv_init(data, count, type, from, tag, comm, request);
  if (code == MPI_SUCCESS) starts()[*request] = cost_of(count, type);
  return code;
}

int charged_startall(int count, MPI_Request requests[]) {
  for (int i = 0; i < count; ++i)
    if (const auto found = starts().find(requests[i]); found != starts().end()) charge(found->second);
  settle();
  return MPI_Startall(count, requests);
}

int charged_sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* in, int in_count,
                     MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  charge(cost_of(count, type));
  charge(cost_of(in_count, in_type));
  settle();
  return MPI_Sendrecv(data, count, type, to, tag, in, in_count, in_type, from, in_tag, comm, status);
}

int charged_clock(clockid_t clock, timespec* time) {
  settle();
  return smpi_clock_gettime(clock, time);
}

}  // namespace gapless::simulated

namespace gapless::mpi {

DatatypePtr find_type(MPI_Datatype type) noexcept {
  static const auto made = [](const char* name) {
    return std::make_shared<const Datatype>(plan::compile(*layout::named(*layout::find_named(name))));
  };
  static const DatatypePtr integer = made("int32"), byte = made("byte");
  return type == MPI_INT ? integer : type == MPI_BYTE ? byte : nullptr;
}

}  // namespace gapless::mpi

namespace gapless::ext {

// Of types without a plan alone.
NotBottom::NotBottom(const void* buffer, MPI_Datatype type)
    : buffer_(static_cast<char*>(const_cast<void*>(buffer))), type_(type) {}
NotBottom::~NotBottom() = default;
int PackedByLibrary::make_room() {
  return MPI_ERR_TYPE;
}
int PackedByLibrary::pack(const void*) {
  return MPI_ERR_TYPE;
}
int PackedByLibrary::unpack(void*) const {
  return MPI_ERR_TYPE;
}

}  // namespace gapless::ext

namespace {

// The blocks of a bounded vector from `start` on, modulo `total`, as a list.
int listed_vector(MPI_Count total, MPI_Count start, MPI_Count bound, MPI_Count blocklength, MPI_Count stride,
                  MPI_Datatype old, MPI_Datatype* made) {
  MPI_Aint low = 0, extent = 0;
  MPI_Type_get_extent(old, &low, &extent);
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (MPI_Count block = 0; block < bound; block += stride)
    for (MPI_Count t = block, end = std::min(block + blocklength, bound); t < end;) {
      const MPI_Count place = (start + t) % total, length = std::min(end - t, total - place);
      lengths.push_back(static_cast<int>(length));
      places.push_back(static_cast<MPI_Aint>(place) * extent);
      t += length;
    }
  return gapless::simulated::charged_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), old,
                                              made);
}

}  // namespace

int GAPLESS_Type_create_vector_bounded(MPI_Count bound, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                                       MPI_Datatype* newtype) {
  return listed_vector(bound, 0, bound, blocklength, stride, oldtype, newtype);
}

int GAPLESS_Type_create_vector_circular(MPI_Count total, MPI_Count start, MPI_Count bound, MPI_Count blocklength,
                                        MPI_Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return listed_vector(total, start, bound, blocklength, stride, oldtype, newtype);
}

int GAPLESS_Copy(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count,
                 MPI_Datatype) {
  int size = 0;
  MPI_Type_size(sendtype, &size);
  gapless::simulated::charged_copy(recvbuf, sendbuf,
                                   static_cast<std::size_t>(sendcount) * static_cast<std::size_t>(size));
  return MPI_SUCCESS;
}
