"""Faults in all-to-alls that are the layer's own: the choice, the algorithms (src/ext), their completion."""

from __future__ import annotations

from layer_checks import conformance, planted

OWN = {"GAPLESS_ALLTOALL": "own"}
COMPLETES = (conformance("own_alltoall", "completes", **OWN), conformance("own_alltoall", "completes", ranks=3, **OWN))
INDEPENDENT = (conformance("own_alltoall", "independent", **OWN),)
ENDS = (conformance("own_alltoall", "ends", ranks=3, **OWN),)
CHOICE = (conformance("own_alltoall", "choice"),)
TWINS = (conformance("collectives", "4", ranks=3, **OWN),)
MANY = (conformance("collectives", "2", ranks=7, **OWN),)
UNDECODED = (conformance("coll_faults", "undecoded", ranks=3, **OWN),)
WRONG = (conformance("coll_faults", "errors", ranks=3, **OWN),)

MUTANTS = [
    planted(
        "the first calls on a communicator are ours as well",
        "policy/own_alltoall.cpp",
        "range->is_empty() || ++calls_ > kFirstCalls",
        "range->is_empty() || ++calls_ > 0",
        CHOICE,
    ),
    planted(
        "blocks of any size are ours",
        "collectives/own_alltoall.cpp",
        "if (bytes == 0 || !range.has(bytes) || !fits(",
        "if (bytes == 0 || !fits(",
        CHOICE,
    ),
    planted(
        "a type that is not committed is taken",
        "collectives/own_alltoall.cpp",
        "(known == nullptr && refuses_type(blocks.type))",
        "(known == nullptr && false)",
        WRONG,
    ),
    planted(
        "the receive of a persistent one is posted when it is waited for",
        "ext/alltoall/alltoall.cpp",
        "rounds_->start(Receives::kInBegin)",
        "rounds_->start(Receives::kInEnd)",
        INDEPENDENT,
    ),
    planted(
        "a persistent one is done when its sends are",
        "ext/alltoall/steps.cpp",
        "MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &is_done",
        "MPI_Testall(static_cast<int>(requests_.size() / 2), requests_.data() + requests_.size() / 2, &is_done",
        COMPLETES,
    ),
    planted(
        "what is tested leaves the process's own block out",
        "ext/alltoall/steps.cpp",
        "  note(first, copy(schedule_.meanwhile));\n  if (first == MPI_SUCCESS) first = store();\n  return true;",
        "  if (first == MPI_SUCCESS) first = store();\n  return true;",
        COMPLETES,
    ),
    planted(
        "what is tested is not stored",
        "ext/alltoall/steps.cpp",
        "  if (first == MPI_SUCCESS) first = store();\n  return true;",
        "  return true;",
        COMPLETES,
    ),
    planted(
        "the steps behind the messages are left out where it is tested",
        "ext/alltoall/rounds.cpp",
        "  if (!steps_.front()->try_end(first)) return false;\n  for (std::size_t k = 1; k < steps_.size(); ++k)",
        "  if (!steps_.front()->try_end(first)) return false;\n  for (std::size_t k = 1; k < 1; ++k)",
        COMPLETES,
    ),
    planted(
        "neighbours in memory are one piece whatever the buffer",
        "ext/alltoall/pieces.cpp",
        "merges && !pieces.empty() && pieces.back().buffer == buffer &&",
        "merges && !pieces.empty() &&",
        MANY,
    ),
    planted(
        "a block that is packed is a run",
        "ext/alltoall/blocks.cpp",
        "is_run_ = plan_->is_run(count);",
        "is_run_ = plan_->run_count() > 0;",
        TWINS,
    ),
    planted(
        "the library packs MPI_BOTTOM",
        "ext/packed_by_library.cpp",
        "if (buffer != nullptr) return;",
        "if (buffer != nullptr || type != MPI_DATATYPE_NULL) return;",
        UNDECODED,
    ),
    planted(
        "the types of a persistent one are the program's",
        "ext/alltoall/blocks.cpp",
        "if (mpi::is_contiguous_builtin(type_)) return MPI_SUCCESS;",
        "if (mpi::is_contiguous_builtin(type_) || comm_ != MPI_COMM_NULL) return MPI_SUCCESS;",
        ENDS,
    ),
    planted(
        "blocks for the others share one place, packed",
        "ext/alltoallv/direct.cpp",
        "if (memory == Memory::kForEach) at += blocks[peer].bytes;",
        "if (memory == Memory::kForOne) at += blocks[peer].bytes;",
        COMPLETES,
    ),
    planted(
        "what has come packed stays there",
        "ext/alltoallv/direct.cpp",
        "return in_[peer].is_packed ? unpack(",
        "return in_[peer].is_packed && in_[peer].counted.count == 0 ? unpack(",
        COMPLETES,
    ),
    planted(
        "in place, what is sent is packed after the receives are posted",
        "ext/alltoallv/direct.cpp",
        "for (int j = 1; call_.is_in_place && j < size; ++j) note(error_, pack_for(before(rank, j, size)));",
        "",
        COMPLETES,
    ),
    planted(
        "a block that is empty here is one that does not come",
        "ext/alltoallv/direct.cpp",
        "if (comes_[at(j)] > 0) note(",
        "if (call_.sent[behind(rank, j, size)].bytes > 0) note(",
        TWINS,
    ),
    planted(
        "a call that waits for one of several takes it for inactive",
        "requests/completion.cpp",
        "  for (int flag = 0; flag == 0 && find_own(n, list).any;) {",
        "  for (int flag = 0; flag == 0 && find_own(n, list).done >= 0;) {",
        COMPLETES,
    ),
    planted(
        "one that is over at once is told alone, however often",
        "requests/completion.cpp",
        "const int code = test_some<Manner::kTestsAgain>(procedure, n, list, done_count, indices, statuses);",
        "*done_count = 0;\n  const int code = find_own(n, list).done < 0 ? test_some<Manner::kTestsAgain>(procedure, n,"
        " list, done_count, indices, statuses) : MPI_SUCCESS;",
        (conformance("own_alltoall", "completes", **OWN),),
    ),
    planted(
        "the next of several that are done is told without its status",
        "requests/completion.cpp",
        "    indices[count++] = done;\n",
        "    indices[count] = done;\n    ++count;\n    if (count > 1) indices[count - 1] = indices[0];\n",
        COMPLETES,
    ),
    planted(
        "a call that tests for all of several does not ask for it",
        "requests/ready_requests.hpp",
        "return own == RequestEntry::Own::kDone && !is_named ? Part::kOwn : Part::kLeftOut;",
        "return !is_named ? Part::kOwn : Part::kLeftOut;",
        COMPLETES,
    ),
    planted(
        "Request_get_status ends it",
        "requests/request_entry.hpp",
        "if (!is_own() || !is_active()) return Own::kNone;",
        "if (!is_own() || state() != State::kActive) return Own::kNone;",
        COMPLETES,
    ),
]
