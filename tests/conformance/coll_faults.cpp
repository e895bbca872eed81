// Collectives when something is wrong, or different, on one rank: no memory, a type that the layer cannot decode,
// contiguous data here and strided there, wrong arguments, no layer at all. Never a hang, never wrong data.
// usage: coll_faults memory | undecoded | contiguous | errors | aliased | segments | apart
#include <sys/resource.h>

#include <fstream>

#include "coll_twin.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

// Not Allgather: there Open MPI itself returns an error on the one rank and success on the others.
constexpr Procedure kStaged[] = {kBcast, kGather, kScatter, kAlltoall};

// While it lives, this process gets hardly more memory than it has.
class ShortOfMemory {
 public:
  explicit ShortOfMemory(bool is_short) {
    getrlimit(RLIMIT_AS, &before_);
    if (!is_short) return;
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(pages) * 4096 + kMore;
    CHECK(setrlimit(RLIMIT_AS, &now) == 0, "setrlimit");
  }
  ~ShortOfMemory() { setrlimit(RLIMIT_AS, &before_); }
  ShortOfMemory(const ShortOfMemory&) = delete;
  ShortOfMemory& operator=(const ShortOfMemory&) = delete;

 private:
  static constexpr rlim_t kMore = 1 << 20;
  rlimit before_;
};

// Right data on all ranks, or an error of one class on all.
void memory(CollectiveTwin& twin, Way way, const char* only) {
  twin.switch_to(way);
  for (const Procedure procedure : kStaged) {
    if (only != nullptr && std::strcmp(only, name_of(procedure)) != 0) continue;
    for (int victim = 0; victim < twin.size(); ++victim) {
      const Place& place = twin.places()[0];
      Shape shape;
      shape.seed = 77 + static_cast<std::uint64_t>(victim);
      shape.size = Size::kLarge;
      shape.signature = 1;
      shape.may_be_in_place = false;
      shape.kind = [](int rank, bool) { return rank % 2 == 0 ? Kind::kVector : Kind::kNested; };
      const std::string name =
          std::string("short of memory on rank ") + std::to_string(victim) + ", " + name_of(procedure);
      twin.begin(name);
      Operation operation(place, procedure, shape);
      operation.fill(0);
      Call call(operation);
      int code;
      {
        const ShortOfMemory limit(twin.rank() == victim);
        code = call.start(kBlocking);
      }
      std::vector<int> classes(static_cast<std::size_t>(twin.size()));
      const int own = test::error_class(code);
      MPI_Allgather(&own, 1, MPI_INT, classes.data(), 1, MPI_INT, MPI_COMM_WORLD);
      for (const int one : classes) {
        if (one != classes[0]) twin.fail(name, "classes " + std::to_string(classes[0]) + " and " + std::to_string(one));
      }
      if (code != MPI_SUCCESS) continue;
      Outcome outcome;
      const std::string wrong = operation.check(0, outcome);
      if (!wrong.empty()) twin.fail(name, wrong);
    }
  }
}

// Broadcasts that the library is told to cut into segments. Where it cuts at elements of each rank's own type, segments
// of unequal types do not match, and it waits for ever: so without the layer every rank has the same type.
void segments(CollectiveTwin& twin, Way way, bool is_mixed) {
  twin.switch_to(way);
  for (int k = 0; k < 12; ++k) {
    for (const Mode mode : {kBlocking, kNonblocking}) {
      Shape shape;
      shape.seed = 900 + static_cast<std::uint64_t>(k);
      shape.size = k % 3 == 2 ? Size::kLarge : Size::kEager;
      shape.is_unmapped = !is_mixed;
      const std::string name = std::string(is_mixed ? "mixed, " : "same, ") + name_of(mode) + ' ' + std::to_string(k);
      twin.begin(name);
      Operation operation(twin.places()[static_cast<std::size_t>(k % 3 == 1 ? 2 : 0)], kBcast, shape);
      Outcome outcome;
      const std::string wrong = run(operation, mode, k, false, outcome);
      twin.see(name, outcome, wrong);
    }
  }
}

using MakeShape = std::function<Shape(int k)>;

// Every procedure in every mode, with shapes of `count` kinds.
void all(CollectiveTwin& twin, Way way, int count, const MakeShape& make) {
  twin.switch_to(way);
  for (int p = 0; p < kProcedures; ++p) {
    const auto procedure = static_cast<Procedure>(p);
    for (int m = 0; m < (HAS_PERSISTENT_COLLECTIVES ? kModes : kPersistent); ++m) {
      const auto mode = static_cast<Mode>(m);
      for (int k = 0; k < count; ++k) {
        // World, or the plane that is its topology.
        const Place& place = twin.places()[is_neighborhood(procedure) ? 1 : 0];
        Shape shape = make(k);
        twin.restrict(procedure, mode, shape);
        if (!twin.works(procedure, mode, place, shape)) continue;
        const std::string name = std::string(name_of(mode)) + ' ' + name_of(procedure) + ' ' + std::to_string(k);
        twin.begin(name);
        Operation operation(place, procedure, shape);
        Outcome outcome;
        const std::string wrong = run(operation, mode, k, false, outcome);
        twin.see(name, outcome, wrong);
      }
    }
  }
}

Shape with_kind(int k, std::function<Kind(int, bool)> kind) {
  static constexpr Size kSizes[] = {Size::kSome, Size::kEager, Size::kRandom};
  Shape shape;
  shape.seed = 500 + static_cast<std::uint64_t>(k);
  shape.size = kSizes[k % 3];
  shape.kind = std::move(kind);
  return shape;
}

Shape undecoded(int k, int size) {
  const int deep = k % size;
  return with_kind(k, [deep](int rank, bool) { return rank == deep ? Kind::kTower : Kind::kVector; });
}

Shape half_contiguous(int k, int size) {
  const int odd = k % size;
  return with_kind(k, [k, odd](int rank, bool is_out) {
    const bool is_contiguous = k % 4 == 3 ? is_out : (rank == odd) == (k % 2 == 0);
    return is_contiguous ? Kind::kContiguous : Kind::kVector;
  });
}

int handled = 0, handled_class = 0;

void handler(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_class = test::error_class(*code);
}

void note(Outcome& outcome, int code) {
  outcome.codes.insert(outcome.codes.end(), {test::error_class(code), handled, handled_class});
  handled = handled_class = 0;
}

// Arguments that are wrong on every rank alike: what is compared is the class, and how often the handler ran.
Outcome wrong_arguments(MPI_Comm comm) {
  static double out[4096], in[4096];
  int size;
  MPI_Comm_size(comm, &size);
  MPI_Datatype type;
  MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  const auto n = static_cast<std::size_t>(size);
  const std::vector<int> negative(n, -1), ones(n, 1), places(n, 0);
  const std::vector<MPI_Datatype> types(n, type), nulls(n, MPI_DATATYPE_NULL);
  Outcome seen;
  const auto both = [&](MPI_Datatype t, int count, int root) {
    note(seen, MPI_Bcast(in, count, t, root, comm));
    note(seen, MPI_Gather(out, count, t, in, count, t, root, comm));
    note(seen, MPI_Scatter(out, count, t, in, count, t, root, comm));
    MPI_Request request = MPI_REQUEST_NULL;
    note(seen, MPI_Ibcast(in, count, t, root, comm, &request));
    note(seen, MPI_Igather(out, count, t, in, count, t, root, comm, &request));
  };
  both(type, 1, size);
  both(type, 1, -3);
  both(type, -1, 0);
  both(MPI_DATATYPE_NULL, 1, 0);
  MPI_Datatype uncommitted;
  MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &uncommitted);
  note(seen, MPI_Bcast(in, 1, uncommitted, 0, comm));
  note(seen, MPI_Gather(out, 1, uncommitted, in, 1, uncommitted, 0, comm));
  note(seen, MPI_Allgather(out, 1, uncommitted, in, 1, uncommitted, comm));
  note(seen, MPI_Alltoall(out, 1, uncommitted, in, 1, uncommitted, comm));
  note(seen,
       MPI_Alltoallv(out, ones.data(), places.data(), uncommitted, in, ones.data(), places.data(), uncommitted, comm));
  MPI_Type_free(&uncommitted);
  for (const MPI_Datatype t : {type, MPI_DATATYPE_NULL}) {
    const int count = t == type ? -1 : 1;
    const auto& counts = t == type ? negative : ones;
    MPI_Request request = MPI_REQUEST_NULL;
    note(seen, MPI_Allgather(out, count, t, in, count, t, comm));
    note(seen, MPI_Allgatherv(out, count, t, in, counts.data(), places.data(), t, comm));
    note(seen, MPI_Alltoall(out, count, t, in, count, t, comm));
    note(seen, MPI_Alltoallv(out, counts.data(), places.data(), t, in, counts.data(), places.data(), t, comm));
    note(seen, MPI_Alltoallw(out, counts.data(), places.data(), t == type ? types.data() : nulls.data(), in,
                             counts.data(), places.data(), t == type ? types.data() : nulls.data(), comm));
    note(seen, MPI_Iallgather(out, count, t, in, count, t, comm, &request));
    note(seen, MPI_Ialltoall(out, count, t, in, count, t, comm, &request));
  }
  MPI_Type_free(&type);
  return seen;
}

// A communicator that was freed: the class. The handler runs more than once, for the layer asks about the communicator.
Outcome freed_communicator(MPI_Errhandler mine) {
  static double out[4096], in[4096];
  const std::vector<int> ones(16, 1), places(16, 0);
  MPI_Datatype type, uncommitted;
  MPI_Type_vector(8, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_dup(type, &uncommitted);
  MPI_Type_commit(&type);
  Outcome seen;
  const auto call = [&](auto&& make) {
    MPI_Comm comm, freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    freed = comm;
    MPI_Comm_free(&comm);
    for (const MPI_Comm one : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(one, mine);
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = make(freed, &request);
    CHECK(handled >= 1 && handled <= 3, "the handler ran %d times", handled);
    handled = 1;
    note(seen, code);
    for (const MPI_Comm one : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
  };
  // Types that were not seen committed are asked about on a communicator of the layer's own.
  call([&](MPI_Comm comm, MPI_Request*) { return MPI_Bcast(in, 1, uncommitted, 0, comm); });
  call([&](MPI_Comm comm, MPI_Request*) { return MPI_Bcast(in, 1, type, 0, comm); });
  call([&](MPI_Comm comm, MPI_Request*) { return MPI_Gather(out, 1, type, in, 1, type, 0, comm); });
  call([&](MPI_Comm comm, MPI_Request*) { return MPI_Alltoall(out, 1, type, in, 1, type, comm); });
  call([&](MPI_Comm comm, MPI_Request*) {
    return MPI_Alltoallv(out, ones.data(), places.data(), type, in, ones.data(), places.data(), type, comm);
  });
  call([&](MPI_Comm comm, MPI_Request*) { return MPI_Neighbor_alltoall(out, 1, type, in, 1, type, comm); });
  call([&](MPI_Comm comm, MPI_Request* request) { return MPI_Ibcast(in, 1, type, 0, comm, request); });
  call([&](MPI_Comm comm, MPI_Request* request) { return MPI_Ialltoall(out, 1, type, in, 1, type, comm, request); });
#if HAS_PERSISTENT_COLLECTIVES
  call([&](MPI_Comm comm, MPI_Request* request) {
    return MPI_Alltoall_init(out, 1, type, in, 1, type, comm, MPI_INFO_NULL, request);
  });
#endif
  MPI_Type_free(&uncommitted);
  MPI_Type_free(&type);
  return seen;
}

// Send and receive buffers that are the same memory. `alone`: this process's only communicator, where every call can
// be made although it fails on every process; of those among several, only those that no process waits in for ever:
// `root_fails_alone` adds those in which the root fails and the others' messages stay behind.
Outcome same_buffers(MPI_Comm comm, bool alone, bool with_others, bool root_fails_alone) {
  static double memory[1 << 12];
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  Outcome seen;
  MPI_Datatype gapped, dense;
  MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &gapped);
  MPI_Type_contiguous(3, MPI_DOUBLE, &dense);
  for (MPI_Datatype type : {gapped, dense}) {
    MPI_Datatype other;
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &other);
    const auto n = static_cast<std::size_t>(size);
    const std::vector<int> ones(n, 1);
    std::vector<int> places(n), bytes(n);
    for (int k = 0; k < size; ++k) places[static_cast<std::size_t>(k)] = k, bytes[static_cast<std::size_t>(k)] = 48 * k;
    const std::vector<MPI_Datatype> types(n, type);
    const int *c = ones.data(), *p = places.data(), *b = bytes.data();
    const auto wait = [&](int code, MPI_Request* request) {
      note(seen, code);
      if (*request != MPI_REQUEST_NULL) note(seen, MPI_Wait(request, MPI_STATUS_IGNORE));
    };
    const auto apart = [comm] {
      MPI_Comm own;
      MPI_Comm_dup(comm, &own);
      return own;
    };
    // Where MPICH and Intel MPI look: a block of theirs has no gaps.
    double *const all = memory, *const own = memory + 3 * rank, *const second = memory + 1024;
    MPI_Request request = MPI_REQUEST_NULL;
    double* const to_root = rank == 0 ? all : second;
    if (root_fails_alone) {
      note(seen, MPI_Gather(to_root, 1, type, all, 1, type, 0, apart()));
      note(seen, MPI_Gatherv(to_root, 1, type, all, c, p, type, 0, apart()));
      wait(MPI_Igather(to_root, 1, type, all, 1, type, 0, apart(), &request), &request);
    }
    note(seen, MPI_Allgather(own, 1, type, all, 1, type, comm));
    note(seen, MPI_Allgatherv(own, 1, type, all, c, p, type, comm));
    wait(MPI_Iallgather(own, 1, type, all, 1, type, comm, &request), &request);
    note(seen, MPI_Alltoall(all, 1, type, all, 1, type, comm));
    note(seen, MPI_Alltoallv(all, c, p, type, all, c, p, type, comm));
    note(seen, MPI_Alltoallw(all, c, b, types.data(), all, c, b, types.data(), comm));
    wait(MPI_Ialltoall(all, 1, type, all, 1, type, comm, &request), &request);
    // Not the same to them, and so no error. But MPICH itself copies a block to where it is, and stops the job for it.
    note(seen, with_others ? MPI_Allgather(own, 1, type, all, 1, other, comm) : MPI_SUCCESS);
    note(seen, with_others ? MPI_Alltoall(all, 1, type, all, 1, other, comm) : MPI_SUCCESS);
    if (alone) {
      note(seen, MPI_Scatter(all, 1, type, all, 1, type, 0, comm));
      note(seen, MPI_Scatterv(all, c, p, type, all, 1, type, 0, comm));
      wait(MPI_Iscatter(all, 1, type, all, 1, type, 0, comm, &request), &request);
    }
    MPI_Type_free(&other);
    MPI_Type_free(&type);
  }
  return seen;
}

void aliased(CollectiveTwin& twin) {
  for (const bool alone : {false, true}) {
    for (const Way way : {Way::kOff, Way::kOn}) {
      twin.switch_to(way);
      MPI_Comm own;
      MPI_Comm_split(MPI_COMM_WORLD, alone ? twin.rank() : 0, 0, &own);
      MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
      // Intel MPI may gather by synchronous sends, which wait for a root that has failed.
      twin.see(alone ? "same buffers, alone" : "same buffers",
               same_buffers(own, alone, way == Way::kOn || twin.is_open_mpi(), alone || !twin.is_intel()), "");
    }
  }
}

void errors(CollectiveTwin& twin) {
  MPI_Comm own;
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(handler, &mine);
  // In Open MPI a communicator is memory, which is given back.
  for (const Way way : {Way::kOff, Way::kOn}) {
    twin.switch_to(way);
    if (!twin.is_open_mpi()) twin.see("a communicator that was freed", freed_communicator(mine), "");
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  for (const bool has_handler : {false, true}) {
    MPI_Comm_set_errhandler(own, has_handler ? mine : MPI_ERRORS_RETURN);
    for (const Way way : {Way::kOff, Way::kOn}) {
      twin.switch_to(way);
      twin.see(has_handler ? "wrong arguments, a handler" : "wrong arguments", wrong_arguments(own), "");
    }
  }
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&own);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  CollectiveTwin twin(&argc, &argv, MPI_THREAD_SINGLE, what != "apart");
  if (argc > 2 && std::strcmp(argv[2], "survey") == 0) twin.survey();
  const int size = twin.size();
  if (what == "memory" && !twin.is_open_mpi()) {
    // MPICH and Intel MPI do not look at what malloc returns: they crash or wait for ever.
    if (twin.rank() == 0) std::puts("skipped: this library does not survive without memory");
    return kSkipped;
  } else if (what == "memory") {
    const char* const only = argc > 3 ? argv[3] : nullptr;
    memory(twin, Way::kOff, only);
    memory(twin, Way::kOn, only);
  } else if (what == "undecoded") {
    if (twin.is_intel()) {
      // Not even the library's own engine survives such a type (coll_known.cpp).
      if (twin.rank() == 0) std::puts("skipped: this library crashes on deep types");
      return kSkipped;
    }
    for (const Way way : {Way::kOff, Way::kOn}) all(twin, way, 3, [size](int k) { return undecoded(k, size); });
  } else if (what == "contiguous") {
    for (const Way way : {Way::kOff, Way::kOn}) all(twin, way, 4, [size](int k) { return half_contiguous(k, size); });
  } else if (what == "errors") {
    errors(twin);
  } else if (what == "aliased") {
    aliased(twin);
  } else if (what == "segments") {
    segments(twin, Way::kOff, argc > 3);
    segments(twin, Way::kOn, false);
    segments(twin, Way::kOn, true);
  } else if (what == "apart") {
    all(twin, Way::kOn, 4, [](int k) { return with_kind(k, nullptr); });
    // The data may be right by luck; none was packed.
    const test::Layer layer;
    for (const char* const procedure : {"MPI_Bcast", "MPI_Gather", "MPI_Allgather", "MPI_Alltoall"}) {
      CHECK(!layer.present() || layer.accelerated(procedure) == 0, "%s was packed, and not on all ranks", procedure);
    }
  } else {
    std::fprintf(stderr, "usage: coll_faults memory | undecoded | contiguous | errors | aliased | segments | apart\n");
    return 2;
  }
  return 0;
}
