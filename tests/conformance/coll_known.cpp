// What the libraries get wrong without the layer, each found by `collectives SEEDS survey`. Where the layer describes
// everything as bytes on every rank, some of it cannot happen: there the operation must be right.
#include "coll_twin.hpp"

namespace conformance {

namespace {

// MPICH (5.0.2) and what comes of it: beyond 32 KB a ring cuts each block at a multiple of the rank's own type, so that
// ranks with types of unequal sizes truncate each other's messages.
bool ring_cuts_by_type(Procedure procedure, const Shape& shape) {
  return procedure == kAllgatherv && !shape.is_unmapped && shape.size != Size::kRandom && shape.size != Size::kSome;
}

}  // namespace

bool CollectiveTwin::works(Procedure procedure, Mode mode, const Place& place, const Shape& shape) const {
  const bool is_cured = is_on() && is_everywhere_;
  if (is_open_mpi_) {
    // 5.0.11: what goes up and what goes down to the same process come the other way round; blocking is right.
    if (place.meets_twice && procedure >= kNeighborAlltoall && mode != kBlocking) return false;
    // On one process it takes no notice of the displacements.
    if (place.size == 1 && procedure == kAlltoallw && mode == kBlocking) return false;
    // A root of 4 processes or more: for some types the bytes of others come at a wrong place.
    if (procedure == kGather && mode == kBlocking && place.size > 3) return is_cured;
    // Its choice of algorithm multiplies the receive counts by the size of the send type: ranks that choose differently
    // wait for ever.
    if (procedure == kAllgatherv && mode == kBlocking && place.size > 2 && !shape.is_unmapped) return is_cured;
    return true;
  }
  if (ring_cuts_by_type(procedure, shape) && place.size > 1) return is_cured;
  if (!is_intel_) return true;
  // A strided type to be received as its basic ones: wrong data, and bytes beyond the buffers.
  if (procedure == kAllgather && mode == kBlocking && place.size > 1) return is_cured;
  // 2021.19 on some processors (family 6, model 207): the choice of an algorithm, a collective of its own, begins or
  // not by each rank's counts in its own type: ranks whose types are of unequal sizes wait for ever.
  if (procedure == kAlltoallv && mode == kBlocking && place.size > 1 && !shape.is_unmapped) return is_cured;
  // On two processes the root's copy to itself crashes for some types.
  if (procedure == kScatter && mode == kBlocking && place.size == 2) return is_cured;
  // A root that receives elements of a negative stride, 4 processes or more: bytes outside the buffers, or a crash.
  if (procedure == kGather && mode == kBlocking && place.size > 3) return is_cured;
  if (place.meets_twice && procedure >= kNeighborAlltoall) return false;  // as Open MPI, and blocking too
  // 2021.19: some of what is sent is what lay there when the request was made, not when it is started. The layer leaves
  // these to the library.
  if (mode == kPersistent && (procedure == kGather || procedure == kScatter || procedure == kAllgather)) return false;
  return true;
}

void CollectiveTwin::restrict(Procedure procedure, Mode mode, Shape& shape) const {
  // Its engine writes past the end of a buffer of its own when it unpacks a type of 200 levels.
  if (is_intel_) shape.may_be_deep = false;
  // In place nothing but blocking is right: Intel MPI loses data or crashes, Open MPI waits for ever beyond its eager
  // limit.
  if ((is_intel_ || is_open_mpi_) && procedure == kAlltoallw && mode != kBlocking) shape.may_be_in_place = false;
  // A neighbourhood's rank that is to receive nothing returns at once, without sending.
  if (is_open_mpi_ && is_neighborhood(procedure)) shape.may_be_nothing = false;
}

}  // namespace conformance
