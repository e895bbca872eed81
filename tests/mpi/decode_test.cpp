// Random datatypes, built by the library's constructors and decoded: the engine must pack what MPI_Pack packs, and
// unpack where MPI_Unpack unpacks. usage: decode_test TYPES SEED
#include <dlfcn.h>

#include <cinttypes>
#include <vector>

#include "layout/layout.hpp"
#include "move/move.hpp"
#include "mpi/decode.hpp"
#include "mpi/library.hpp"
#include "random_mpi_type.hpp"
#include "support.hpp"

using namespace gapless;

namespace {

constexpr std::int64_t kLongest = 1 << 20;
long long packed_types = 0, decoded_nodes[layout::kCombinerCount];

void count_nodes(const layout::Layout& type) {
  ++decoded_nodes[static_cast<int>(type.combiner)];
  for (const auto& child : type.children) count_nodes(*child);
}

void compare(MPI_Datatype type, int count, const plan::Plan& plan, std::uint64_t seed, bool disjoint) {
  const test::Span span = test::span_of(type, count);
  if (span.size == 0 || span.size > kLongest || span.high - span.low > kLongest) return;
  ++packed_types;
  test::Field from(span, seed);
  const auto bytes = static_cast<std::size_t>(span.size);
  std::vector<char> theirs(bytes), ours(bytes);
  int position = 0;
  MPI_Pack(from.buffer(), count, type, theirs.data(), static_cast<int>(span.size), &position, MPI_COMM_SELF);
  CHECK(position == span.size, "seed %" PRIu64, seed);
  const auto n = move::pack(plan, count, from.buffer(), 0, ours.data(), span.size);
  CHECK(n == span.size && ours == theirs, "packed bytes differ, seed %" PRIu64, seed);
  if (!disjoint) return;
  test::Field one(span, seed + 1), other(span, seed + 1);
  position = 0;
  MPI_Unpack(theirs.data(), static_cast<int>(span.size), &position, one.buffer(), count, type, MPI_COMM_SELF);
  move::unpack(plan, count, other.buffer(), 0, theirs.data(), span.size);
  CHECK(one == other, "unpacked bytes differ, seed %" PRIu64, seed);
}

// Types of the _c constructors keep their arguments elsewhere.
void large_count_types() {
  MPI_Datatype type;
  const MPI_Count lengths[] = {2, 1, 3}, places[] = {0, 40, -80};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
  const MPI_Count sizes[] = {4, 5}, subsizes[] = {2, 3}, starts[] = {1, 1};
  const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, grid[] = {2, 2};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 3};
  for (int k = 0; k < 10; ++k) {
    switch (k) {
      case 0:
        MPI_Type_vector_c(3, 2, 5, MPI_INT, &type);
        break;
      case 1:
        MPI_Type_create_hvector_c(3, 2, -24, MPI_INT, &type);
        break;
      case 2:
        MPI_Type_indexed_c(3, lengths, places, MPI_SHORT, &type);
        break;
      case 3:
        MPI_Type_create_hindexed_c(3, lengths, places, MPI_INT, &type);
        break;
      case 4:
        MPI_Type_create_indexed_block_c(3, 2, places, MPI_INT, &type);
        break;
      case 5:
        MPI_Type_create_hindexed_block_c(3, 2, places, MPI_INT, &type);
        break;
      case 6:
        MPI_Type_create_struct_c(3, lengths, places, types, &type);
        break;
      case 7:
        MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &type);
        break;
      case 8:
        MPI_Type_create_darray_c(4, 3, 2, sizes, distributions, arguments, grid, MPI_ORDER_FORTRAN, MPI_INT, &type);
        break;
      default:
        MPI_Type_create_resized_c(MPI_INT, -4, 12, &type);
        break;
    }
    MPI_Type_commit(&type);
    const auto layout = mpi::decode(type);
    CHECK(layout != nullptr, "large-count type %d is not decoded", k);
    compare(type, 3, *plan::compile(*layout), 7000 + static_cast<std::uint64_t>(k), true);
    MPI_Type_free(&type);
  }
}

// Every rank of a few grids, with parts cut short and empty ones: what each packs is what the library packs.
void darrays() {
  const int kinds[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  long long checked = 0;
  for (int kind = 0; kind < 9; ++kind) {
    for (int shape = 0; shape < 8; ++shape) {
      const int sizes[] = {5 + shape % 2, 7}, distributions[] = {kinds[kind / 3], kinds[kind % 3]};
      const int grid[] = {kind / 3 == 0 ? 1 : 2, kind % 3 == 0 ? 1 : 4};
      const int given = shape / 2 % 2;
      const int arguments[] = {given == 0 || kind / 3 == 0 ? MPI_DISTRIBUTE_DFLT_DARG : 4,
                               given == 0 || kind % 3 == 0 ? MPI_DISTRIBUTE_DFLT_DARG : 3};
      for (int rank = 0; rank < grid[0] * grid[1]; ++rank) {
        MPI_Datatype type;
        MPI_Type_create_darray(grid[0] * grid[1], rank, 2, sizes, distributions, arguments, grid,
                               shape < 4 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_SHORT, &type);
        MPI_Type_commit(&type);
        const auto layout = mpi::decode(type);
        CHECK(layout != nullptr && layout->combiner == layout::Combiner::kDarray,
              "darray %d %d of rank %d: not decoded, or with other bounds", kind, shape, rank);
        compare(type, 2, *plan::compile(*layout), static_cast<std::uint64_t>(9000 + checked++), true);
        MPI_Type_free(&type);
      }
    }
  }
}

void named_types() {
  const MPI_Datatype types[] = {MPI_CHAR,     MPI_WCHAR,           MPI_AINT,      MPI_C_BOOL,
                                MPI_UINT64_T, MPI_C_FLOAT_COMPLEX, MPI_FLOAT_INT, MPI_DOUBLE_INT,
                                MPI_LONG_INT, MPI_SHORT_INT,       MPI_2INT,      MPI_PACKED};
  for (const MPI_Datatype type : types) {
    const auto layout = mpi::decode(type);
    CHECK(layout != nullptr, "a named type is not decoded");
    compare(type, 3, *plan::compile(*layout), 5, true);
  }
  CHECK(mpi::decode(MPI_LONG_DOUBLE) != nullptr && mpi::decode(MPI_LONG_DOUBLE_INT) != nullptr, "long double");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long types = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const auto visible = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  const char* missing = mpi::load_library(visible, visible);
  CHECK(missing == nullptr, "%s", missing);
  named_types();
  large_count_types();
  darrays();
  for (long k = 0; k < types; ++k) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
    test::Random random(seed);
    const bool disjoint = k % 2 == 0;
    test::RandomType made = test::random_type(random, disjoint);
    const auto layout = mpi::decode(made.type);
    CHECK(layout != nullptr, "not decoded, seed %" PRIu64, seed);
    count_nodes(*layout);
    compare(made.type, 1 + random.below(3), *plan::compile(*layout), seed, disjoint);
    MPI_Type_free(&made.type);
  }
  std::printf("decode_test: %ld types from seed %" PRIu64 ", %lld packed\n", types, first, packed_types);
  for (int k = 0; k < layout::kCombinerCount; ++k) {
    std::printf("  %-16s %lld\n", layout::combiner_name(static_cast<layout::Combiner>(k)), decoded_nodes[k]);
    // The last three are no types of MPI's.
    CHECK(types < 1000 || decoded_nodes[k] >= 50 || k >= static_cast<int>(layout::Combiner::kBoundedVector),
          "hardly any %s", layout::combiner_name(static_cast<layout::Combiner>(k)));
  }
  CHECK(types < 1000 || packed_types > types / 4, "only %lld types held data", packed_types);
  MPI_Finalize();
  return 0;
}
