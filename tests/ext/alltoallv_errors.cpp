// GAPLESS_Alltoallv, _w and _v_init where arguments are wrong or processes disagree: the errors that are due, and
// nobody waits for ever. Usage: alltoallv_errors, on 4 processes.
#include <gapless/gapless_mpi.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kProcesses = 4;
constexpr int kInts = 8;  // of each block

int rank = 0, failures = 0, handled = 0, on_self = 0;
bool is_intel = false;

void check(bool holds, const char* what, const char* algorithm) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "alltoallv_errors: rank %d, %s: %s\n", rank,
               algorithm == nullptr ? "the model's choice" : algorithm, what);
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

void count_errors(MPI_Comm*, int*, ...) {
  ++handled;
}

void count_on_self(MPI_Comm*, int*, ...) {
  ++on_self;
}

// The errors that are raised while it lives: on the communicator, and never on MPI_COMM_SELF.
class Raised {
 public:
  void require(int errors, const char* what, const char* algorithm) const {
    check(handled == handled_ + errors && on_self == on_self_, what, algorithm);
  }

 private:
  const int handled_ = handled, on_self_ = on_self;
};

// An int, or one with as much behind it: a type without and with gaps.
MPI_Datatype strided[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};

// A regular all-to-all of ints, with room behind each block.
struct Data {
  int out_stride, in_stride;
  std::vector<int> out, in;
  std::vector<MPI_Count> sent, received;
  std::vector<MPI_Aint> places;
  MPI_Datatype type;  // of what is received
  explicit Data(bool out_has_gaps = false, bool in_has_gaps = false)
      : out_stride(out_has_gaps ? 2 : 1),
        in_stride(in_has_gaps ? 2 : 1),
        out(static_cast<std::size_t>(2 * kProcesses * kInts * out_stride)),
        in(static_cast<std::size_t>(2 * kProcesses * kInts * in_stride), -1),
        sent(kProcesses, kInts),
        received(sent),
        type(strided[in_stride - 1]) {
    for (int peer = 0; peer < kProcesses; ++peer) {
      places.push_back(2 * peer * kInts);
      for (int k = 0; k < kInts; ++k)
        out[static_cast<std::size_t>((2 * peer * kInts + k) * out_stride)] = value(rank, peer, k);
    }
  }
  static int value(int from, int to, int k) { return from * 10000 + to * 100 + k; }
  // The first `ints` of the block of `peer` are there, and nothing else is.
  bool has(int peer, int ints) const {
    for (int k = 0; k < 2 * kInts * in_stride; ++k) {
      const bool is_data = k % in_stride == 0 && k / in_stride < ints;
      const int there = in[static_cast<std::size_t>(2 * peer * kInts * in_stride + k)];
      if (there != (is_data ? value(peer, rank, k / in_stride) : -1)) return false;
    }
    return true;
  }
  int call(MPI_Comm comm, const char* algorithm) {
    return GAPLESS_Alltoallv(out.data(), sent.data(), places.data(), strided[out_stride - 1], in.data(),
                             received.data(), places.data(), type, comm, algorithm);
  }
  int init(MPI_Comm comm, const char* algorithm, GAPLESS_Request* request) {
    return GAPLESS_Alltoallv_init(out.data(), sent.data(), places.data(), strided[out_stride - 1], in.data(),
                                  received.data(), places.data(), type, comm, algorithm, request);
  }
};

bool is_direct(const char* algorithm) {
  return std::strcmp(algorithm, "spread-out") == 0 || std::strcmp(algorithm, "pairwise") == 0;
}

// Intel MPI takes no notice of what comes where a receive has no room at all: nobody can, then.
bool goes_unnoticed(int expected, const char* algorithm) {
  return is_intel && expected == 0 && is_direct(algorithm);
}

bool is_told(const char* algorithm) {
  return std::strcmp(algorithm, "zero-copy") == 0 || std::strcmp(algorithm, "two-phase") == 0;
}

// What came of it on this process, where `expected` ints were awaited of process `other`: nothing beyond those.
void verify(const Data& data, int code, int other, int expected, const char* algorithm) {
  const bool is_short = rank == 1 && expected < kInts;
  check(class_of(code) == (is_short ? MPI_ERR_TRUNCATE : MPI_SUCCESS), "another error than is due", algorithm);
  for (int peer = 0; peer < kProcesses; ++peer) {
    if (!is_short || peer != other)
      check(data.has(peer, kInts), "wrong data", algorithm);
    else if (!is_direct(algorithm) || other == rank)  // else it is the library that stores them
      check(data.has(peer, expected), "wrong data of what was truncated", algorithm);
  }
}

// Process 1 expects of another one, or of itself, what that does not send. The library's own is left out: what it does
// is its business.
void disagreement(MPI_Comm comm, const char* algorithm, bool out_has_gaps, bool in_has_gaps, int other) {
  for (const int expected : {0, 1, kInts - 1, kInts + 3}) {
    if (goes_unnoticed(expected, algorithm)) continue;
    Data data(out_has_gaps, in_has_gaps);
    const bool is_short = rank == 1 && expected < kInts;
    if (rank == 1) data.received[static_cast<std::size_t>(other)] = expected;
    const Raised raised;
    verify(data, data.call(comm, algorithm), other, expected, algorithm);
    raised.require(is_short ? 1 : 0, "not raised once", algorithm);

    // What is told of sizes is told in init, of all or of none.
    Data bound(out_has_gaps, in_has_gaps);
    if (rank == 1) bound.received[static_cast<std::size_t>(other)] = expected;
    GAPLESS_Request request = GAPLESS_REQUEST_NULL;
    const int made = bound.init(comm, algorithm, &request);
    if (request == GAPLESS_REQUEST_NULL) {
      check(expected < kInts && class_of(made) == MPI_ERR_TRUNCATE, "no request, without a reason", algorithm);
      continue;
    }
    check(made == MPI_SUCCESS && !(is_told(algorithm) && expected < kInts), "a request, with a reason for none",
          algorithm);
    GAPLESS_Start(request);
    verify(bound, GAPLESS_Wait(request), other, expected, algorithm);
    GAPLESS_Request_free(&request);
  }
}

// The arguments of process 2 are wrong: all learn of it in init, where they are asked.
void one_is_wrong(MPI_Comm comm, const char* algorithm) {
  for (int what = 0; what < 6; ++what) {
    Data data;
    MPI_Datatype uncommitted;
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    int due = MPI_ERR_OTHER;
    if (rank == 2) {
      if (what == 0) data.sent[1] = -1, due = MPI_ERR_COUNT;
      if (what == 1) data.received[3] = -1, due = MPI_ERR_COUNT;
      if (what == 2) data.sent[1] = MPI_Count{1} << 62, due = MPI_ERR_COUNT;
      if (what == 3) data.type = uncommitted, due = MPI_ERR_TYPE;
      if (what > 3) due = MPI_ERR_ARG;
    }
    const bool is_unnamed = rank == 2 && what == 4, has_no_place = rank == 2 && what == 5;
    GAPLESS_Request request = GAPLESS_REQUEST_NULL;
    const Raised raised;
    const int code = data.init(comm, is_unnamed ? "bruck" : algorithm, has_no_place ? nullptr : &request);
    raised.require(1, "init: not raised once, on the communicator", algorithm);
    check(class_of(code) == due, "init: another error than is due", algorithm);
    check(request == GAPLESS_REQUEST_NULL, "init: a request", algorithm);
    MPI_Type_free(&uncommitted);
  }
}

// The same of a plain call in which all are asked.
void one_has_no_types(MPI_Comm comm) {
  Data data;
  const std::vector<MPI_Datatype> types(kProcesses, MPI_INT);
  const Raised raised;
  const int code =
      GAPLESS_Alltoallw(data.out.data(), data.sent.data(), data.places.data(), types.data(), data.in.data(),
                        data.received.data(), data.places.data(), rank == 2 ? nullptr : types.data(), comm, "padded");
  check(class_of(code) == (rank == 2 ? MPI_ERR_ARG : MPI_ERR_OTHER), "no types: another error than is due", "padded");
  raised.require(1, "no types: not raised once, on the communicator", "padded");
}

// Wrong in the same way on all.
void all_are_wrong(MPI_Comm comm, const char* algorithm) {
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  Data data;
  const MPI_Datatype types[kProcesses] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  check(class_of(data.call(comm, "bruck")) == MPI_ERR_ARG, "an unknown algorithm", algorithm);
  check(data.init(comm, algorithm, nullptr) != MPI_SUCCESS, "no place for the request", algorithm);
  check(class_of(GAPLESS_Alltoallv_init(data.out.data(), nullptr, data.places.data(), MPI_INT, data.in.data(),
                                        data.received.data(), data.places.data(), MPI_INT, comm, algorithm,
                                        &request)) == MPI_ERR_ARG,
        "no counts", algorithm);
  check(class_of(GAPLESS_Alltoallw(data.out.data(), data.sent.data(), data.places.data(), nullptr, data.in.data(),
                                   data.received.data(), data.places.data(), types, comm, algorithm)) == MPI_ERR_ARG,
        "no types", algorithm);
  const int before = on_self;
  check(class_of(data.call(MPI_COMM_NULL, algorithm)) == MPI_ERR_COMM, "no communicator", algorithm);
  check(on_self == before + 1, "no communicator: not raised once", algorithm);
  if (algorithm == nullptr || std::strcmp(algorithm, "library") == 0) return;
  check(
      class_of(GAPLESS_Alltoallv(nullptr, data.sent.data(), data.places.data(), MPI_INT, data.in.data(),
                                 data.received.data(), data.places.data(), MPI_INT, comm, algorithm)) == MPI_ERR_BUFFER,
      "no buffer", algorithm);
  data.type = MPI_DATATYPE_NULL;
  const Raised raised;
  check(class_of(data.call(comm, algorithm)) == MPI_ERR_TYPE, "no type", algorithm);
  raised.require(1, "no type: not raised once, on the communicator", algorithm);
  data.type = MPI_INT;
  data.received[1] = -3;
  check(class_of(data.call(comm, algorithm)) == MPI_ERR_COUNT, "a negative count", algorithm);
}

// In place a process alone has nothing to do, however much it has: the memory is never touched, and so is none.
void large_in_place(const char* algorithm) {
  if (algorithm != nullptr && std::strcmp(algorithm, "library") == 0) return;
  constexpr MPI_Count kBytes = MPI_Count{1} << 36;
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  check(memory != MAP_FAILED, "no memory", algorithm);
  const MPI_Aint place = 0;
  check(GAPLESS_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, memory, &kBytes, &place, MPI_BYTE,
                          MPI_COMM_SELF, algorithm) == MPI_SUCCESS,
        "a large block of its own, in place", algorithm);
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  check(GAPLESS_Alltoallv_init(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, memory, &kBytes, &place, MPI_BYTE,
                               MPI_COMM_SELF, algorithm, &request) == MPI_SUCCESS,
        "no request for a large block of its own, in place", algorithm);
  if (request != GAPLESS_REQUEST_NULL) {
    GAPLESS_Start(request);
    check(GAPLESS_Wait(request) == MPI_SUCCESS, "a request for a large block of its own, in place", algorithm);
    GAPLESS_Request_free(&request);
  }
  munmap(memory, kBytes);
}

void intercommunicator() {
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  Data data;
  check(class_of(data.call(inter, nullptr)) == MPI_ERR_COMM, "an intercommunicator", nullptr);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0, all_failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != kProcesses) MPI_Abort(MPI_COMM_WORLD, 2);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  is_intel = std::strstr(version, "Intel") != nullptr;
  MPI_Comm comm;
  MPI_Errhandler handler, self_handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_create_errhandler(count_on_self, &self_handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, self_handler);  // where errors without a communicator are raised
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < 2; ++k) {
    MPI_Type_create_resized(MPI_INT, 0, static_cast<MPI_Aint>((k + 1) * sizeof(int)), &strided[k]);
    MPI_Type_commit(&strided[k]);
  }
  for (int k = 0; GAPLESS_Alltoall_algorithm(1, k) != nullptr; ++k) {
    const char* const algorithm = GAPLESS_Alltoall_algorithm(1, k);
    if (std::strcmp(algorithm, "library") != 0) {
      for (const int gaps : {0, 1, 2, 3})
        for (const int other : {0, 1}) disagreement(comm, algorithm, gaps % 2 == 1, gaps / 2 == 1, other);
    }
    one_is_wrong(comm, algorithm);
    all_are_wrong(comm, algorithm);
    large_in_place(algorithm);
  }
  one_is_wrong(comm, nullptr);
  all_are_wrong(comm, nullptr);
  large_in_place(nullptr);
  one_has_no_types(comm);
  intercommunicator();
  for (MPI_Datatype& type : strided) MPI_Type_free(&type);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler_free(&self_handler);
  MPI_Comm_free(&comm);
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("alltoallv_errors: %s\n", all_failures == 0 ? "all right" : "WRONG");
  MPI_Finalize();
  return all_failures == 0 ? 0 : 1;
}
