// Random datatypes, built by the library's constructors and decoded: the engine must pack what MPI_Pack packs, and
// unpack where MPI_Unpack unpacks. usage: decode_test TYPES SEED
#include <algorithm>
#include <cinttypes>
#include <vector>

#include "layout/layout.hpp"
#include "mpi/types/construct.hpp"
#include "mpi/types/decode.hpp"
#include "mpi_test.hpp"

using namespace gapless;

namespace {

constexpr std::int64_t kLongest = 1 << 20;
long long packed_types = 0, different_types = 0, refused_types = 0, decoded_nodes[layout::kCombinerCount];

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
  CHECK(n == span.size && (ours == theirs || test::kLibraryErrs), "packed bytes differ, seed %" PRIu64, seed);
  if (ours != theirs) ++different_types;
  if (!disjoint || ours != theirs) return;
  test::Field one(span, seed + 1), other(span, seed + 1);
  position = 0;
  MPI_Unpack(theirs.data(), static_cast<int>(span.size), &position, one.buffer(), count, type, MPI_COMM_SELF);
  move::unpack(plan, count, other.buffer(), 0, theirs.data(), span.size);
  CHECK(one == other, "unpacked bytes differ, seed %" PRIu64, seed);
}

#if MPI_VERSION >= 4
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
#endif

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

// Predefined, though not by name: no reference to them is ours to give back.
void f90_types() {
  for (int round = 0; round < 100; ++round) {
    MPI_Datatype types[3], outer;
    MPI_Type_create_f90_real(6, 30, &types[0]);
    MPI_Type_create_f90_complex(15, 300, &types[1]);
    MPI_Type_create_f90_integer(6, &types[2]);
    for (const MPI_Datatype type : types) {
      const auto layout = mpi::decode(type);
      CHECK(layout != nullptr && layout->size == layout->extent, "an F90 type");
      compare(type, 3, *plan::compile(*layout), 21, true);
    }
    const int lengths[] = {1, 2, 1};
    const MPI_Aint places[] = {0, 16, 64};
    MPI_Type_create_struct(3, lengths, places, types, &outer);
    MPI_Type_commit(&outer);
    const auto layout = mpi::decode(outer);
    CHECK(layout != nullptr, "F90 components");
    compare(outer, 2, *plan::compile(*layout), 22, true);
    MPI_Type_free(&outer);
  }
}

// Components that the program has freed, and handles that MPI_Type_get_contents gave out.
void components() {
  for (int round = 0; round < 100; ++round) {
    MPI_Datatype inner, middle, outer, given;
    MPI_Type_vector(3, 1, 2 + round % 5, MPI_INT, &inner);
    MPI_Type_dup(inner, &middle);
    MPI_Type_free(&inner);
    const int lengths[] = {1, 1, 2};
    const MPI_Aint places[] = {0, 200, 400};
    const MPI_Datatype types[] = {middle, MPI_DOUBLE_INT, middle};
    MPI_Type_create_struct(3, lengths, places, types, &outer);
    MPI_Type_free(&middle);
    MPI_Type_commit(&outer);
    for (int k = 0; k < 3; ++k) {
      const auto layout = mpi::decode(outer);
      CHECK(layout != nullptr, "freed components");
      compare(outer, 2, *plan::compile(*layout), 31, true);
    }
    int integers[4];
    MPI_Aint addresses[3];
    MPI_Datatype parts[3];
    MPI_Type_get_contents(outer, 4, 3, 3, integers, addresses, parts);
    MPI_Type_free(&outer);
    given = parts[0];
    const auto layout = mpi::decode(given);
    CHECK(layout != nullptr && layout->combiner == layout::Combiner::kDup, "what get_contents gave out");
    MPI_Type_commit(&given);
    compare(given, 2, *plan::compile(*layout), 32, true);
    MPI_Type_free(&parts[2]);
    MPI_Type_free(&given);
  }
}

// What no library here makes, against a type that must be the same.
layout::LayoutPtr constructed(int combiner, std::initializer_list<int> integers,
                              std::span<const layout::LayoutPtr> children) {
  mpi::Contents contents;
  contents.combiner = combiner;
  contents.reserve({.integers = static_cast<MPI_Count>(integers.size())});
  std::ranges::copy(integers, contents.integers.begin());
  return mpi::construct(contents, children);
}

void constructors_of_old() {
  const layout::LayoutPtr child = mpi::decode(MPI_INT), children[] = {mpi::decode(MPI_SHORT), mpi::decode(MPI_DOUBLE)};
  const int lengths[] = {2, 1};
  const MPI_Aint places[] = {40, 8};
  MPI_Datatype types[3];
  MPI_Type_create_hvector(3, 2, 20, MPI_INT, &types[0]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &types[1]);
  const MPI_Datatype both[] = {MPI_SHORT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, both, &types[2]);
  const layout::LayoutPtr made[] = {constructed(mpi::kHvectorInteger, {3, 2, 20}, {&child, 1}),
                                    constructed(mpi::kHindexedInteger, {2, 2, 1, 40, 8}, {&child, 1}),
                                    constructed(mpi::kStructInteger, {2, 2, 1, 40, 8}, children)};
  for (int k = 0; k < 3; ++k) {
    MPI_Type_commit(&types[k]);
    if (mpi::kHvectorInteger >= 0) {
      CHECK(made[k] != nullptr, "an old constructor");
      compare(types[k], 2, *plan::compile(*made[k]), 41, true);
    }
    MPI_Type_free(&types[k]);
  }
  CHECK(constructed(mpi::kHindexedInteger, {2, 2, 1, 40}, {&child, 1}) == nullptr, "arguments missing");
  CHECK(constructed(12345, {2}, {&child, 1}) == nullptr, "an unknown combiner");
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  const MPI_Datatype values[] = {MPI_DOUBLE, MPI_SHORT, MPI_INT}, pairs[] = {MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_2INT};
  for (int k = 0; k < 3; ++k) {
    const layout::LayoutPtr parts[] = {mpi::decode(values[k]), child};
    const auto pair = constructed(MPI_COMBINER_VALUE_INDEX, {}, parts);
    CHECK(pair != nullptr && pair->extent == mpi::decode(pairs[k])->extent, "value and index");
    compare(pairs[k], 3, *plan::compile(*pair), 42, true);
  }
  MPI_Datatype named;
  MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &named);
  CHECK(named == MPI_DOUBLE_INT, "a pair type by its parts");
#endif
}

// What the engine cannot count stays the library's; so does what is too deep for the stack.
void not_decoded() {
  MPI_Datatype type = MPI_INT, next;
  for (int k = 0; k < 250; ++k) {
    MPI_Type_dup(type, &next);
    if (k > 0) MPI_Type_free(&type);
    type = next;
  }
  CHECK(mpi::decode(type) == nullptr, "a tower");
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long types = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  test::load();
  named_types();
#if MPI_VERSION >= 4
  large_count_types();
#endif
  darrays();
  f90_types();
  components();
  constructors_of_old();
  not_decoded();
  CHECK(different_types == 0, "%lld of the fixed types differ", different_types);
  test::let_errors_return(true);
  for (long k = 0; k < types; ++k) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(k);
    test::Random random(seed);
    const bool disjoint = k % 2 == 0;
    test::RandomType made = test::random_type(random, disjoint);
    if (made.type == MPI_DATATYPE_NULL) {
      ++refused_types;
      continue;
    }
    const auto layout = mpi::decode(made.type);
    CHECK(layout != nullptr || test::kLibraryErrs, "not decoded, seed %" PRIu64, seed);
    if (layout == nullptr) {
      ++refused_types;
      MPI_Type_free(&made.type);
      continue;
    }
    count_nodes(*layout);
    compare(made.type, 1 + random.below(3), *plan::compile(*layout), seed, disjoint);
    MPI_Type_free(&made.type);
  }
  test::let_errors_return(false);
  CHECK(refused_types <= (test::kLibraryErrs ? types / 20 : 0) && different_types <= packed_types / 100,
        "%lld refused, %lld of %lld differ", refused_types, different_types, packed_types);
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
