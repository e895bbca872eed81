// The second level: equal constructions share one plan, others never do; bounded in number and in bytes.
#include <malloc.h>

#include <cinttypes>
#include <vector>

#include "mpi/types/decode.hpp"
#include "mpi_test.hpp"

using namespace gapless;

namespace {

MPI_Datatype indexed(int blocks, int salt) {
  std::vector<int> lengths, places;
  for (int k = 0; k < blocks; ++k) {
    const int irregular = k % 97 * (k % 89);
    lengths.push_back(1 + (irregular + salt) % 3);
    places.push_back(1000000 + 10 * salt - 7 * k + irregular % 5);  // no progression, backwards
  }
  MPI_Datatype type;
  MPI_Type_indexed(blocks, lengths.data(), places.data(), MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

// Describes a type, checks the plan against the library's own packing, and frees the type.
mpi::DatatypePtr described(MPI_Datatype type, mpi::TypeCache& cache) {
  const mpi::Description result = mpi::describe(type, cache);
  CHECK(result.datatype != nullptr && !result.is_predefined, "not described");
  CHECK(test::packs_alike(result.datatype->plan(), type, 2, 5), "the plan is of another type");
  MPI_Type_free(&type);
  return result.datatype;
}

void equal_types_share() {
  mpi::TypeCache cache;
  const auto first = described(test::vector_of(3), cache), second = described(test::vector_of(3), cache);
  CHECK(first == second && first->plan() == second->plan(), "two plans for one construction");
  CHECK(cache.counts().hits == 1 && cache.counts().misses == 1 && cache.counts().plans == 1, "%" PRIu64 " hits",
        cache.counts().hits);
  CHECK(described(test::vector_of(4), cache) != first, "another stride");
  CHECK(described(test::vector_of(3, MPI_FLOAT), cache) != first, "another type of the same size");
  // A list that differs in its last number only, and in its first.
  const int lengths[] = {1, 2, 3}, places[][3] = {{0, 4, 9}, {0, 4, 10}, {1, 4, 9}};
  mpi::DatatypePtr lists[3];
  for (int k = 0; k < 3; ++k) {
    MPI_Datatype type;
    MPI_Type_indexed(3, lengths, places[k], MPI_SHORT, &type);
    MPI_Type_commit(&type);
    lists[k] = described(type, cache);
  }
  CHECK(lists[0] != lists[1] && lists[0] != lists[2] && lists[1] != lists[2], "lists");
  // The components decide as well, whatever their handles.
  mpi::DatatypePtr outer[3];
  for (int k = 0; k < 3; ++k) {
    MPI_Datatype inner = test::vector_of(k == 2 ? 6 : 5), type;
    MPI_Type_contiguous(3, inner, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&inner);
    outer[k] = described(type, cache);
  }
  CHECK(outer[0] == outer[1] && outer[0] != outer[2], "components");
  // The same arguments from both kinds of procedures, and a bound that resizing moved.
#if MPI_VERSION >= 4
  MPI_Datatype large;
  MPI_Type_vector_c(8, 1, 3, MPI_INT, &large);
  MPI_Type_commit(&large);
  described(large, cache);
#endif
  MPI_Datatype resized;
  MPI_Type_create_resized(MPI_INT, 0, 12, &resized);
  MPI_Type_commit(&resized);
  described(resized, cache);
}

void random_types(long types, std::uint64_t seed) {
  mpi::TypeCache cache;
  long refused = 0, packed = 0, different = 0;
  test::let_errors_return(true);
  for (long k = 0; k < types; ++k) {
    test::Random one(seed + static_cast<std::uint64_t>(k)), other(seed + static_cast<std::uint64_t>(k));
    test::RandomType a = test::random_type(one, false), b = test::random_type(other, false);
    if (a.type == MPI_DATATYPE_NULL) {
      ++refused;
      continue;
    }
    const auto first = mpi::describe(a.type, cache), second = mpi::describe(b.type, cache);
    CHECK(first.datatype != nullptr && first.datatype->plan() == second.datatype->plan(), "type %ld: two plans", k);
    if (first.datatype->plan() == nullptr && test::kLibraryErrs) {
      refused += 2;
      continue;
    }
    const test::Span span = test::span_of(a.type, 1);
    if (span.size > 0 && span.size < 1 << 20 && span.high - span.low < 1 << 20) {
      ++packed;
      const bool alike = test::packs_alike(first.datatype->plan(), b.type, 1, seed);
      CHECK(alike || test::kLibraryErrs, "type %ld: another type's plan", k);
      different += alike ? 0 : 1;
    }
    MPI_Type_free(&a.type);
    MPI_Type_free(&b.type);
  }
  test::let_errors_return(false);
  const auto counts = cache.counts();
  CHECK(refused <= (test::kLibraryErrs ? types / 10 : 0) && different <= packed / 100, "%ld refused, %ld of %ld differ",
        refused, different, packed);
  CHECK(counts.hits >= static_cast<std::uint64_t>(types - refused), "hardly any hit");
  std::printf("structures_test: %ld types twice: %" PRIu64 " hits, %" PRIu64 " misses, %" PRIu64 " evictions\n", types,
              counts.hits, counts.misses, counts.evictions);
}

void equal_hashes() {
  mpi::TypeCache cache;
  struct Number : mpi::Construction {
    explicit Number(int n) {
      contents.combiner = MPI_COMBINER_CONTIGUOUS;
      contents.reserve({.integers = 1});
      contents.integers[0] = n;
      hash = 42;
    }
  };
  const auto layout_of = [](int n) { return layout::contiguous(n, layout::named(*layout::find_named("byte"))); };
  for (int n = 1; n < 4; ++n) {
    CHECK(cache.find(Number(n)) == nullptr, "found by its hash alone");
    CHECK(cache.keep(Number(n), layout_of(n), 0)->layout->size == n, "kept");
  }
  for (int n = 1; n < 4; ++n) CHECK(cache.find(Number(n))->layout->size == n, "%d: found by its hash alone", n);
  // Another thread was faster: its structure stays.
  const auto there = cache.find(Number(2));
  CHECK(cache.keep(Number(2), layout_of(2), 0) == there && cache.counts().types == 3, "kept twice");
}

void bounded_in_number() {
  mpi::TypeCache cache({8, 1 << 20});
  const auto first = described(test::vector_of(2), cache);
  for (int stride = 3; stride < 40; ++stride) {
    described(test::vector_of(stride), cache);
    CHECK(cache.counts().types <= 8, "%zu kept", cache.counts().types);
    CHECK(described(test::vector_of(2), cache) == first, "the one that is used most was evicted");
  }
  CHECK(cache.counts().evictions == 30, "%" PRIu64 " evictions", cache.counts().evictions);
  const auto plans = cache.counts().plans;
  described(test::vector_of(39), cache);
  CHECK(cache.counts().plans == plans, "the latest was evicted");
  described(test::vector_of(10), cache);
  CHECK(cache.counts().plans == plans + 1, "the eldest was not evicted");
  cache.clear();
  CHECK(cache.counts().types == 0 && cache.counts().bytes == 0, "cleared");
  CHECK(first->plan()->run_count() == 8, "what was handed out lives on");
}

void bounded_in_bytes() {
  constexpr std::int64_t kLimit = 2 << 20;
  mpi::TypeCache cache({1000, kLimit});
  for (int k = 0; k < 60; ++k) {
    described(indexed(1000 + 10 * k, k), cache);
    CHECK(cache.counts().bytes <= kLimit, "%" PRId64 " bytes", cache.counts().bytes);
  }
  CHECK(cache.counts().evictions > 0 && cache.counts().types > 10, "%zu kept", cache.counts().types);
  // Too large to be kept, and so is what holds it; both are described all the same.
  const auto before = cache.counts();
  MPI_Datatype inner = indexed(100000, 0), outer;
  MPI_Type_contiguous(2, inner, &outer);
  MPI_Type_commit(&outer);
  described(inner, cache);
  described(outer, cache);
  CHECK(cache.counts().types == before.types && cache.counts().bytes == before.bytes, "kept");
  // The bytes of a component count again in every type that keeps it alive: forty of them are not the price of one.
  mpi::TypeCache towers({1000, kLimit});
  inner = indexed(5000, 0);
  for (int k = 1; k < 40; ++k) {
    MPI_Type_contiguous(k, inner, &outer);
    MPI_Type_commit(&outer);
    described(outer, towers);
    CHECK(towers.counts().bytes <= kLimit && towers.counts().types < 20, "%zu kept", towers.counts().types);
  }
  MPI_Type_free(&inner);
}

std::int64_t heap() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

// The cache bounds what it believes to hold: that must not be less than what it holds.
void bytes_are_honest() {
  for (const int blocks : {-1, 0, 10, 1000, 20000}) {
    const int types = blocks == 20000 ? 6 : 500;
    mpi::TypeCache cache({4096, std::int64_t{1} << 40});
    mpi::describe(MPI_INT, cache);
    std::vector<MPI_Datatype> made;
    for (int k = 0; k < types; ++k) {
      test::Random random(static_cast<std::uint64_t>(k) + 77);
      const auto any = [&] {
        test::let_errors_return(true);
        MPI_Datatype type = test::random_type(random, false).type;
        test::let_errors_return(false);
        if (type == MPI_DATATYPE_NULL) type = test::vector_of(k + 2);
        return type;
      };
      made.push_back(blocks < 0 ? any() : blocks == 0 ? test::vector_of(k + 2) : indexed(blocks, k));
    }
    const std::int64_t before = heap();
    for (const MPI_Datatype type : made) mpi::describe(type, cache);
    const std::int64_t grown = heap() - before;
    std::printf("  %d blocks: %" PRId64 " bytes of heap a type, %" PRId64 " counted\n", blocks, grown / types,
                cache.counts().bytes / types);
    CHECK(grown <= cache.counts().bytes, "%d blocks: %" PRId64 " bytes counted as %" PRId64, blocks, grown,
          cache.counts().bytes);
    for (MPI_Datatype& type : made) MPI_Type_free(&type);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  test::load();
  equal_types_share();
  equal_hashes();
  random_types(argc > 1 ? std::atol(argv[1]) : 1000, 1);
  bounded_in_number();
  bounded_in_bytes();
  bytes_are_honest();
  MPI_Finalize();
  return 0;
}
