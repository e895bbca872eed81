// An operation's MPI call, with and without large counts: compiled into each program (counted.hpp).
#pragma once

#include <sched.h>

#include "coll_operation.hpp"
#include "counted.hpp"

namespace conformance {

#if HAS_COUNTED

#if defined(CONFORMANCE_LARGE)
using Displacement = MPI_Aint;
#else
using Displacement = int;
#endif

// The arguments of either side; the lists must stay until the operation is complete.
struct Arguments {
  void* address = nullptr;
  Count count = 0;
  MPI_Datatype type = MPI_BYTE;
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
  std::vector<MPI_Aint> byte_displacements;
  std::vector<MPI_Datatype> types;

  // `absent`: the address if the side is not there; `nonsense`: MPI must not look at the rest then.
  Arguments(Side& side, void* absent, bool nonsense) {
    if (!side.is_there) {
      address = absent;
      if (nonsense) count = -1, type = MPI_DATATYPE_NULL;
      return;
    }
    address = side.address();
    for (const Block& block : side.blocks) {
      counts.push_back(static_cast<Count>(block.count));
      displacements.push_back(static_cast<Displacement>(block.displacement));
      byte_displacements.push_back(block.displacement);
      types.push_back(side.types[block.type].type);
    }
    if (counts.empty()) return;
    count = counts[0];
    type = types[0];
  }
};

#if HAS_PERSISTENT_COLLECTIVES
#define CALL_COLLECTIVE(NAME, INAME, ...)                               \
  (mode == kBlocking      ? COUNTED(MPI_##NAME)(__VA_ARGS__)            \
   : mode == kNonblocking ? COUNTED(MPI_##INAME)(__VA_ARGS__, &request) \
                          : COUNTED(MPI_##NAME##_init)(__VA_ARGS__, MPI_INFO_NULL, &request))
#else
#define CALL_COLLECTIVE(NAME, INAME, ...) \
  (mode == kBlocking ? COUNTED(MPI_##NAME)(__VA_ARGS__) : COUNTED(MPI_##INAME)(__VA_ARGS__, &request))
#endif

class Call {
 public:
  explicit Call(Operation& operation)
      : operation_(operation),
        out_(operation.out(), absent_out(operation), operation.is_careless()),
        in_(operation.in(), absent_in(operation), operation.is_careless()) {}

  MPI_Request request = MPI_REQUEST_NULL;

  // Blocking: all of it. Nonblocking: begins it. Persistent: makes the request.
  int start(Mode mode) {
    const MPI_Comm comm = operation_.place().comm;
    const int root = operation_.root();
    switch (operation_.procedure()) {
      case kBcast: {
        Arguments& a = operation_.is_root() ? out_ : in_;
        return CALL_COLLECTIVE(Bcast, Ibcast, a.address, a.count, a.type, root, comm);
      }
      case kGather:
        return CALL_COLLECTIVE(Gather, Igather, out_.address, out_.count, out_.type, in_.address, in_.count, in_.type,
                               root, comm);
      case kGatherv:
        return CALL_COLLECTIVE(Gatherv, Igatherv, out_.address, out_.count, out_.type, in_.address, in_.counts.data(),
                               in_.displacements.data(), in_.type, root, comm);
      case kScatter:
        return CALL_COLLECTIVE(Scatter, Iscatter, out_.address, out_.count, out_.type, in_.address, in_.count, in_.type,
                               root, comm);
      case kScatterv:
        return CALL_COLLECTIVE(Scatterv, Iscatterv, out_.address, out_.counts.data(), out_.displacements.data(),
                               out_.type, in_.address, in_.count, in_.type, root, comm);
      case kAllgather:
        return CALL_COLLECTIVE(Allgather, Iallgather, out_.address, out_.count, out_.type, in_.address, in_.count,
                               in_.type, comm);
      case kAllgatherv:
        return CALL_COLLECTIVE(Allgatherv, Iallgatherv, out_.address, out_.count, out_.type, in_.address,
                               in_.counts.data(), in_.displacements.data(), in_.type, comm);
      case kAlltoall:
        return CALL_COLLECTIVE(Alltoall, Ialltoall, out_.address, out_.count, out_.type, in_.address, in_.count,
                               in_.type, comm);
      case kAlltoallv:
        return CALL_COLLECTIVE(Alltoallv, Ialltoallv, out_.address, out_.counts.data(), out_.displacements.data(),
                               out_.type, in_.address, in_.counts.data(), in_.displacements.data(), in_.type, comm);
      case kAlltoallw:
        return CALL_COLLECTIVE(Alltoallw, Ialltoallw, out_.address, out_.counts.data(), out_.displacements.data(),
                               out_.types.data(), in_.address, in_.counts.data(), in_.displacements.data(),
                               in_.types.data(), comm);
      case kNeighborAllgather:
        return CALL_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, out_.address, out_.count, out_.type,
                               in_.address, in_.count, in_.type, comm);
      case kNeighborAllgatherv:
        return CALL_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, out_.address, out_.count, out_.type,
                               in_.address, in_.counts.data(), in_.displacements.data(), in_.type, comm);
      case kNeighborAlltoall:
        return CALL_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, out_.address, out_.count, out_.type, in_.address,
                               in_.count, in_.type, comm);
      case kNeighborAlltoallv:
        return CALL_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, out_.address, out_.counts.data(),
                               out_.displacements.data(), out_.type, in_.address, in_.counts.data(),
                               in_.displacements.data(), in_.type, comm);
      default:
        return CALL_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, out_.address, out_.counts.data(),
                               out_.byte_displacements.data(), out_.types.data(), in_.address, in_.counts.data(),
                               in_.byte_displacements.data(), in_.types.data(), comm);
    }
  }

  // By every completing procedure in turn.
  int complete(int how) {
    int flag = 0, index = 0, code = MPI_SUCCESS;
    switch (how % 6) {
      case 0:
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
      case 1:
        while (flag == 0 && code == MPI_SUCCESS) {
          code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
          sched_yield();  // there may be more ranks than processors
        }
        return code;
      case 2:
        return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
      case 3:
        return MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
      case 4:
        while (flag != 1 && code == MPI_SUCCESS) {
          code = MPI_Testsome(1, &request, &flag, &index, MPI_STATUSES_IGNORE);
          sched_yield();
        }
        return code;
      default:
        while (flag == 0 && code == MPI_SUCCESS) {
          code = MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
          sched_yield();
        }
        return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }

 private:
  // In place: at the root of a scatter the receive side says so, of all others the send side.
  static bool is_scatter(const Operation& operation) {
    return operation.procedure() == kScatter || operation.procedure() == kScatterv;
  }
  static void* absent_out(const Operation& operation) {
    return operation.is_in_place() && !is_scatter(operation) ? MPI_IN_PLACE : nullptr;
  }
  static void* absent_in(const Operation& operation) {
    return operation.is_in_place() && is_scatter(operation) ? MPI_IN_PLACE : nullptr;
  }

  Operation& operation_;
  Arguments out_, in_;
};

#endif

}  // namespace conformance
