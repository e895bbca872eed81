// Twins of collectives: an operation is done with the layer's collectives switched off and then on, on all ranks; what
// came must be what was sent, both times, and the return codes the same.
#pragma once

#include <map>
#include <string>

#include "../preload/support.hpp"
#include "coll_calls.hpp"

namespace conformance {

// How the layer is switched. Beside collectives, which are all ranks' to agree on, the layer may be off on some ranks:
// only the w procedures look at that.
enum class Way { kOff, kOn, kOnAtOddRanks };

class CollectiveTwin {
 public:
  // Initialises MPI. With `needs_layer` the layer must be there and count; without, it is not the same on all ranks,
  // and so changes nothing but the w procedures.
  CollectiveTwin(int* argc, char*** argv, int threads, bool needs_layer = true);
  ~CollectiveTwin();
  CollectiveTwin(const CollectiveTwin&) = delete;
  CollectiveTwin& operator=(const CollectiveTwin&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_intel() const { return is_intel_; }
  bool is_open_mpi() const { return is_open_mpi_; }
  const test::Layer& layer() const { return layer_; }
  const std::vector<Place>& places() const { return places_; }

  // Whether the library, with the layer as it is switched now, is known to do it right (coll_known.cpp).
  bool works(Procedure procedure, Mode mode, const Place& place, const Shape& shape) const;
  // What this library cannot do whoever asks: datatypes freed in use, deep ones, operations with nothing in them.
  bool may_free_types(Mode mode) const { return !(is_open_mpi_ && mode == kPersistent); }
  void restrict(Procedure procedure, Mode mode, Shape& shape) const;
  // Collective over the world.
  void switch_to(Way way);
  bool is_on() const { return way_ != Way::kOff; }
  // What a rank saw of an operation, by name: noted the first time, compared from then on.
  void see(const std::string& name, const Outcome& outcome, const std::string& wrong);
  // To find out what a library does by itself: goes on after a failure, and names each operation before it begins.
  void survey() { is_survey_ = true; }
  void begin(const std::string& name) const;
  void fail(const std::string& name, const std::string& what);

 private:
  test::Layer layer_;
  std::vector<Place> places_;
  int rank_ = 0, size_ = 0;
  bool is_everywhere_ = true;
  bool is_intel_ = false, is_open_mpi_ = false, is_survey_ = false;
  Way way_ = Way::kOn;
  std::map<std::string, Outcome> first_;
  long long compared_ = 0, failed_ = 0;
};

#if HAS_COUNTED

inline constexpr int kRounds = 3;  // of a persistent operation

// The operation from its first call to its last, and what was seen.
inline std::string run(Operation& operation, Mode mode, int how, bool frees_types, Outcome& outcome) {
  Call call(operation);
  operation.fill(0);
  outcome.codes.push_back(call.start(mode));
  if (mode == kBlocking) return operation.check(0, outcome);
  if (frees_types) operation.free_types();
  if (mode == kNonblocking) {
    outcome.codes.push_back(call.complete(how));
    outcome.codes.push_back(call.request == MPI_REQUEST_NULL);
    return operation.check(0, outcome);
  }
  if (outcome.codes[0] != MPI_SUCCESS) return "";
  std::string wrong;
  for (int round = 0; round < kRounds; ++round) {
    operation.fill(round);
    outcome.codes.push_back(round == 1 ? MPI_Startall(1, &call.request) : MPI_Start(&call.request));
    outcome.codes.push_back(call.complete(how + round));
    outcome.codes.push_back(call.request != MPI_REQUEST_NULL);
    const std::string now = operation.check(round, outcome);
    if (wrong.empty() && !now.empty()) wrong = "round " + std::to_string(round) + ": " + now;
  }
  outcome.codes.push_back(MPI_Request_free(&call.request));
  return wrong;
}

#endif

}  // namespace conformance
