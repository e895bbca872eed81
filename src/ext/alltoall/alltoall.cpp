// GAPLESS_Alltoall, GAPLESS_Alltoall_init, GAPLESS_Alltoall_count.
#include <memory>

#include "ext/alltoall/arguments.hpp"
#include "ext/alltoall/library.hpp"
#include "ext/alltoall/recent.hpp"
#include "ext/datatype.hpp"
#include "ext/error.hpp"
#include "ext/request.hpp"

using namespace gapless;
using namespace gapless::ext;
using namespace gapless::ext::regular;

namespace {

// More than this is not kept for a call that may come again [bytes].
constexpr std::int64_t kMostKept = 256 << 10;

std::unique_ptr<Operation> operation_of(Checked& checked, bool is_persistent) {
  return std::make_unique<Operation>(checked.choice, *checked.comm, *std::move(checked.send),
                                     *std::move(checked.receive), checked.is_in_place, is_persistent);
}

// A call like one before; null: there was none.
Recent::Entry* find_recent(PrivateComm* comm, const Arguments& arguments) noexcept {
  if (comm == nullptr || comm->kept == nullptr) return nullptr;
  const mpi::Datatype* send = nullptr;
  if (arguments.sendbuf != MPI_IN_PLACE && (send = remembered(arguments.sendtype)) == nullptr) return nullptr;
  // What the first look has found is good until the next one.
  const mpi::Datatype* const receive = remembered(arguments.recvtype);
  return receive != nullptr ? kept_of(*comm).recent.find({arguments, send, receive}) : nullptr;
}

int run(Rounds& rounds) noexcept {
  int first = rounds.start(Receives::kInEnd);
  note(first, rounds.wait());
  return first;
}

int run(const Arguments& arguments) {
  PrivateComm* known = nullptr;
  if (const int code = known_private_comm(arguments.comm, known); code != MPI_SUCCESS) return code;
  Recent::Entry* recent = find_recent(known, arguments);
  if (recent != nullptr && recent->rounds != nullptr) {
    return raised(run(*recent->rounds), arguments.comm);
  }
  if (recent != nullptr && recent->algorithm->library) return library_alltoall(arguments);
  Checked checked;
  if (const int code = check(arguments, false, checked); code != MPI_SUCCESS) return code;
  if (checked.receive->bytes() == 0) return MPI_SUCCESS;
  const bool is_again = recent != nullptr;
  if (!is_again) recent = &kept_of(*checked.comm).recent.add(arguments, checked);
  if (checked.choice.algorithm->library) return library_alltoall(arguments);
  const bool may_keep = is_again && !recent->is_large;
  auto operation = operation_of(checked, may_keep);
  if (!may_keep || operation->memory_bytes() > kMostKept) return raised(run_once(*operation), arguments.comm);
  auto rounds = std::make_unique<Rounds>(std::move(operation), kCallTag);
  int first = rounds->bind();
  note(first, run(*rounds));
  // Only what is bound has its staging.
  recent->is_large = rounds->memory_bytes() > kMostKept;
  if (first == MPI_SUCCESS && !recent->is_large) recent->rounds = std::move(rounds);
  return raised(first, arguments.comm);
}

class Persistent final : public gapless_mpi_request {
 public:
  Persistent(const PrivateCommPtr& on, std::unique_ptr<Rounds> rounds)
      : gapless_mpi_request(on), rounds_(std::move(rounds)) {}
  int start() noexcept override { return rounds_->start(Receives::kInBegin); }
  int wait() noexcept override { return rounds_->wait(); }
  bool try_end(int& first) noexcept override { return rounds_->try_end(first); }

 private:
  std::unique_ptr<Rounds> rounds_;
};

// Nothing to do.
class Empty final : public gapless_mpi_request {
 public:
  using gapless_mpi_request::gapless_mpi_request;
  int start() noexcept override { return MPI_SUCCESS; }
  int wait() noexcept override { return MPI_SUCCESS; }
};

int init(const Arguments& arguments, GAPLESS_Request* request) {
  Checked checked;
  if (const int code = check(arguments, true, checked); code != MPI_SUCCESS) return code;
  if (request == nullptr) return raise(MPI_ERR_ARG, arguments.comm);
  if (checked.receive->bytes() == 0) {
    *request = new Empty(checked.comm);
    return MPI_SUCCESS;
  }
  int code = checked.receive->keep_type();
  if (code == MPI_SUCCESS && !checked.is_in_place) code = checked.send->keep_type();
  if (code != MPI_SUCCESS) return raise(code, arguments.comm);
  if (checked.is_in_place) checked.send.emplace(*checked.receive);
  if (checked.choice.algorithm->library) {
    code = library_alltoall_init(arguments, checked.comm, *checked.send, *checked.receive, request);
    return raised(code, arguments.comm);
  }
  const PrivateCommPtr comm = checked.comm;
  auto rounds = std::make_unique<Rounds>(operation_of(checked, true), checked.tag);
  if (code = rounds->bind(); code != MPI_SUCCESS) return raise(code, arguments.comm);
  *request = new Persistent(comm, std::move(rounds));
  return MPI_SUCCESS;
}

}  // namespace

int GAPLESS_Alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm) {
  if (!ready()) return kNotReady;
  return guard(comm,
               [&] { return run({sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm}); });
}

int GAPLESS_Alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                          GAPLESS_Request* request) {
  if (!ready()) return kNotReady;
  return guard(comm, [&] {
    return init({sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm}, request);
  });
}
