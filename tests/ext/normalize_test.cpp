// GAPLESS_Type_normalize on types of which the fewest constructors are known, so that one which gives up is noticed:
// what it returns is right in any case, for it compares that with what it was given.
#include <cstdint>
#include <vector>

#include "gapless/gapless_mpi.h"
#include "mpi_type.hpp"
#include "support.hpp"

namespace {

// Frees the type.
void expect(const char* what, MPI_Datatype type, int constructors) {
  MPI_Datatype simple = MPI_DATATYPE_NULL;
  int equal = -1;
  CHECK(GAPLESS_Type_normalize(type, &simple) == MPI_SUCCESS, "%s", what);
  CHECK(GAPLESS_Type_equal(type, simple, &equal) == MPI_SUCCESS && equal == 1, "%s: another type", what);
  CHECK(test::constructors_of(simple) == constructors, "%s: %d constructors, of %d, and not %d", what,
        test::constructors_of(simple), test::constructors_of(type), constructors);
  MPI_Type_free(&simple);
  MPI_Type_free(&type);
}

// Makes the next type around the one before.
class Tower {
 public:
  explicit Tower(MPI_Datatype first) : type_(first) {}
  template <class Constructor, class... Arguments>
  Tower& add(Constructor constructor, Arguments... arguments) {
    MPI_Datatype next;
    constructor(arguments..., type_, &next);
    return replace(next);
  }
  Tower& resized(MPI_Aint lb, MPI_Aint extent) {
    MPI_Datatype next;
    MPI_Type_create_resized(type_, lb, extent, &next);
    return replace(next);
  }
  MPI_Datatype type() const { return type_; }

 private:
  Tower& replace(MPI_Datatype next) {
    if (is_own_) MPI_Type_free(&type_);
    type_ = next;
    is_own_ = true;
    return *this;
  }
  MPI_Datatype type_;
  bool is_own_ = false;
};

MPI_Datatype structure(const std::vector<MPI_Datatype>& types, const std::vector<MPI_Aint>& places) {
  const std::vector<int> ones(types.size(), 1);
  MPI_Datatype made;
  MPI_Type_create_struct(static_cast<int>(types.size()), ones.data(), places.data(), types.data(), &made);
  return made;
}

void one_basic_type() {
  const int row[] = {0, 1, 2, 3}, uneven[] = {0, 5, 7, 30}, lengths[] = {1, 2, 1, 3};
  expect("contiguous of contiguous", Tower(MPI_INT).add(MPI_Type_contiguous, 3).add(MPI_Type_contiguous, 4).type(), 1);
  expect("a list that is a row", Tower(MPI_INT).add(MPI_Type_create_indexed_block, 4, 1, row).type(), 1);
  expect("a vector of rows",
         Tower(MPI_INT).add(MPI_Type_contiguous, 2).resized(0, 16).add(MPI_Type_contiguous, 10).resized(0, 152).type(),
         1);
  expect("a list of rows",
         Tower(MPI_INT).add(MPI_Type_contiguous, 2).add(MPI_Type_create_indexed_block, 4, 1, uneven).type(), 1);
  expect("a list with lengths in a vector",
         Tower(MPI_INT).add(MPI_Type_indexed, 4, lengths, uneven).add(MPI_Type_vector, 1, 1, 1).type(), 1);
  expect("a vector of lists",
         Tower(MPI_INT)
             .add(MPI_Type_create_indexed_block, 4, 1, uneven)
             .add(MPI_Type_contiguous, 1)
             .add(MPI_Type_create_hvector, 3, 1, MPI_Aint{400})
             .type(),
         2);
  // Placed lists must keep their place.
  const MPI_Aint place[] = {40};
  expect("a list further on",
         Tower(MPI_INT)
             .add(MPI_Type_create_indexed_block, 4, 1, uneven)
             .add(MPI_Type_create_hindexed_block, 1, 1, place)
             .type(),
         1);
}

void unlike_basic_types() {
  MPI_Datatype particle = structure({MPI_INT, MPI_INT, MPI_DOUBLE}, {0, 4, 8});
  expect("members that are neighbours", particle, 1);
  particle = structure({MPI_INT, MPI_DOUBLE}, {0, 8});
  expect("structs in a row of a row", Tower(particle).add(MPI_Type_contiguous, 3).add(MPI_Type_contiguous, 5).type(),
         2);
  expect("a struct with extents given",
         Tower(particle).resized(0, 16).add(MPI_Type_vector, 4, 1, 2).add(MPI_Type_contiguous, 1).type(), 2);
  MPI_Datatype pairs = structure({MPI_DOUBLE_INT, particle}, {0, 48});
  expect("a pair type stays one", Tower(pairs).add(MPI_Type_contiguous, 1).type(), 1);
  MPI_Type_free(&pairs);
  MPI_Type_free(&particle);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  one_basic_type();
  unlike_basic_types();
  MPI_Finalize();
  std::printf("normalize_test: passed\n");
  return 0;
}
