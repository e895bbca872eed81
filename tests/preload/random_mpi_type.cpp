#include "random_mpi_type.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace test {

namespace {

// No long double: the library may lose the padding bytes that the layer carries along, and both are right.
const MPI_Datatype kNamed[] = {
    MPI_BYTE,    MPI_CHAR,      MPI_SHORT,      MPI_INT,       MPI_DOUBLE,           MPI_FLOAT,
    MPI_INT64_T, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_C_DOUBLE_COMPLEX, MPI_2INT};

struct Places {
  std::vector<int> lengths, elements;
  std::vector<MPI_Aint> bytes;
};

// Blocks of the child in shuffled slots; the slots are wider than the blocks, so that nothing overlaps.
Places places(Random& random, MPI_Aint width, int count, int longest, bool disjoint) {
  Places result;
  std::vector<int> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), random.below(5) - 2);
  if (random.below(2) == 0) {
    for (int k = count - 1; k > 0; --k)
      std::swap(order[static_cast<std::size_t>(k)], order[static_cast<std::size_t>(random.below(k + 1))]);
  }
  const int pitch = disjoint ? longest + random.below(3) : 1 + random.below(longest + 2);
  for (int k = 0; k < count; ++k) {
    result.lengths.push_back(random.below(longest + 1));
    result.elements.push_back(order[static_cast<std::size_t>(k)] * pitch);
    result.bytes.push_back(static_cast<MPI_Aint>(order[static_cast<std::size_t>(k)]) * pitch * width);
  }
  return result;
}

// The distance at which two copies of a type cannot overlap.
MPI_Aint width_of(MPI_Datatype type) {
  MPI_Aint lb, extent, true_lb, true_extent;
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  return std::max<MPI_Aint>({extent < 0 ? -extent : extent, true_extent, 1});
}

MPI_Datatype darray(Random& random, MPI_Datatype child) {
  const int kinds[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int dimensions = 1 + random.below(3);
  int sizes[3], distributions[3], arguments[3], grid[3], processes = 1;
  for (int k = 0; k < dimensions; ++k) {
    distributions[k] = kinds[random.below(3)];
    grid[k] = distributions[k] == MPI_DISTRIBUTE_NONE ? 1 : 1 + random.below(3);
    sizes[k] = 1 + random.below(7);
    const int smallest = distributions[k] == MPI_DISTRIBUTE_CYCLIC ? 1 : (sizes[k] + grid[k] - 1) / grid[k];
    arguments[k] = random.below(2) == 0 ? MPI_DISTRIBUTE_DFLT_DARG : smallest + random.below(2);
    processes *= grid[k];
  }
  const int rank = random.below(processes), order = random.below(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_darray(processes, rank, dimensions, sizes, distributions, arguments, grid, order, child, &made);
  return made;
}

MPI_Datatype construct(Random& random, int which, MPI_Datatype child, bool disjoint) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const MPI_Aint width = width_of(child);
  const int count = random.below(5), longest = 1 + random.below(3);
  const Places at = places(random, width, count, longest, disjoint);
  const int sign = random.below(3) == 0 ? -1 : 1;
  const int gap = disjoint ? longest + random.below(3) : random.below(longest + 3);
  switch (which) {
    case 0:
      MPI_Type_contiguous(count, child, &made);
      break;
    case 1:
      MPI_Type_vector(count, longest, sign * gap, child, &made);
      break;
    case 2:
      MPI_Type_create_hvector(count, longest, sign * gap * width + (disjoint ? 0 : random.below(3)), child, &made);
      break;
    case 3:
      MPI_Type_indexed(count, at.lengths.data(), at.elements.data(), child, &made);
      break;
    case 4:
      MPI_Type_create_hindexed(count, at.lengths.data(), at.bytes.data(), child, &made);
      break;
    case 5:
      MPI_Type_create_indexed_block(count, longest, at.elements.data(), child, &made);
      break;
    case 6:
      MPI_Type_create_hindexed_block(count, longest, at.bytes.data(), child, &made);
      break;
    case 7: {
      // Pieces of different types in slots of one width.
      std::vector<MPI_Datatype> types;
      for (int k = 0; k < count; ++k) types.push_back(random.below(2) == 0 ? child : MPI_BYTE);
      MPI_Type_create_struct(count, at.lengths.data(), at.bytes.data(), types.data(), &made);
      break;
    }
    case 8:
    case 9: {
      const int dimensions = 1 + random.below(3);
      int sizes[3], subsizes[3], starts[3];
      for (int k = 0; k < dimensions; ++k) {
        sizes[k] = 1 + random.below(4);
        subsizes[k] = 1 + random.below(sizes[k]);
        starts[k] = random.below(sizes[k] - subsizes[k] + 1);
      }
      MPI_Type_create_subarray(dimensions, sizes, subsizes, starts, which == 8 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, child,
                               &made);
      break;
    }
    case 10: {
      MPI_Aint lb, extent;
      MPI_Type_get_extent(child, &lb, &extent);
      MPI_Type_create_resized(child, lb - random.below(9), std::max(width, extent) + random.below(17), &made);
      break;
    }
    case 11:
      made = darray(random, child);
      break;
    default:
      MPI_Type_dup(child, &made);
      break;
  }
  return made;
}

}  // namespace

RandomType random_type(Random& random, bool disjoint) {
  RandomType result;
  const int depth = 1 + random.below(4);
  MPI_Datatype type = kNamed[random.below(sizeof kNamed / sizeof kNamed[0])];
  for (int k = 0; k < depth; ++k) {
    // A child that does not fit within its own extent would overlap with the next one.
    MPI_Aint lb, extent;
    MPI_Type_get_extent(type, &lb, &extent);
    const bool folds = disjoint && extent < width_of(type);
    MPI_Datatype made = construct(random, folds ? 10 : random.below(kConstructors), type, disjoint);
    // Open MPI 5.0.11 makes no darray of a type without data.
    if (made == MPI_DATATYPE_NULL) MPI_Type_dup(type, &made);
    if (k > 0) MPI_Type_free(&type);
    type = made;
  }
  MPI_Type_commit(&type);
  result.type = type;
  result.depth = depth;
  return result;
}

Span span_of(MPI_Datatype type, int count) {
  MPI_Aint lb, extent, true_lb, true_extent;
  MPI_Count size;
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  MPI_Type_size_x(type, &size);
  if (count == 0 || size == 0) return {0, 0, 0};
  const std::int64_t last = static_cast<std::int64_t>(extent) * (count - 1);
  return {std::min<std::int64_t>(0, last) + true_lb, std::max<std::int64_t>(0, last) + true_lb + true_extent,
          static_cast<std::int64_t>(size) * count};
}

Field::Field(const Span& span, std::uint64_t seed)
    : low_(span.low), bytes_(static_cast<std::size_t>(span.high - span.low + 2 * kGuard)) {
  Random random(seed);
  for (std::size_t at = 0; at < bytes_.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t drawn = random.next();
    std::memcpy(&bytes_[at], &drawn, std::min(sizeof drawn, bytes_.size() - at));
  }
}

std::size_t Field::first_difference(const Field& other) const {
  return static_cast<std::size_t>(std::mismatch(bytes_.begin(), bytes_.end(), other.bytes_.begin()).first -
                                  bytes_.begin());
}

}  // namespace test
