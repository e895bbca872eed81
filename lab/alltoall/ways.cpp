#include "ways.hpp"

#include "../exchange/agree.hpp"

#include "gapless/gapless_mpi.h"

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

// MPI 4's, which Open MPI 5 has, too, though it calls itself 3.1. A library that this program is run with may lack them
// (older ones of MPICH's ABI).
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_PERSISTENT 1
#else
#define HAS_PERSISTENT 0
#endif
#if HAS_PERSISTENT
#pragma weak MPI_Alltoall_init
#pragma weak MPI_Alltoallv_init
#endif

namespace gapless::lab::alltoall {
namespace {

using exchange::Refused;

int elements_of(const Problem& problem) {
  return static_cast<int>(problem.elements());
}

// What GAPLESS_Alltoallv wants of counts and displacements.
struct Wide {
  std::vector<MPI_Count> send_counts, receive_counts;
  std::vector<MPI_Aint> send_places, receive_places;
  explicit Wide(const Problem& problem)
      : send_counts(problem.send_counts().begin(), problem.send_counts().end()),
        receive_counts(problem.receive_counts().begin(), problem.receive_counts().end()),
        send_places(problem.send_places().begin(), problem.send_places().end()),
        receive_places(problem.receive_places().begin(), problem.receive_places().end()) {}
};

struct LibraryWay : Way {
  LibraryWay(Problem& problem, MPI_Comm comm) : problem(problem), comm(comm) {}
  int run() override {
    const int n = elements_of(problem);
    return MPI_Alltoall(problem.send(), n, MPI_INT, problem.receive(), n, MPI_INT, comm);
  }
  Problem& problem;
  MPI_Comm comm;
};

struct LibraryVWay : Way {
  LibraryVWay(Problem& problem, MPI_Comm comm) : problem(problem), comm(comm) {}
  int run() override {
    return MPI_Alltoallv(problem.send(), problem.send_counts().data(), problem.send_places().data(), MPI_INT,
                         problem.receive(), problem.receive_counts().data(), problem.receive_places().data(), MPI_INT,
                         comm);
  }
  Problem& problem;
  MPI_Comm comm;
};

#if HAS_PERSISTENT
struct LibraryPersistentWay : Way {
  LibraryPersistentWay(Problem& problem, bool irregular, MPI_Comm comm) {
    if (MPI_Alltoall_init == nullptr || MPI_Alltoallv_init == nullptr)
      throw Refused("this MPI library has no persistent collectives");
    const int n = elements_of(problem);
    const int code =
        irregular ? MPI_Alltoallv_init(problem.send(), problem.send_counts().data(), problem.send_places().data(),
                                       MPI_INT, problem.receive(), problem.receive_counts().data(),
                                       problem.receive_places().data(), MPI_INT, comm, MPI_INFO_NULL, &request)
                  : MPI_Alltoall_init(problem.send(), n, MPI_INT, problem.receive(), n, MPI_INT, comm, MPI_INFO_NULL,
                                      &request);
    if (code != MPI_SUCCESS) throw Refused(error_text(code));
  }
  ~LibraryPersistentWay() override {
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }
  int run() override {
    const int code = MPI_Start(&request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
  }
  MPI_Request request = MPI_REQUEST_NULL;
};
#endif

// A persistent message to each other process, of which there is one request from each; the own block is copied.
struct MessagesWay : Way {
  MessagesWay(Problem& problem, MPI_Comm comm) : problem(problem) {
    if (problem.is_in_place()) throw Refused("messages alone need two buffers");
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const auto* const from = static_cast<const int*>(problem.send());
    const int n = elements_of(problem);
    for (int k = 1; k < ranks; ++k) {
      const int source = (rank + ranks - k) % ranks, target = (rank + k) % ranks;
      add(MPI_Recv_init(problem.receive() + std::ptrdiff_t{source} * n, n, MPI_INT, source, 0, comm, next()));
      add(MPI_Send_init(from + std::ptrdiff_t{target} * n, n, MPI_INT, target, 0, comm, next()));
    }
  }
  ~MessagesWay() override {
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
  MPI_Request* next() { return &requests.emplace_back(MPI_REQUEST_NULL); }
  void add(int code) {
    if (code == MPI_SUCCESS) return;
    requests.pop_back();
    failed = code;
  }
  int run() override {
    if (failed != MPI_SUCCESS) return failed;
    const int n = elements_of(problem);
    const std::ptrdiff_t own = std::ptrdiff_t{rank} * n;
    const int count = static_cast<int>(requests.size());
    if (const int code = MPI_Startall(count, requests.data()); code != MPI_SUCCESS) return code;
    std::memcpy(problem.receive() + own, static_cast<const int*>(problem.send()) + own, std::size_t(n) * sizeof(int));
    return MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  }
  Problem& problem;
  int rank = 0, failed = MPI_SUCCESS;
  std::vector<MPI_Request> requests;
};

// Ours, regular or not; named, or by the model.
struct Ours {
  Ours(const MemberSpec& member, Problem& problem, bool irregular, MPI_Comm comm)
      : algorithm(member.algorithm), problem(problem), irregular(irregular), comm(comm), wide(problem) {}
  const char* name() const { return algorithm.empty() ? nullptr : algorithm.c_str(); }
  int call() {
    const int n = elements_of(problem);
    if (!irregular) return GAPLESS_Alltoall(problem.send(), n, MPI_INT, problem.receive(), n, MPI_INT, comm, name());
    return GAPLESS_Alltoallv(problem.send(), wide.send_counts.data(), wide.send_places.data(), MPI_INT,
                             problem.receive(), wide.receive_counts.data(), wide.receive_places.data(), MPI_INT, comm,
                             name());
  }
  int init(GAPLESS_Request* request) {
    const int n = elements_of(problem);
    if (!irregular)
      return GAPLESS_Alltoall_init(problem.send(), n, MPI_INT, problem.receive(), n, MPI_INT, comm, name(), request);
    return GAPLESS_Alltoallv_init(problem.send(), wide.send_counts.data(), wide.send_places.data(), MPI_INT,
                                  problem.receive(), wide.receive_counts.data(), wide.receive_places.data(), MPI_INT,
                                  comm, name(), request);
  }
  std::string algorithm;
  Problem& problem;
  bool irregular;
  MPI_Comm comm;
  Wide wide;
};

struct OursWay : Way {
  explicit OursWay(Ours ours) : ours(std::move(ours)) {}
  int run() override { return ours.call(); }
  Ours ours;
};

struct OursPersistentWay : Way {
  explicit OursPersistentWay(Ours given) : ours(std::move(given)) {
    if (const int code = ours.init(&request); code != MPI_SUCCESS) throw Refused(error_text(code));
  }
  ~OursPersistentWay() override {
    if (request != GAPLESS_REQUEST_NULL) GAPLESS_Request_free(&request);
  }
  int run() override {
    const int code = GAPLESS_Start(request);
    return code == MPI_SUCCESS ? GAPLESS_Wait(request) : code;
  }
  Ours ours;
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
};

// Schedules, types, plans and requests are made and freed; of a regular all-to-all nothing is sent by that.
struct TypesWay : Way {
  explicit TypesWay(Ours ours) : ours(std::move(ours)) {}
  bool moves() const override { return false; }
  int run() override {
    GAPLESS_Request request = GAPLESS_REQUEST_NULL;
    const int code = ours.init(&request);
    return code == MPI_SUCCESS ? GAPLESS_Request_free(&request) : code;
  }
  Ours ours;
};

}  // namespace

std::unique_ptr<Way> make_way(const MemberSpec& member, Problem& problem, MPI_Comm comm) {
  switch (member.call) {
    case Call::kLibrary:
      return std::make_unique<LibraryWay>(problem, comm);
    case Call::kLibraryV:
      return std::make_unique<LibraryVWay>(problem, comm);
    case Call::kLibraryPersistent:
    case Call::kLibraryVPersistent:
#if HAS_PERSISTENT
      return std::make_unique<LibraryPersistentWay>(problem, member.call == Call::kLibraryVPersistent, comm);
#else
      throw Refused("this MPI library has no persistent collectives");
#endif
    case Call::kOurs:
    case Call::kOursV:
      return std::make_unique<OursWay>(Ours(member, problem, member.call == Call::kOursV, comm));
    case Call::kOursPersistent:
    case Call::kOursVPersistent:
      return std::make_unique<OursPersistentWay>(Ours(member, problem, member.call == Call::kOursVPersistent, comm));
    case Call::kMessages:
      return std::make_unique<MessagesWay>(problem, comm);
    case Call::kTypes:
    case Call::kTypesV:
      return std::make_unique<TypesWay>(Ours(member, problem, member.call == Call::kTypesV, comm));
  }
  throw Refused("no such call");
}

std::string error_text(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace gapless::lab::alltoall
