#include "ext/alltoallv/bind.hpp"

#include <exception>
#include <optional>

#include "ext/alltoallv/choice.hpp"
#include "ext/alltoallv/machine.hpp"
#include "ext/alltoallv/native.hpp"

namespace gapless::ext::irregular {

namespace {

using alltoall::irregular::Algorithm;
using alltoall::irregular::Machine;

// What `body` returns; what it throws is raised, unless it was. guard (error.hpp) knows what the engine throws.
template <class Body>
int guarded(MPI_Comm comm, Body&& body) noexcept {
  return guard(comm, [&] {
    try {
      return body();
    } catch (const Raised& error) {
      return error.code;
    } catch (const Wrong& error) {
      return raise(error.error_class, comm);
    }
  });
}

void require(int code) {
  if (code != MPI_SUCCESS) throw Wrong{code};
}

// Both sides, or why they cannot be: not thrown before the other processes know.
struct Sides {
  Sides(const Arguments& arguments, int processes) {
    try {
      const bool is_in_place = arguments.sent.buffer == MPI_IN_PLACE;
      Blocks received(arguments.received, processes);
      if (is_in_place)
        blocks.emplace(Pair{received, received});
      else
        blocks.emplace(Pair{Blocks(arguments.sent, processes), std::move(received)});
    } catch (...) {
      wrong = std::current_exception();
    }
  }
  struct Pair {
    Blocks sent, received;
  };
  std::optional<Pair> blocks;
  std::exception_ptr wrong;
};

// What is known before anybody has been asked.
std::optional<Algorithm> without_asking(const PrivateComm& comm, const char* name, bool is_persistent,
                                        Machine& machine) {
  Algorithm found{};
  if (name != nullptr) {
    if (!alltoall::irregular::find_algorithm(name, found)) throw Wrong{MPI_ERR_ARG};
    return found;
  }
  require(machine_of(comm, machine));
  if (!alltoall::irregular::is_always_library(comm.size, is_persistent, machine)) return std::nullopt;
  return Algorithm::kLibrary;
}

// What is to be run, with both sides if they were looked at.
struct Settled {
  Algorithm algorithm;
  std::optional<Sides::Pair> blocks;
  Extremes extremes;
};

Settled settle(const Arguments& arguments, const PrivateComm& comm, const char* name, bool is_persistent) {
  Machine machine;
  const std::optional<Algorithm> known = without_asking(comm, name, is_persistent, machine);
  if (known == Algorithm::kLibrary && !is_persistent) return {*known, std::nullopt, {}};
  Sides sides(arguments, comm.size);
  Extremes extremes;
  if (!known || known == Algorithm::kPadded || is_persistent) {
    if (sides.blocks) extremes = extremes_of(sides.blocks->sent, comm.rank);
    const int code = reduce(comm, sides.wrong != nullptr, extremes);
    if (sides.wrong == nullptr) require(code);
  }
  if (sides.wrong != nullptr) std::rethrow_exception(sides.wrong);
  const alltoall::irregular::Question question{comm.size, extremes.smallest, extremes.largest, is_persistent};
  return {known ? *known : choose(question, machine), std::move(sides.blocks), extremes};
}

std::unique_ptr<Exchange> make(Settled&& settled, const Arguments& arguments, const Group& group) {
  if (settled.algorithm == Algorithm::kLibrary) return make_library(arguments.sent, arguments.received, group);
  return make_exchange(settled.algorithm,
                       {group, std::move(settled.blocks->sent), std::move(settled.blocks->received),
                        arguments.sent.buffer == MPI_IN_PLACE},
                       settled.extremes.largest);
}

int class_of_code(int code) noexcept {
  int error_class = MPI_ERR_OTHER;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Makes it, or says what is wrong as the class of an error.
int try_to_make(Settled&& settled, const Arguments& arguments, const Group& group, std::unique_ptr<Exchange>& made) {
  try {
    made = make(std::move(settled), arguments, group);
    return made->verdict();
  } catch (const Raised& error) {
    return class_of_code(error.code);
  } catch (const Wrong& error) {
    return class_of_code(error.error_class);
  } catch (const gapless::base::Error& error) {
    return class_of(error);
  } catch (...) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

int run(const Arguments& arguments, MPI_Comm comm, const char* algorithm) noexcept {
  return guarded(comm, [&] {
    PrivateCommPtr own;
    if (const int code = private_comm(comm, own); code != MPI_SUCCESS) return code;
    const Group group{own->comm(), own->rank, own->size, 0};
    Settled settled = settle(arguments, *own, algorithm, false);
    if (settled.algorithm == Algorithm::kLibrary) {
      require(call_library(arguments.sent, arguments.received, group));
      return MPI_SUCCESS;
    }
    const std::unique_ptr<Exchange> exchange = make(std::move(settled), arguments, group);
    exchange->start();
    require(exchange->wait());
    return MPI_SUCCESS;
  });
}

int bind(const Arguments& arguments, MPI_Comm comm, const char* algorithm, PrivateCommPtr& own,
         std::unique_ptr<Exchange>& bound) noexcept {
  return guarded(comm, [&] {
    PrivateCommPtr found;
    if (const int code = private_comm(comm, found); code != MPI_SUCCESS) return code;
    const Group group{found->comm(), found->rank, found->size, found->next_tag()};
    Settled settled = settle(arguments, *found, algorithm, true);
    std::unique_ptr<Exchange> made;
    const int wrong = try_to_make(std::move(settled), arguments, group, made);
    int worst = MPI_SUCCESS;
    require(MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, group.comm));
    require(wrong != MPI_SUCCESS ? wrong : worst);
    own = std::move(found);
    bound = std::move(made);
    return MPI_SUCCESS;
  });
}

}  // namespace gapless::ext::irregular
