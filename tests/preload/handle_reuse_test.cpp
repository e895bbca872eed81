// Handles are recycled at once: a plan that outlived its type would move the wrong bytes.
#include <vector>

#include "support.hpp"

namespace {

constexpr int kRounds = 20000;

// Sends 8 ints of a vector with the given stride to oneself and checks them against the definition of a vector.
void use(MPI_Datatype type, int stride, int round) {
  static int from[1024], to[1024];
  for (int k = 0; k < 1024; ++k) from[k] = k + round, to[k] = -1;
  MPI_Sendrecv(from, 1, type, 0, 0, to, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int k = 0; k < 8 * stride; ++k) {
    const bool data = k % stride == 0;
    CHECK(to[k] == (data ? k + round : -1), "round %d, stride %d: element %d is %d", round, stride, k, to[k]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const test::Layer layer = test::layer();
  int recycled = 0;
  MPI_Datatype before = MPI_DATATYPE_NULL;
  for (int round = 0; round < kRounds; ++round) {
    MPI_Datatype type;
    const int stride = 2 + round % 7;
    MPI_Type_vector(8, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    recycled += type == before;
    before = type;
    use(type, stride, round);
    switch (round % 4) {
      case 0: {
        // Freed while another type holds it, which is used afterwards, and whose end ends both.
        MPI_Datatype outer;
        MPI_Type_contiguous(1, type, &outer);
        MPI_Type_commit(&outer);
        MPI_Type_free(&type);
        use(outer, stride, round);
        MPI_Type_free(&outer);
        break;
      }
      case 1: {
        // A copy of a committed type is committed, and outlives it.
        MPI_Datatype copy;
        MPI_Type_dup(type, &copy);
        MPI_Type_free(&type);
        use(copy, stride, round);
        MPI_Type_free(&copy);
        break;
      }
      case 2: {
        // Freed while a receive into it is pending.
        static int from[1024], to[1024];
        for (int k = 0; k < 1024; ++k) from[k] = k, to[k] = -1;
        MPI_Request request;
        MPI_Irecv(to, 1, type, 0, 1, MPI_COMM_SELF, &request);
        MPI_Datatype other;
        MPI_Type_vector(8, 1, stride, MPI_INT, &other);
        MPI_Type_commit(&other);
        MPI_Type_free(&type);
        MPI_Send(from, 1, other, 0, 1, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(to[7 * stride] == 7 * stride, "round %d: a pending receive", round);
        MPI_Type_free(&other);
        break;
      }
      default:
        // Freed under the name that Fortran uses.
        PMPI_Type_free(&type);
    }
  }
  CHECK(recycled > 0, "no handle was recycled: this test tests nothing");
  // Every one, those of outer types and of copies too.
  CHECK(layer.accelerated("MPI_Sendrecv") == kRounds + kRounds / 2, "%lld", layer.accelerated("MPI_Sendrecv"));
  MPI_Finalize();
  return 0;
}
