// Every collective that moves data, blocking, nonblocking and persistent, on every kind of intracommunicator, each rank
// with datatypes of its own. Compiled with and without large counts. usage: collectives [SEEDS] [survey [NAME]]
#include "coll_twin.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

#if HAS_COUNTED

Shape shape_of(Procedure procedure, Mode mode, int k, int size) {
  Shape shape;
  shape.seed = 1000 * static_cast<std::uint64_t>(procedure) + static_cast<std::uint64_t>(k);
  shape.is_unmapped = k % 5 == 4;
  if (k % 8 == 5) shape.size = Size::kSome;
  if (k % 8 == 6 && size <= 4) shape.size = Size::kEager;
  if (k % 16 == 7 && static_cast<int>(procedure) % kModes == static_cast<int>(mode)) shape.size = Size::kLarge;
  return shape;
}

void all_of(CollectiveTwin& twin, Procedure procedure, Mode mode, int seeds, const char* only) {
  std::vector<const Place*> places;
  for (const Place& place : twin.places()) {
    if (place.has_topology || !is_neighborhood(procedure)) places.push_back(&place);
  }
  for (const Way way : {Way::kOff, Way::kOn, Way::kOnAtOddRanks}) {
    if (way == Way::kOnAtOddRanks && !is_w(procedure)) continue;
    twin.switch_to(way);
    for (int k = 0; k < seeds; ++k) {
      const Place& place = *places[static_cast<std::size_t>(k + procedure) % places.size()];
      if (place.comm == MPI_COMM_NULL) continue;
      const std::string name =
          std::string(name_of(mode)) + ' ' + name_of(procedure) + " on " + place.name + ", seed " + std::to_string(k);
      if (only != nullptr && (' ' + name + ';').find(only) == std::string::npos) continue;
      Shape shape = shape_of(procedure, mode, k, twin.size());
      twin.restrict(procedure, mode, shape);
      if (!twin.works(procedure, mode, place, shape)) continue;
      twin.begin(name);
      Operation operation(place, procedure, shape);
      const bool frees_types = k % 3 == 0 && twin.may_free_types(mode);
      Outcome outcome;
      const std::string wrong = run(operation, mode, k, frees_types, outcome);
      twin.see(name, outcome, wrong);
    }
  }
}

#endif

}  // namespace

int main(int argc, char** argv) {
#if !HAS_COUNTED
  (void)argc, (void)argv;
  std::puts("skipped: this library has no large counts");
  return kSkipped;
#else
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 16;
  CollectiveTwin twin(&argc, &argv, MPI_THREAD_SINGLE);
  if (argc > 2 && std::strcmp(argv[2], "survey") == 0) twin.survey();
  for (int p = 0; p < kProcedures; ++p) {
    for (int mode = 0; mode < (HAS_PERSISTENT_COLLECTIVES ? kModes : kPersistent); ++mode) {
      all_of(twin, static_cast<Procedure>(p), static_cast<Mode>(mode), seeds, argc > 3 ? argv[3] : nullptr);
    }
  }
  return 0;
#endif
}
