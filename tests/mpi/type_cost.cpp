// What a type costs that is built for one message: create, commit, first use, free. To be run under callgrind with two
// numbers of rounds; the difference is the cost of the rounds.
// usage: type_cost plain|commit|cached|uncached|known vector|indexed10|indexed1000|struct ROUNDS
//   plain     the library alone
//   commit    the layer's share of a commit as well
//   cached    and the first use: from the handle to the plan
//   known     nothing but the look-up of a handle that was registered before
//   uncached  the same with a cache that keeps nothing: what a plan costs
#include <string>
#include <vector>

#include "mpi/types/decode.hpp"
#include "mpi_test.hpp"

using namespace gapless;

namespace {

MPI_Datatype make(const std::string& kind) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (kind == "vector") {
    MPI_Type_vector(100, 2, 5, MPI_DOUBLE, &type);
  } else if (kind == "struct") {
    const int lengths[] = {1, 2, 3};
    const MPI_Aint places[] = {0, 8, 32};
    const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, places, types, &type);
  } else {
    static std::vector<int> lengths, places;
    const int blocks = kind == "indexed10" ? 10 : 1000;
    for (int k = static_cast<int>(lengths.size()); k < blocks; ++k) {
      lengths.push_back(1 + k * 7 % 3);
      places.push_back(5 * k + k * k % 3);
    }
    MPI_Type_indexed(blocks, lengths.data(), places.data(), MPI_DOUBLE, &type);
  }
  return type;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CHECK(argc == 4, "usage: type_cost MODE KIND ROUNDS");
  const std::string mode = argv[1], kind = argv[2];
  test::load();
  mpi::epoch_began();
  mpi::TypeCache keeps_nothing({0, 0});
  if (mode == "known") {
    MPI_Datatype type = make(kind);
    MPI_Type_commit(&type);
    mpi::register_type(type);
    for (long k = std::atol(argv[3]) + 2; k > 0; --k) CHECK(mpi::find_type(type)->plan() != nullptr, "known");
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
  }
  for (long k = std::atol(argv[3]); k > 0; --k) {
    MPI_Datatype type = make(kind);
    MPI_Type_commit(&type);
    if (mode != "plain") mpi::register_type(type);
    if (mode == "cached") CHECK(mpi::find_type(type)->plan() != nullptr, "cached");
    if (mode == "uncached") CHECK(mpi::describe(type, keeps_nothing).datatype->plan() != nullptr, "uncached");
    MPI_Type_free(&type);
  }
  mpi::epoch_ending();
  MPI_Finalize();
  mpi::epoch_ended();
  return 0;
}
