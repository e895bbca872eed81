// Bounded and circular vectors and buckets, all of them up to a total: the library packs them as their definition says,
// so does GAPLESS_Pack_at, and their bounds are those of the definition. usage: new_types_test TOTAL
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "gapless/gapless_mpi.h"
#include "support.hpp"

namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMostPlaces = 64;
long long checked = 0;

// What the elements are made of: an int, or a strided type that leaves gaps and begins before its address.
struct Old {
  MPI_Datatype type;
  Numbers bytes;  // displacements in type-map order
  std::int64_t lb, extent;
};

Old make_strided() {
  MPI_Datatype pair, type;
  MPI_Type_vector(2, 1, 2, MPI_SHORT, &pair);
  MPI_Type_create_resized(pair, -2, 10, &type);
  MPI_Type_free(&pair);
  return {type, {0, 1, 4, 5}, -2, 10};
}

// An extent that is no multiple of the alignment, to which a library may round what is made of it.
Old make_odd() {
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, 5, &type);
  return {type, {0, 1, 2, 3}, 0, 5};
}

// `places`: of the elements, in type-map order, in extents.
void check(MPI_Datatype type, const Old& old, const Numbers& places, std::int64_t lb, std::int64_t ub) {
  MPI_Aint got_lb = -1, got_extent = -1;
  MPI_Type_get_extent(type, &got_lb, &got_extent);
  CHECK(got_lb == lb && got_extent == ub - lb, "bounds %ld, %ld and not %ld, %ld", (long)got_lb,
        (long)(got_lb + got_extent), (long)lb, (long)ub);
  static std::vector<unsigned char> memory(kMostPlaces * 10 + 64);
  if (memory[1] == 0) std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(1));
  const unsigned char* const buffer = memory.data() + 16;
  std::vector<unsigned char> expected, packed, ours;
  for (const std::int64_t place : places)
    for (const std::int64_t byte : old.bytes) expected.push_back(buffer[place * old.extent + byte]);
  packed.resize(expected.size() + 1);
  ours = packed;
  MPI_Type_commit(&type);
  int position = 0;
  MPI_Pack(buffer, 1, type, packed.data(), static_cast<int>(packed.size()), &position, MPI_COMM_SELF);
  packed.resize(expected.size());
  CHECK(position == static_cast<int>(expected.size()) && packed == expected, "the library packs something else");
  MPI_Count moved = -1;
  const MPI_Count from = checked % 5;
  CHECK(GAPLESS_Pack_at(buffer, 1, type, from, ours.data(), static_cast<MPI_Count>(ours.size()), &moved) == MPI_SUCCESS,
        "GAPLESS_Pack_at");
  const auto left = std::max<std::int64_t>(static_cast<std::int64_t>(expected.size()) - from, 0);
  CHECK(moved == left && std::equal(expected.end() - left, expected.end(), ours.begin()), "GAPLESS_Pack_at");
  MPI_Type_free(&type);
  ++checked;
}

Numbers bounded(std::int64_t bound, std::int64_t blocklength, std::int64_t stride) {
  Numbers places;
  for (std::int64_t t = 0; t < bound; ++t)
    if (t % stride < blocklength) places.push_back(t);
  return places;
}

// All block lengths and strides that differ below a bound.
void for_each_block(std::int64_t bound, const std::function<void(std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t stride = 1; stride <= bound + 1; ++stride)
    for (std::int64_t blocklength = 1; blocklength <= stride; ++blocklength) visit(blocklength, stride);
}

void check_bounded(const Old& old, std::int64_t bound) {
  for_each_block(bound, [&](std::int64_t blocklength, std::int64_t stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(GAPLESS_Type_create_vector_bounded(bound, blocklength, stride, old.type, &type) == MPI_SUCCESS,
          "%lld made before", checked);
    const Numbers places = bounded(bound, blocklength, stride);
    // Natural bounds: from the first element to the end of the last one.
    const std::int64_t last = places.empty() ? 0 : places.back();
    check(type, old, places, places.empty() ? 0 : old.lb, places.empty() ? 0 : last * old.extent + old.lb + old.extent);
  });
}

void check_circular(const Old& old, std::int64_t total, std::int64_t start, std::int64_t bound) {
  for_each_block(bound, [&](std::int64_t blocklength, std::int64_t stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(GAPLESS_Type_create_vector_circular(total, start, bound, blocklength, stride, old.type, &type) == MPI_SUCCESS,
          "%lld made before", checked);
    Numbers places = bounded(bound, blocklength, stride);
    for (std::int64_t& place : places) place = (start + place) % total;
    check(type, old, places, 0, total * old.extent);
  });
}

// Buckets of one stride, with all counts.
void check_buckets(const Old& old, std::int64_t count, std::int64_t stride) {
  std::vector<MPI_Count> counts(static_cast<std::size_t>(count), 0);
  for (bool more = true; more;) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    CHECK(GAPLESS_Type_create_bucket(count, stride, counts.data(), old.type, &type) == MPI_SUCCESS, "%lld made before",
          checked);
    Numbers places;
    for (std::int64_t b = 0; b < count; ++b)
      for (std::int64_t k = 0; k < counts[static_cast<std::size_t>(b)]; ++k) places.push_back(b * stride + k);
    check(type, old, places, 0, count * stride * old.extent);
    more = false;
    for (MPI_Count& one : counts) {
      more = one < stride;
      one = more ? one + 1 : 0;
      if (more) break;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::int64_t most = argc > 1 ? std::atol(argv[1]) : 8;
  const Old strided = make_strided(), odd = make_odd(), integer{MPI_INT, {0, 1, 2, 3}, 0, 4};
  MPI_Datatype freed[] = {strided.type, odd.type};
  for (std::int64_t total = 0; total <= most; ++total) {
    const Old& old = total % 3 == 0 ? integer : total % 3 == 1 ? strided : odd;
    check_bounded(integer, total);
    check_bounded(strided, total);
    check_bounded(odd, total);
    for (std::int64_t start = 0; start < std::max<std::int64_t>(total, 1); ++start)
      for (std::int64_t bound = 0; bound <= total; ++bound) check_circular(old, total, start, bound);
    for (std::int64_t count = 0; count <= total; ++count) {
      const std::int64_t stride = count == 0 ? 0 : total / count;
      double types = 1;
      for (std::int64_t b = 0; b < count; ++b) types *= static_cast<double>(stride + 1);
      if (types <= 20000) check_buckets(old, count, stride);
    }
  }
  for (MPI_Datatype& type : freed) MPI_Type_free(&type);
  std::printf("new_types_test: %lld types up to a total of %lld\n", checked, (long long)most);
  MPI_Finalize();
  return 0;
}
