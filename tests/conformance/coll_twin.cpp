#include "coll_twin.hpp"

#include <cstring>

namespace conformance {

CollectiveTwin::CollectiveTwin(int* argc, char*** argv, int threads, bool needs_layer) {
  int provided = 0;
  MPI_Init_thread(argc, argv, threads, &provided);
  CHECK(provided >= threads, "this library has not these threads");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  is_intel_ = test::library_is("Intel");
  is_open_mpi_ = test::library_is("Open MPI");
  is_everywhere_ = needs_layer;
  if (needs_layer) CHECK(layer_.present() && layer_.counts(), "the layer and GAPLESS_STATS=1 are needed");
  places_ = make_places();
}

CollectiveTwin::~CollectiveTwin() {
  switch_to(Way::kOn);
  free_places(places_);
  if (rank_ == 0 && compared_ > 0) std::printf("%lld twins of collectives on %d ranks\n", compared_, size_);
  MPI_Finalize();
  if (failed_ > 0) {
    std::fflush(stdout);
    std::_Exit(1);
  }
}

void CollectiveTwin::switch_to(Way way) {
  way_ = way;
  MPI_Barrier(MPI_COMM_WORLD);
  layer_.set_collectives(way != Way::kOff);
  if (layer_.present()) layer_.set(way == Way::kOn || (way == Way::kOnAtOddRanks && rank_ % 2 != 0));
  MPI_Barrier(MPI_COMM_WORLD);
}

void CollectiveTwin::begin(const std::string& name) const {
  if (is_survey_ && rank_ == 0) std::fprintf(stderr, "begins: %s\n", name.c_str());
}

void CollectiveTwin::fail(const std::string& name, const std::string& what) {
  const char* const way = is_on() ? "with the layer" : "without the layer";
  std::fprintf(stderr, "failed: rank %d, %s, %s: %s\n", rank_, name.c_str(), way, what.c_str());
  std::fflush(stderr);
  ++failed_;
  if (!is_survey_) std::_Exit(1);
}

void CollectiveTwin::see(const std::string& name, const Outcome& outcome, const std::string& wrong) {
  if (!wrong.empty()) fail(name, wrong);
  const auto [found, is_new] = first_.try_emplace(name, outcome);
  if (is_new) return;
  ++compared_;
  const Outcome& first = found->second;
  for (std::size_t k = 0; k < first.codes.size() && k < outcome.codes.size(); ++k) {
    if (first.codes[k] == outcome.codes[k]) continue;
    fail(name, "step " + std::to_string(k) + " returned " + std::to_string(first.codes[k]) + " before, now " +
                   std::to_string(outcome.codes[k]));
  }
  if (first.codes.size() != outcome.codes.size()) fail(name, "not so many steps as before");
  if (first.received != outcome.received) fail(name, "other bytes came than before");
}

}  // namespace conformance
