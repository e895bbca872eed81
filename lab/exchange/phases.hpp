// How long the phases of an operation take: making the type, packing, sending, unpacking, freeing.
#pragma once

#include "../clock.hpp"
#include "job.hpp"
#include "message.hpp"
#include "packing.hpp"

#include <memory>
#include <vector>

namespace gapless::lab::exchange {

// How long one operation packed and unpacked on this rank; for a rank that does either twice, both.
struct Stamps {
  double clock_reading_ns = 0;
  Writing pack, unpack;
};

// Whether such a message needs datatypes of its own.
bool has_types(MethodKind method);

// The same packing, which keeps its times in `stamps`.
std::unique_ptr<Packing> stamped(std::unique_ptr<Packing> packing, Stamps& stamps);

// What a program has to make before such a message and to free behind it, made and freed once: the datatypes of a
// typed call, the buffer of a message packed by hand, both for MPI_Pack. It throws nothing: the same type was made
// before.
struct Preparation {
  double create_ns = 0;  // constructors, and the buffer
  double commit_ns = 0;
  double free_ns = 0;
};
Preparation prepare_once(MethodKind method, const Message& message);
// The same of the datatypes alone, freed again. Throws Refused.
Preparation prepare_types(const Message& message);

// Of one operation on this rank.
struct PhaseSample {
  Preparation preparation;
  Stamps stamps;
  double whole_ns = 0;
  Writing writing;  // within it
};

// On rank 0, sample by sample [ns]. Of a ping-pong, a round trip: what both ranks pack, unpack, and the rest of it. Of
// a collective the mean of the ranks, as of creating and freeing. Without what reading the clock takes.
struct Phases {
  std::vector<double> create, commit, pack, communicate, unpack, free;
};
// Collective.
Phases reduce_phases(const std::vector<PhaseSample>& samples, bool ping_pong, Place place);

}  // namespace gapless::lab::exchange
