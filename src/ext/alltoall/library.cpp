#include "ext/alltoall/library.hpp"

#include <climits>

#include "ext/error.hpp"

namespace gapless::ext::regular {

namespace {

// Not declared by every library's header.
using Alltoall = int(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
using AlltoallLarge = int(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm);
using Init = int(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request*);
using InitLarge = int(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Info,
                      MPI_Request*);
using Begin = int(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm, MPI_Request*);
using BeginLarge = int(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, MPI_Comm, MPI_Request*);

bool is_small(const Arguments& a) noexcept {
  return (a.sendbuf == MPI_IN_PLACE || a.sendcount <= INT_MAX) && a.recvcount <= INT_MAX;
}

// The procedure for ints, or the one for large counts. MPI_ERR_COUNT: the library has none that fits.
template <class Small, class Large, class... More>
int call(Small* small, Large* large, const Arguments& a, MPI_Comm comm, More... more) noexcept {
  if (is_small(a) && small != nullptr)
    return small(a.sendbuf, static_cast<int>(a.sendcount), a.sendtype, a.recvbuf, static_cast<int>(a.recvcount),
                 a.recvtype, comm, more...);
  if (large == nullptr) return MPI_ERR_COUNT;
  return large(a.sendbuf, a.sendcount, a.sendtype, a.recvbuf, a.recvcount, a.recvtype, comm, more...);
}

// In place the sending side's arguments mean nothing, and some libraries look at them.
Arguments cleaned(Arguments a) noexcept {
  if (a.sendbuf == MPI_IN_PLACE) {
    a.sendcount = 0;
    a.sendtype = a.recvtype;
  }
  return a;
}

class Persistent final : public gapless_mpi_request {
 public:
  Persistent(const PrivateCommPtr& on, const Blocks& send, const Blocks& receive, MPI_Request request)
      : gapless_mpi_request(on), send_(send), receive_(receive), request_(request) {}
  ~Persistent() override { MPI_Request_free(&request_); }
  int start() noexcept override { return MPI_Start(&request_); }
  int wait() noexcept override { return MPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  const Blocks send_, receive_;  // have the types
  MPI_Request request_;
};

class Repeated final : public gapless_mpi_request {
 public:
  Repeated(const PrivateCommPtr& on, const Blocks& send, const Blocks& receive, const Arguments& arguments)
      : gapless_mpi_request(on),
        send_(send),
        receive_(receive),
        arguments_(arguments),
        begin_(find_visible<Begin>("MPI_Ialltoall")),
        begin_large_(find_visible<BeginLarge>("MPI_Ialltoall_c")) {}
  int start() noexcept override { return call(begin_, begin_large_, arguments_, comm->comm(), &request_); }
  int wait() noexcept override { return MPI_Wait(&request_, MPI_STATUS_IGNORE); }

 private:
  const Blocks send_, receive_;  // have the types
  const Arguments arguments_;
  Begin* const begin_;
  BeginLarge* const begin_large_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace

int library_alltoall(const Arguments& arguments) noexcept {
  static Alltoall* const small = find_visible<Alltoall>("MPI_Alltoall");
  static AlltoallLarge* const large = find_visible<AlltoallLarge>("MPI_Alltoall_c");
  const Arguments clean = cleaned(arguments);
  if (!is_small(clean) && large == nullptr) return raise(MPI_ERR_COUNT, arguments.comm);
  return call(small, large, clean, arguments.comm);
}

int library_alltoall_init(const Arguments& arguments, const PrivateCommPtr& comm, const Blocks& send,
                          const Blocks& receive, GAPLESS_Request* request) {
  Init* const small = find_visible<Init>("MPI_Alltoall_init");
  InitLarge* const large = find_visible<InitLarge>("MPI_Alltoall_init_c");
  Arguments clean = cleaned(arguments);
  clean.sendtype = send.type();
  clean.recvtype = receive.type();
  if (small == nullptr && large == nullptr) {
    *request = new Repeated(comm, send, receive, clean);
    return MPI_SUCCESS;
  }
  MPI_Request made = MPI_REQUEST_NULL;
  if (const int code = call(small, large, clean, comm->comm(), MPI_INFO_NULL, &made); code != MPI_SUCCESS) return code;
  *request = new Persistent(comm, send, receive, made);
  return MPI_SUCCESS;
}

}  // namespace gapless::ext::regular
