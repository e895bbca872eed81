// GAPLESS_Alltoall, GAPLESS_Alltoall_init, GAPLESS_Alltoall_count.
#include <memory>
#include <vector>

#include "ext/alltoall/arguments.hpp"
#include "ext/alltoall/library.hpp"
#include "ext/alltoall/steps.hpp"
#include "ext/error.hpp"
#include "ext/request.hpp"

using namespace gapless;
using namespace gapless::ext;
using namespace gapless::ext::regular;

namespace {

std::unique_ptr<Operation> operation_of(Checked& checked, bool is_persistent) {
  return std::make_unique<Operation>(checked.choice, checked.comm, *std::move(checked.send),
                                     *std::move(checked.receive), checked.is_in_place, is_persistent);
}

int run(const Operation& operation) {
  constexpr int kTag = 0;
  int first = MPI_SUCCESS;
  for (const alltoall::Step& part : operation.schedule().steps) {
    Step step(operation, part, kTag);
    note(first, step.bind(false));
    note(first, step.begin());
    note(first, step.end());
  }
  return first;
}

class Rounds final : public gapless_mpi_request {
 public:
  Rounds(Checked& checked, int tag) : gapless_mpi_request(checked.comm), operation_(operation_of(checked, true)) {
    for (const alltoall::Step& part : operation_->schedule().steps)
      steps_.push_back(std::make_unique<Step>(*operation_, part, tag));
  }
  int bind() {
    for (const auto& step : steps_)
      if (const int code = step->bind(true); code != MPI_SUCCESS) return code;
    return MPI_SUCCESS;
  }
  int start() noexcept override { return steps_.empty() ? MPI_SUCCESS : steps_.front()->begin(); }
  int wait() noexcept override {
    int first = MPI_SUCCESS;
    for (const auto& step : steps_) {
      if (step != steps_.front()) note(first, step->begin());
      note(first, step->end());
    }
    return first;
  }

 private:
  std::unique_ptr<Operation> operation_;
  std::vector<std::unique_ptr<Step>> steps_;
};

// Nothing to do.
class Empty final : public gapless_mpi_request {
 public:
  using gapless_mpi_request::gapless_mpi_request;
  int start() noexcept override { return MPI_SUCCESS; }
  int wait() noexcept override { return MPI_SUCCESS; }
};

int init(const Arguments& arguments, GAPLESS_Request* request) {
  if (request == nullptr) return raise(MPI_ERR_ARG, arguments.comm);
  Checked checked;
  if (const int code = check(arguments, true, checked); code != MPI_SUCCESS) return code;
  const int tag = checked.comm->next_tag();
  if (checked.receive->bytes() == 0) {
    *request = new Empty(checked.comm);
    return MPI_SUCCESS;
  }
  if (checked.choice.algorithm->library) {
    const int code = library_alltoall_init(arguments, checked.comm, request);
    return code == MPI_SUCCESS ? code : raise(code, arguments.comm);
  }
  auto rounds = std::make_unique<Rounds>(checked, tag);
  if (const int code = rounds->bind(); code != MPI_SUCCESS) return raise(code, arguments.comm);
  *request = rounds.release();
  return MPI_SUCCESS;
}

}  // namespace

int GAPLESS_Alltoall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm) {
  if (!ready()) return kNotReady;
  return guard(comm, [&]() -> int {
    const Arguments arguments{sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm};
    Checked checked;
    if (const int code = check(arguments, false, checked); code != MPI_SUCCESS) return code;
    if (checked.receive->bytes() == 0) return MPI_SUCCESS;
    if (checked.choice.algorithm->library) return library_alltoall(arguments);
    const int code = run(*operation_of(checked, false));
    return code == MPI_SUCCESS ? code : raise(code, comm);
  });
}

int GAPLESS_Alltoall_init(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, const char* algorithm,
                          GAPLESS_Request* request) {
  if (!ready()) return kNotReady;
  return guard(comm, [&] {
    return init({sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, algorithm}, request);
  });
}
