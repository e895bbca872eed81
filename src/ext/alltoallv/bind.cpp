#include "ext/alltoallv/bind.hpp"

#include <exception>
#include <memory>
#include <optional>

#include "ext/alltoallv/choice.hpp"
#include "ext/alltoallv/exchange.hpp"
#include "ext/alltoallv/kept.hpp"
#include "ext/alltoallv/native.hpp"
#include "ext/error.hpp"
#include "ext/machine.hpp"
#include "ext/request.hpp"

namespace gapless::ext::irregular {

namespace {

using alltoall::Machine;
using alltoall::irregular::Algorithm;

// What `body` returns; what it throws is raised, unless it was. guard (error.hpp) knows all but Wrong.
template <class Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  return guard(comm, [&] {
    try {
      return body();
    } catch (const Wrong& error) {
      return raise(error.error_class, comm);
    }
  });
}

void require(int code) {
  if (code != MPI_SUCCESS) throw Wrong{code};
}

// What is sent and what is received. In place, that is the same.
struct Sides {
  Blocks sent, received;
};
Sides both_sides(const Arguments& arguments, int processes) {
  if (arguments.lacks_types()) throw Wrong{MPI_ERR_ARG};
  Blocks received(arguments.received, processes);
  if (arguments.sent.buffer == MPI_IN_PLACE) return {received, received};
  return {Blocks(arguments.sent, processes), std::move(received)};
}

// How the call is to be done.
struct Wanted {
  const char* name;  // null: as the model chooses
  bool is_persistent;
  bool has_place = true;  // for the request
};

Algorithm named(const char* name) {
  Algorithm found{};
  if (!alltoall::irregular::find_algorithm(name, found)) throw Wrong{MPI_ERR_ARG};
  return found;
}

// What is known whatever sizes the others have.
std::optional<Algorithm> without_sizes(PrivateComm& comm, const Wanted& wanted, Machine& machine) {
  if (wanted.name != nullptr) return named(wanted.name);
  // Nobody else is there: a copy. Open MPI's MPI_Alltoallw takes no notice of displacements then.
  if (comm.size == 1) return Algorithm::kSpreadOut;
  if (comm.size <= alltoall::irregular::kMostAlwaysDirect)
    return alltoall::irregular::direct(comm.size, wanted.is_persistent);
  require(machine_of(comm, machine));
  if (!alltoall::irregular::is_always_direct(comm.size, wanted.is_persistent, machine)) return std::nullopt;
  return alltoall::irregular::direct(comm.size, wanted.is_persistent);
}

// What is to be run, with both sides if they were looked at.
struct Settled {
  Algorithm algorithm;
  std::optional<Sides> blocks;
  Extremes extremes;
};

// Of a request all learn first whether another one's arguments are wrong: that process does nothing else with them.
Settled settle(const Arguments& arguments, PrivateComm& comm, const Wanted& wanted) {
  const bool is_persistent = wanted.is_persistent;
  Machine machine;
  std::optional<Algorithm> known;
  if (!is_persistent) known = without_sizes(comm, wanted, machine);
  if (known == Algorithm::kLibrary) {
    if (arguments.lacks_types()) throw Wrong{MPI_ERR_ARG};
    return {*known, std::nullopt, {}};
  }
  std::optional<Sides> sides;
  std::exception_ptr wrong;  // not thrown before the other processes know
  try {
    if (!wanted.has_place) throw Wrong{MPI_ERR_ARG};
    if (wanted.name != nullptr) named(wanted.name);
    sides = both_sides(arguments, comm.size);
  } catch (...) {
    wrong = std::current_exception();
  }
  Extremes extremes;
  if (!known || known == Algorithm::kPadded || is_persistent) {
    if (sides) extremes = extremes_of(sides->sent, comm.rank);
    const int code = reduce(comm, wrong != nullptr, extremes);
    if (wrong == nullptr) require(code);
  }
  if (wrong != nullptr) std::rethrow_exception(wrong);
  if (is_persistent) known = without_sizes(comm, wanted, machine);
  const alltoall::irregular::Question question{comm.size, extremes.smallest, extremes.largest, is_persistent};
  return {known ? *known : choose(question, machine), std::move(sides), extremes};
}

std::unique_ptr<Exchange> make(Settled&& settled, const Arguments& arguments, const Group& group, bool is_persistent) {
  if (settled.algorithm == Algorithm::kLibrary) return make_library(arguments.sent, arguments.received, group);
  return make_exchange(settled.algorithm,
                       {group, std::move(settled.blocks->sent), std::move(settled.blocks->received),
                        arguments.sent.buffer == MPI_IN_PLACE, is_persistent},
                       settled.extremes.largest);
}

int class_of_code(int code) noexcept {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class Request final : public gapless_mpi_request {
 public:
  Request(PrivateCommPtr on, const Arguments& arguments)
      : gapless_mpi_request(std::move(on)),
        sent_(arguments.sent, comm->size),
        received_(arguments.received, comm->size) {}
  // Collective.
  int bind(Algorithm algorithm, const Extremes& extremes, int tag) {
    const Arguments own{sent_.half(), received_.half()};
    Settled settled{algorithm, std::nullopt, extremes};
    if (algorithm != Algorithm::kLibrary) settled.blocks = both_sides(own, comm->size);
    exchange_ = make(std::move(settled), own, {comm->comm(), comm->rank, comm->size, tag}, true);
    return exchange_->verdict();
  }
  int prepare() { return exchange_->prepare(); }
  int start() noexcept override { return exchange_->start(); }
  int wait() noexcept override { return exchange_->wait(); }
  bool try_end(int& first) noexcept override { return exchange_->try_end(first); }

 private:
  const KeptHalf sent_, received_;
  std::unique_ptr<Exchange> exchange_;
};

// Makes it, or says what is wrong as the class of an error, and whether the library has raised it.
int try_to_make(const PrivateCommPtr& comm, const Arguments& arguments, const Settled& settled, int tag,
                std::unique_ptr<Request>& made, bool& is_raised) {
  try {
    made = std::make_unique<Request>(comm, arguments);
    return class_of_code(made->bind(settled.algorithm, settled.extremes, tag));
  } catch (const Raised& error) {
    is_raised = true;
    return class_of_code(error.code);
  } catch (const Wrong& error) {
    return class_of_code(error.error_class);
  } catch (const base::Error& error) {
    return class_of(error);
  } catch (...) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

int run(const Arguments& arguments, MPI_Comm comm, const char* algorithm) noexcept {
  return guarded(comm, [&]() -> int {
    PrivateCommPtr own;
    if (const int code = private_comm(comm, own); code != MPI_SUCCESS) return code;
    const Group group{own->comm(), own->rank, own->size, 0};
    Settled settled = settle(arguments, *own, {algorithm, false});
    if (settled.algorithm == Algorithm::kLibrary) {
      require(call_library(arguments.sent, arguments.received, group));
      return MPI_SUCCESS;
    }
    const std::unique_ptr<Exchange> exchange = make(std::move(settled), arguments, group, false);
    exchange->start();
    require(exchange->wait());
    return MPI_SUCCESS;
  });
}

int bind(const Arguments& arguments, MPI_Comm comm, const char* algorithm, GAPLESS_Request* request) noexcept {
  return guarded(comm, [&]() -> int {
    PrivateCommPtr own;
    if (const int code = private_comm(comm, own); code != MPI_SUCCESS) return code;
    const int tag = own->next_tag();
    const Settled settled = settle(arguments, *own, {algorithm, true, request != nullptr});
    std::unique_ptr<Request> made;
    bool is_raised = false;
    const int wrong = try_to_make(own, arguments, settled, tag, made, is_raised);
    int worst = MPI_SUCCESS;
    require(MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, own->comm()));
    if (is_raised) throw Raised{wrong};
    require(wrong != MPI_SUCCESS ? wrong : worst);
    require(made->prepare());
    *request = made.release();
    return MPI_SUCCESS;
  });
}

}  // namespace gapless::ext::irregular
