// From the handle to the plan: marks, registration at the second use, recycled handles, epochs, threads.
#include <atomic>
#include <barrier>
#include <cinttypes>
#include <thread>
#include <vector>

#include "mpi/types/type_cache.hpp"
#include "mpi_test.hpp"

using namespace gapless;

namespace {

std::size_t registered() {
  return mpi::registry_counts().registered;
}
std::uint64_t attributes() {
  return mpi::registry_counts().attributes;
}

MPI_Datatype committed(int stride) {
  const MPI_Datatype type = test::vector_of(stride);
  mpi::register_type(type);
  return type;
}

// A vector's plan tells its stride.
bool has_stride(const mpi::DatatypePtr& found, int stride) {
  return found != nullptr && found->plan() != nullptr && found->plan()->extent() == 4 * (7 * stride + 1);
}

void a_life() {
  const std::size_t others = registered();
  const std::uint64_t before = attributes();
  MPI_Datatype type = committed(3);
  CHECK(mpi::is_registered(type) && registered() == others, "a commit leaves a mark only");
  const mpi::DatatypePtr first = mpi::find_type(type);
  CHECK(test::packs_alike(first->plan(), type, 2, 1), "the plan");
  CHECK(registered() == others && attributes() == before, "the first use leaves nothing under the handle");
  CHECK(mpi::find_type(type)->plan() == first->plan(), "two plans");
  CHECK(registered() == others + 1 && attributes() == before + 1, "the second use registers");
  for (int k = 0; k < 10; ++k) CHECK(mpi::find_type(type)->plan() == first->plan(), "remembered");
  CHECK(attributes() == before + 1, "one attribute a type");
  MPI_Type_commit(&type);
  mpi::register_type(type);
  CHECK(mpi::find_type(type)->plan() == first->plan() && attributes() == before + 1, "committed a second time");
  const MPI_Datatype gone = type;
  MPI_Type_free(&type);
  CHECK(registered() == others && !mpi::is_registered(gone) && mpi::find_type(gone) == nullptr, "freed");
  CHECK(first->plan()->run_count() == 8, "facts outlive the type");
}

void what_is_not_found() {
  MPI_Datatype type;
  // On a handle that no commit ever saw (earlier ones were freed in order, so that these are new).
  std::vector<MPI_Datatype> fresh;
  for (int k = 0; k < 50; ++k) {
    MPI_Type_vector(8, 1, 3, MPI_INT, &type);
    fresh.push_back(type);
  }
  CHECK(mpi::find_type(fresh.back()) == nullptr, "not committed");
  for (MPI_Datatype& one : fresh) MPI_Type_free(&one);
  CHECK(mpi::find_type(MPI_DATATYPE_NULL) == nullptr && mpi::find_type(MPI_DATATYPE_NULL, true) == nullptr, "null");
  mpi::register_type(MPI_DATATYPE_NULL);
  CHECK(mpi::find_type(MPI_DATATYPE_NULL) == nullptr, "null, committed");
  MPI_Datatype forgotten = committed(5);
  mpi::forget_mark(forgotten);
  CHECK(!mpi::is_registered(forgotten) && mpi::find_type(forgotten) == nullptr, "a mark that was taken back");
  MPI_Type_free(&forgotten);
}

void predefined_types() {
  const std::uint64_t before = attributes();
  CHECK(mpi::find_type(MPI_INT) == nullptr && mpi::find_type(MPI_BYTE) == nullptr, "built in");
  const MPI_Datatype pairs[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_2INT};
  for (const MPI_Datatype pair : pairs) {
    const auto found = mpi::find_type(pair);
    CHECK(found != nullptr && test::packs_alike(found->plan(), pair, 3, 2), "a pair type");
    CHECK(mpi::find_type(pair)->plan() == found->plan(), "the same again");
  }
  CHECK(mpi::find_type(MPI_LONG_DOUBLE_INT)->plan()->size() == sizeof(long double) + sizeof(int), "long double, int");
  CHECK(!mpi::find_type(MPI_DOUBLE_INT)->plan()->is_contiguous(), "a hole");
  const MPI_Datatype builtin[] = {MPI_INT, MPI_BYTE, MPI_DOUBLE, MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_PACKED};
  for (const MPI_Datatype type : builtin) {
    const auto found = mpi::find_type(type, true);
    CHECK(found != nullptr && found->plan()->is_contiguous() && test::packs_alike(found->plan(), type, 3, 3), "forced");
  }
  // Needs no commit; the wrapper of its constructor, or a commit that does nothing, makes it known.
  MPI_Datatype real;
  MPI_Type_create_f90_real(6, 30, &real);
  mpi::register_type(real);
  for (int k = 0; k < 3; ++k) {
    const auto found = mpi::find_type(real);
    CHECK(found != nullptr && found->plan()->is_contiguous() && test::packs_alike(found->plan(), real, 3, 4), "F90");
  }
  CHECK(attributes() == before, "an attribute on a predefined type");
}

// The strides differ, so a plan of an earlier type with this handle would show. Used 0 to 3 times, freed in two ways.
void recycled_handles() {
  MPI_Datatype before = MPI_DATATYPE_NULL;
  int recycled = 0;
  for (int round = 0; round < 4000; ++round) {
    const int stride = 2 + round % 7;
    MPI_Datatype type = committed(stride);
    recycled += type == before;
    before = type;
    for (int use = round / 7 % 4; use > 0; --use) CHECK(has_stride(mpi::find_type(type), stride), "round %d", round);
    if (round % 3 != 0) {
      MPI_Type_free(&type);
      continue;
    }
    // Alive in another type for longer than its handle was the program's.
    MPI_Datatype outer;
    MPI_Type_contiguous(2, type, &outer);
    MPI_Type_commit(&outer);
    mpi::register_type(outer);
    MPI_Type_free(&type);
    for (int use = 0; use < 3; ++use) CHECK(mpi::find_type(outer)->plan()->size() == 64, "round %d: outer", round);
    MPI_Type_free(&outer);
  }
  CHECK(recycled > 100, "hardly any handle was recycled");
}

// The callback comes at the last reference: in the middle of MPI_Wait.
void freed_while_pending() {
  const std::size_t others = registered();
  MPI_Datatype type = committed(9);
  mpi::find_type(type);
  const mpi::DatatypePtr held = mpi::find_type(type);
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, to[80] = {};
  MPI_Request request;
  MPI_Irecv(to, 1, type, 0, 0, MPI_COMM_SELF, &request);
  MPI_Type_free(&type);
  MPI_Send(from, 8, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(to[0] == 1 && to[63] == 8, "received");
  CHECK(registered() == others && has_stride(held, 9), "the last reference");
}

#if defined(MPICH_VERSION)
// MPICH says MPI_SUCCESS for a commit that failed, where the program's handler returns, and for that of a freed type.
int handled = 0;
void on_error(MPI_Comm*, int*, ...) {
  ++handled;
}

void commits_that_failed() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
  const std::size_t others = registered();
  // A handle of the right kind that was never given out. To use it crashes the plain library too.
  MPI_Datatype none = static_cast<MPI_Datatype>(0xcc00ffff);
  CHECK(MPI_Type_commit(&none) == MPI_SUCCESS && handled == 1, "this library says what happened");
  mpi::register_type(none);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  int recycled = 0;
  for (int stride = 2; stride < 40; ++stride) {
    MPI_Datatype type = committed(stride), dead = type;
    for (int use = 0; use < stride % 3; ++use) CHECK(has_stride(mpi::find_type(type), stride), "stride %d", stride);
    MPI_Type_free(&type);
    CHECK(MPI_Type_commit(&dead) == MPI_SUCCESS, "a freed type");
    mpi::register_type(dead);
    type = committed(stride + 1);
    recycled += type == dead;
    for (int use = 0; use < 3; ++use) CHECK(has_stride(mpi::find_type(type), stride + 1), "stride %d", stride);
    MPI_Type_free(&type);
  }
  CHECK(recycled > 10, "hardly any handle was recycled");
  CHECK(registered() == others, "kept");
}
#endif

// More types than there is room for marks: those that find none are registered at once.
void more_types_than_marks() {
  const std::size_t others = registered();
  const std::uint64_t before = attributes();
  std::vector<MPI_Datatype> types;
  for (int k = 0; k < 40000; ++k) types.push_back(committed(2 + k % 50));
  CHECK(attributes() > before, "all found room");
  for (std::size_t k = 0; k < types.size(); ++k) {
    CHECK(has_stride(mpi::find_type(types[k]), 2 + static_cast<int>(k) % 50), "type %zu", k);
  }
  const std::uint64_t now = attributes();
  for (MPI_Datatype& type : types) {
    mpi::forget_mark(type);  // as the wrapper of MPI_Type_free does
    MPI_Type_free(&type);
  }
  CHECK(registered() == others, "%zu left", registered());
  MPI_Datatype type = committed(3);
  CHECK(attributes() == now, "no room although all marks were taken back");
  MPI_Type_free(&type);
}

void a_tower() {
  MPI_Datatype type = test::vector_of(3), next;
  for (int k = 0; k < 250; ++k) {
    MPI_Type_dup(type, &next);
    MPI_Type_free(&type);
    type = next;
  }
  MPI_Type_commit(&type);
  mpi::register_type(type);
  for (int k = 0; k < 3; ++k) CHECK(mpi::find_type(type)->plan() == nullptr, "deeper than is decoded: native");
  MPI_Type_free(&type);
}

#if MPI_VERSION >= 4
// Three epochs, each with another type on the same handles, left alive at the end of the epoch.
void epochs() {
  mpi::DatatypePtr held;
  std::vector<MPI_Datatype> seen;
  int recycled = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    mpi::epoch_began();
    for (const MPI_Datatype type : seen) {
      CHECK(!mpi::is_registered(type) && mpi::find_type(type) == nullptr, "a handle of the epoch before");
    }
    CHECK(registered() == 0 && mpi::type_cache().counts().types == 0, "state of the epoch before");
    std::vector<MPI_Datatype> now;
    for (int k = 0; k < 6; ++k) {
      const int stride = 2 + k + 10 * epoch;
      const MPI_Datatype type = committed(stride);
      for (int use = 0; use < k / 2 + 1; ++use) CHECK(has_stride(mpi::find_type(type), stride), "epoch %d", epoch);
      for (const MPI_Datatype old : seen) recycled += old == type;
      now.push_back(type);
    }
    CHECK(has_stride(mpi::find_type(MPI_DOUBLE_INT), 0) == false && mpi::find_type(MPI_DOUBLE_INT) != nullptr, "pair");
    seen = now;
    if (epoch == 0) held = mpi::find_type(now[5]);
    // Another session in between ends nothing.
    MPI_Session inner;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inner);
    mpi::epoch_began();
    mpi::epoch_ending();
    MPI_Session_finalize(&inner);
    CHECK(!mpi::epoch_ended() && has_stride(mpi::find_type(now[5]), 7 + 10 * epoch), "not the last session");
    mpi::epoch_ending();
    MPI_Session_finalize(&session);
    CHECK(mpi::epoch_ended(), "the last session");
    CHECK(mpi::find_type(now[5]) == nullptr, "after the end");
  }
#if defined(MPICH_VERSION)
  CHECK(recycled > 0, "no handle was recycled: this test tests nothing");
#endif
  CHECK(has_stride(held, 7), "what is held outlives its epoch");
}
#endif

// Every thread makes its own types, and all use one that is registered while all of them look.
void threads() {
  constexpr int kThreads = 8, kRounds = 400;
  std::barrier together(kThreads);
  MPI_Datatype shared = MPI_DATATYPE_NULL;
  std::uint64_t before = 0;
  std::atomic<int> wrong{0};
  const auto work = [&](int self) {
    for (int round = 0; round < kRounds; ++round) {
      if (self == 0) {
        before = attributes();
        shared = committed(2 + round % 40);
      }
      together.arrive_and_wait();
      for (int use = 0; use < 5; ++use) wrong += !has_stride(mpi::find_type(shared), 2 + round % 40);
      together.arrive_and_wait();
      if (self == 0) {
        wrong += attributes() != before + 1;
        MPI_Type_free(&shared);
      }
      together.arrive_and_wait();
      const int stride = 2 + (self * 7 + round) % 60;
      MPI_Datatype own = committed(stride);
      for (int use = 0; use < round % 4; ++use) wrong += !has_stride(mpi::find_type(own), stride);
      MPI_Type_free(&own);
      together.arrive_and_wait();
    }
  };
  const std::size_t others = registered();
  std::vector<std::thread> all;
  for (int k = 0; k < kThreads; ++k) all.emplace_back(work, k);
  for (std::thread& one : all) one.join();
  CHECK(wrong == 0, "%d times", wrong.load());
  CHECK(registered() == others, "%zu left", registered());
}

}  // namespace

int main(int argc, char** argv) {
  test::load();
#if MPI_VERSION >= 4
  epochs();
#endif
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  mpi::epoch_began();
  what_is_not_found();
  a_life();
  predefined_types();
  recycled_handles();
  freed_while_pending();
#if defined(MPICH_VERSION)
  commits_that_failed();
#endif
  more_types_than_marks();
  a_tower();
  CHECK(provided == MPI_THREAD_MULTIPLE, "the library has no threads");
  threads();
  mpi::epoch_ending();
  MPI_Finalize();
  CHECK(mpi::epoch_ended() && registered() == 0, "the end");
  std::puts("datatype_test: done");
  return 0;
}
