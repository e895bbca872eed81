// What the functions of libgapless_mpi refuse: each raises one error, through the handler of MPI_COMM_SELF, returns its
// class, and sets no output. And what is unusual but right: counts beyond an int, types that the engine does not know.
#include <cstdint>
#include <cstring>
#include <vector>

#include "gapless/gapless_mpi.h"
#include "support.hpp"

namespace {

int raised = 0, raised_class = MPI_SUCCESS;

void count_error(MPI_Comm*, int* code, ...) {
  ++raised;
  raised_class = test::error_class(*code);
}

// `code` is what the function has returned.
void expect(int error_class, int code, const char* what) {
  CHECK(test::error_class(code) == error_class, "%s returns class %d and not %d", what, test::error_class(code),
        error_class);
  CHECK(raised == 1 && raised_class == error_class, "%s raised %d errors, the last of class %d", what, raised,
        raised_class);
  raised = 0;
}
#define EXPECT(error_class, call) expect(error_class, call, #call)
#define EXPECT_SUCCESS(call) CHECK((call) == MPI_SUCCESS && raised == 0, #call)

MPI_Datatype strided(bool commit) {
  MPI_Datatype type;
  MPI_Type_vector(4, 1, 2, MPI_INT, &type);
  if (commit) MPI_Type_commit(&type);
  return type;
}

const int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};

void constructors() {
  const MPI_Count counts[] = {1, 3}, too_many[] = {1, 5}, negative[] = {-1, 1};
  MPI_Datatype made = MPI_FLOAT;
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_create_vector_bounded(3, 1, 2, MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_bounded(3, 1, 2, MPI_INT, nullptr));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_bounded(-1, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_bounded(3, 0, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_bounded(3, 3, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_COUNT, GAPLESS_Type_create_vector_bounded(INT64_MAX / 2, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_create_vector_circular(3, 1, 3, 1, 2, MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_circular(3, 3, 3, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_circular(3, -1, 3, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_circular(3, 1, 4, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_vector_circular(0, 1, 0, 1, 2, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_create_bucket(2, 3, counts, MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_COUNT, GAPLESS_Type_create_bucket(-1, 3, counts, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_bucket(2, 3, nullptr, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_bucket(2, 3, too_many, MPI_INT, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_create_bucket(2, 3, negative, MPI_INT, &made));
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_signature(MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_signature(MPI_INT, nullptr));
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_normalize(MPI_DATATYPE_NULL, &made));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_normalize(MPI_INT, nullptr));
  CHECK(made == MPI_FLOAT, "an output was set");
  int equal = 7;
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_equal(MPI_DATATYPE_NULL, MPI_INT, &equal));
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_equal(MPI_INT, MPI_DATATYPE_NULL, &equal));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_equal(MPI_INT, MPI_INT, nullptr));
  CHECK(equal == 7, "an output was set");
}

void serialised() {
  char bytes[256], whole[256];
  MPI_Count needed = 7, size = 7;
  MPI_Datatype type = strided(false);
  EXPECT(MPI_ERR_TYPE, GAPLESS_Type_serialise(MPI_DATATYPE_NULL, bytes, sizeof bytes, &needed));
  EXPECT(MPI_ERR_ARG, GAPLESS_Type_serialise(type, bytes, sizeof bytes, nullptr));
  EXPECT(MPI_ERR_COUNT, GAPLESS_Type_serialise(type, bytes, -1, &needed));
  EXPECT(MPI_ERR_BUFFER, GAPLESS_Type_serialise(type, nullptr, 1, &needed));
  CHECK(needed == 7, "an output was set");
  EXPECT_SUCCESS(GAPLESS_Type_serialise(type, nullptr, 0, &needed));
  EXPECT_SUCCESS(GAPLESS_Type_serialise(type, whole, sizeof whole, &size));
  CHECK(size == needed && size > 1, "as many bytes as were said");
  // Where one byte is lacking, none is written.
  std::memset(bytes, 1, sizeof bytes);
  EXPECT_SUCCESS(GAPLESS_Type_serialise(type, bytes, size - 1, &needed));
  CHECK(needed == size && bytes[0] == 1 && std::memcmp(bytes, bytes + 1, sizeof bytes - 1) == 0, "a part is written");
  EXPECT_SUCCESS(GAPLESS_Type_serialise(type, bytes, size, &needed));
  CHECK(std::memcmp(bytes, whole, static_cast<std::size_t>(size)) == 0 && bytes[size] == 1, "just enough room");
  MPI_Type_free(&type);
}

void moves() {
  MPI_Datatype type = strided(true), fresh = strided(false);
  int out[8] = {0};
  MPI_Count moved = 7;
  for (int round = 0; round < 3; ++round) {  // asked for, looked up, remembered
    EXPECT(MPI_ERR_TYPE, GAPLESS_Pack_at(numbers, 1, MPI_DATATYPE_NULL, 0, out, 16, &moved));
    EXPECT(MPI_ERR_TYPE, GAPLESS_Pack_at(numbers, 1, fresh, 0, out, 16, &moved));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Pack_at(numbers, -1, type, 0, out, 16, &moved));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Pack_at(numbers, 1, type, 0, out, -1, &moved));
    EXPECT(MPI_ERR_ARG, GAPLESS_Pack_at(numbers, 1, type, -1, out, 16, &moved));
    EXPECT(MPI_ERR_ARG, GAPLESS_Pack_at(numbers, 1, type, 0, out, 16, nullptr));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Pack_at(nullptr, 1, type, 0, out, 16, &moved));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Pack_at(MPI_IN_PLACE, 1, type, 0, out, 16, &moved));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Pack_at(numbers, 1, type, 0, nullptr, 16, &moved));
    EXPECT(MPI_ERR_TYPE, GAPLESS_Unpack_at(numbers, 16, 0, out, 1, fresh, &moved));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Unpack_at(numbers, -1, 0, out, 1, type, &moved));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Unpack_at(nullptr, 16, 0, out, 1, type, &moved));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Unpack_at(numbers, 16, 0, nullptr, 1, type, &moved));
    EXPECT(MPI_ERR_TYPE, GAPLESS_Copy(numbers, 1, fresh, out, 4, MPI_INT));
    EXPECT(MPI_ERR_TYPE, GAPLESS_Copy(numbers, 4, MPI_INT, out, 1, fresh));
    EXPECT(MPI_ERR_TYPE, GAPLESS_Copy(numbers, 4, MPI_INT, out, 1, MPI_DATATYPE_NULL));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Copy(numbers, -1, type, out, 4, MPI_INT));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Copy(numbers, 1, type, out, -4, MPI_INT));
    EXPECT(MPI_ERR_TRUNCATE, GAPLESS_Copy(numbers, 1, type, out, 3, MPI_INT));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Copy(numbers, 1, type, out, 5, MPI_INT));
    EXPECT(MPI_ERR_COUNT, GAPLESS_Copy(numbers, INT64_MAX, type, out, 5, MPI_INT));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Copy(nullptr, 1, type, out, 4, MPI_INT));
    EXPECT(MPI_ERR_BUFFER, GAPLESS_Copy(numbers, 1, type, MPI_IN_PLACE, 4, MPI_INT));
    CHECK(moved == 7 && out[0] == 0, "an output was set");
    // No data: no buffer is needed, and none is written.
    EXPECT_SUCCESS(GAPLESS_Copy(nullptr, 0, type, nullptr, 0, MPI_INT));
    EXPECT_SUCCESS(GAPLESS_Pack_at(numbers, 1, type, 16, nullptr, 0, &moved));
    EXPECT_SUCCESS(GAPLESS_Pack_at(numbers, 1, type, INT64_MAX, out, 16, &moved));
    CHECK(moved == 0 && out[0] == 0, "nothing is nothing");
    moved = 7;
    EXPECT_SUCCESS(GAPLESS_Copy(numbers, 1, type, out, 4, MPI_INT));
    CHECK(out[0] == 1 && out[3] == 7, "a copy");
    out[0] = 0;
  }
  MPI_Type_free(&type);
  MPI_Type_free(&fresh);
  // The handles are given to other types, which are not committed.
  type = strided(false);
  EXPECT(MPI_ERR_TYPE, GAPLESS_Copy(numbers, 1, type, out, 4, MPI_INT));
  MPI_Type_free(&type);
}

// Absolute addresses, from MPI_BOTTOM.
void absolute() {
  MPI_Aint address;
  MPI_Get_address(numbers, &address);
  const int lengths[] = {3};
  MPI_Datatype type;
  int out[3] = {0};
  MPI_Type_create_hindexed(1, lengths, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  for (int round = 0; round < 3; ++round) EXPECT_SUCCESS(GAPLESS_Copy(MPI_BOTTOM, 1, type, out, 3, MPI_INT));
  CHECK(out[2] == 3, "from MPI_BOTTOM");
  MPI_Type_free(&type);
}

// Types deeper than the engine looks: the library moves their data.
void unknown() {
  MPI_Datatype type = strided(false), next;
  for (int k = 0; k < 250; ++k) {
    MPI_Type_dup(type, &next);
    MPI_Type_free(&type);
    type = next;
  }
  int out[8] = {0}, back[8] = {0}, equal = 7;
  MPI_Count moved = -1;
  EXPECT(MPI_ERR_TYPE, GAPLESS_Copy(numbers, 1, type, out, 4, MPI_INT));
  MPI_Type_commit(&type);
  EXPECT(MPI_ERR_UNSUPPORTED_OPERATION, GAPLESS_Type_equal(type, MPI_INT, &equal));
  EXPECT(MPI_ERR_UNSUPPORTED_OPERATION, GAPLESS_Type_serialise(type, nullptr, 0, &moved));
  for (int round = 0; round < 3; ++round) {
    EXPECT_SUCCESS(GAPLESS_Copy(numbers, 1, type, out, 4, MPI_INT));
    CHECK(out[0] == 1 && out[1] == 3 && out[3] == 7, "copied by the library");
    EXPECT_SUCCESS(GAPLESS_Copy(out, 4, MPI_INT, back, 1, type));
    CHECK(back[2] == 3 && back[6] == 7 && back[1] == 0, "and back");
    EXPECT_SUCCESS(GAPLESS_Pack_at(numbers, 1, type, 6, out, 4, &moved));
    CHECK(moved == 4 && out[0] == (3 >> 16 | 5 << 16), "a part packed by the library");
    EXPECT_SUCCESS(GAPLESS_Unpack_at(numbers, 20, 8, back, 1, type, &moved));
    CHECK(moved == 8 && back[4] == 1 && back[6] == 2 && back[0] == 1 && back[5] == 0, "and unpacked");
    EXPECT_SUCCESS(GAPLESS_Copy(numbers, 0, type, out, 0, MPI_INT));
    EXPECT(MPI_ERR_TRUNCATE, GAPLESS_Copy(numbers, 1, type, out, 3, MPI_INT));
  }
  MPI_Type_free(&type);
}

void expect_bounds(MPI_Datatype type, MPI_Count size, MPI_Count extent) {
  MPI_Count got_size = -1, lb = -1, got_extent = -1;
  MPI_Type_size_x(type, &got_size);
  MPI_Type_get_extent_x(type, &lb, &got_extent);
  CHECK(got_size == size && got_extent == extent && lb == 0, "%lld bytes in %lld, and not %lld in %lld",
        (long long)got_size, (long long)got_extent, (long long)size, (long long)extent);
}

// Numbers that no int holds.
void large() {
  const MPI_Count many = 5'000'000'001, counts[] = {many, 0, many};
  MPI_Datatype bounded, circular, bucket, signature, simple;
  EXPECT_SUCCESS(GAPLESS_Type_create_vector_bounded(many, 1, 2, MPI_SHORT, &bounded));
  expect_bounds(bounded, many + 1, 2 * many);
  EXPECT_SUCCESS(GAPLESS_Type_create_vector_bounded(many, many - 1, many + 1, MPI_SHORT, &simple));
  expect_bounds(simple, 2 * (many - 1), 2 * (many - 1));
  MPI_Type_free(&simple);
  EXPECT_SUCCESS(GAPLESS_Type_create_vector_circular(many, many - 4, many, 3, 4, MPI_CHAR, &circular));
  expect_bounds(circular, many / 4 * 3 + 1, many);
  EXPECT_SUCCESS(GAPLESS_Type_create_bucket(3, many + 1, counts, MPI_CHAR, &bucket));
  expect_bounds(bucket, 2 * many, 3 * (many + 1));
  EXPECT_SUCCESS(GAPLESS_Type_signature(bounded, &signature));
  expect_bounds(signature, many + 1, many + 1);
  MPI_Type_free(&signature);
  EXPECT_SUCCESS(GAPLESS_Type_normalize(bounded, &simple));
  expect_bounds(simple, many + 1, 2 * many);
  int equal = 7;
  EXPECT_SUCCESS(GAPLESS_Type_equal(bounded, simple, &equal));
  CHECK(equal == 1, "the same");
  MPI_Type_free(&simple);
  // A part of it, of memory that is there.
  std::vector<std::int16_t> memory{1, 2, 3, 4, 5};
  std::int16_t out[2] = {0, 0};
  MPI_Count moved = -1;
  MPI_Type_commit(&bounded);
  EXPECT_SUCCESS(GAPLESS_Pack_at(memory.data(), 1, bounded, 2, out, 4, &moved));
  CHECK(moved == 4 && out[0] == 3 && out[1] == 5, "a part of a large type");
  for (MPI_Datatype* type : {&bounded, &circular, &bucket}) MPI_Type_free(type);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Count moved = 7;
  int out[4] = {0};
  CHECK(GAPLESS_Pack_at(numbers, 1, MPI_INT, 0, out, 4, &moved) == MPI_ERR_OTHER && moved == 7, "before MPI_Init");
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  constructors();
  serialised();
  moves();
  absolute();
  large();
  unknown();
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(test::error_class(GAPLESS_Copy(numbers, 1, MPI_INT, out, 2, MPI_INT)) == MPI_ERR_COUNT, "errors return");
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  CHECK(GAPLESS_Pack_at(numbers, 1, MPI_INT, 0, out, 4, &moved) == MPI_ERR_OTHER && moved == 7, "after MPI_Finalize");
  std::printf("errors_test: passed\n");
  return 0;
}
