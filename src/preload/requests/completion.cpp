// The procedures that complete requests, and those that tell that they are complete, on one request, or on all, any or
// some of a list.
//
// One core serves them. It holds the entries of the requests, calls the library once, on statuses of its own, and gives
// each operation one outcome. The requests tell which operations have completed, not the return code: they are null
// then, with an error, if any, in the status. Persistent requests stay: for these the flag, the index and the status
// tell.
#include <algorithm>

#include "preload/requests/ready_requests.hpp"
#include "preload/wrappers.hpp"

namespace gapless::preload {

namespace {

// Statuses for the library to set, in place of the program's, which may be ignored. They carry marks until the library
// sets them. Some procedures set MPI_ERROR for some requests only; the others' stays as it was.
class OwnStatuses {
 public:
  // `users`: nullptr if they are ignored.
  OwnStatuses(int n, MPI_Status* users) : n_(n < 0 ? 0 : n), users_(users), own_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      own_[k] = users_ == nullptr ? MPI_Status{} : users_[k];
      own_[k].MPI_SOURCE = mpi::kUnsetSource;
      own_[k].MPI_ERROR = kUnsetError;
    }
  }
  MPI_Status* get() noexcept { return own_.data(); }
  MPI_Status& operator[](int k) noexcept { return own_[k]; }
  // True if the library has set the status at `k`. Not all set that of a send, or its MPI_ERROR (Intel MPI, MPICH).
  bool is_set(int k) noexcept { return own_[k].MPI_SOURCE != mpi::kUnsetSource || own_[k].MPI_ERROR != kUnsetError; }
  // True if the library reports the operation at `k` as neither completed nor failed.
  bool is_pending(int k) noexcept { return own_[k].MPI_ERROR == MPI_ERR_PENDING; }
  // The error in the status at `k`, or `other`.
  int error_or(int k, int other) noexcept {
    return own_[k].MPI_ERROR != kUnsetError && own_[k].MPI_ERROR != MPI_SUCCESS ? own_[k].MPI_ERROR : other;
  }
  // Copies the first `n` to the program's. `errors`: with an MPI_ERROR in each.
  void give(int n, bool errors) noexcept {
    if (users_ == nullptr) return;
    for (int k = 0; k < n && k < n_; ++k) {
      MPI_Status given = own_[k];
      if (given.MPI_SOURCE == mpi::kUnsetSource) given.MPI_SOURCE = users_[k].MPI_SOURCE;
      if (given.MPI_ERROR == kUnsetError) given.MPI_ERROR = errors ? MPI_SUCCESS : users_[k].MPI_ERROR;
      users_[k] = given;
    }
  }

 private:
  static constexpr int kUnsetError = -0x47415045;  // no error code
  int n_;
  MPI_Status* users_;
  Scratch<MPI_Status> own_;
};

enum class Of { kOne, kAll, kAny, kSome };
// What the procedure does with the request of a completed operation. If the request stays as it is, the program may
// read the data all the same.
enum class Effect { kCompletes, kTells };

// Waits for an operation of whose messages the library knows nothing; the short way of complete().
int end_own(Procedure procedure, RequestEntry& entry, MPI_Status* status) {
  entry.finish_own();
  MPI_Status own{};
  own.MPI_SOURCE = mpi::kUnsetSource;
  const Outcome outcome = entry.complete(own, MPI_SUCCESS);
  if (status != MPI_STATUS_IGNORE) {
    MPI_Request none = MPI_REQUEST_NULL;
    mpi::library.Wait(&none, status);  // an empty status
  }
  count_completion(procedure, true);
  const int error = error_class_of(outcome);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  const int told = raise_error(error, policy.broken.through_world ? MPI_COMM_NULL : entry.comm);
  return told == MPI_SUCCESS ? told : error;
}

// A completing call of n requests. `output`: its flag (kOne, kAll; null if it has none), index (kAny), or count of
// `indices` (kSome). `call(list, output, statuses)` makes the library's call.
// Throws std::bad_alloc before the library is called, or never.
template <Of of, Manner manner, Effect effect, class Call>
[[gnu::noinline]] int complete_listed(Procedure procedure, int n, MPI_Request* list, int* output, const int* indices,
                                      MPI_Status* statuses, Call&& call) {
  // Of one operation the return code is the error; of several each status has its own.
  constexpr bool single = of == Of::kOne || of == Of::kAny;
  // The library names the completed operations by their indices.
  constexpr bool named = of == Of::kAny || of == Of::kSome;
  const bool tells_errors = of == Of::kOne && policy.broken.status_raises;
  const AfterReceive look_after_orphans;
  HeldEntries held(effect == Effect::kTells ? Requests::Use::kLooks : Requests::Use::kCompletes, n, list);
  if (!held.any()) {
    count_completion(procedure, false);
    return call(list, output, statuses);
  }
  if constexpr (of == Of::kOne && manner == Manner::kWaits) {
    if (held[0]->is_own() && held[0]->is_active()) return end_own(procedure, *held[0], statuses);
  }
  const auto note_call = [&](bool completed) {
    if (manner != Manner::kTestsAgain || completed) count_completion(procedure, completed);
  };
  ReadyRequests ready(manner, named, n, list, held);
  if (ready.leaves_out() && !named) {
    *output = 0;
    note_call(false);
    return MPI_SUCCESS;
  }
  const bool ignored = (single && statuses == MPI_STATUS_IGNORE) || (!single && statuses == MPI_STATUSES_IGNORE);
  OwnStatuses own(single ? 1 : n, ignored ? nullptr : statuses);
  // Those that are offered were offered before this call.
  const bool are_some_offered = offers.load(std::memory_order_relaxed) != 0;
  Scratch<int> last(are_some_offered ? static_cast<std::size_t>(n) : 0);
  OutputArgument returned(output);
  const int code = call(ready.differs() ? ready.get() : list, returned.get(), own.get());
  if (ready.differs()) {
    if (effect == Effect::kCompletes) ready.give(held);
    if (ready.leaves_out() && of == Of::kSome && returned.value_or(MPI_UNDEFINED) == MPI_UNDEFINED) returned.set(0);
  }

  // The k-th status belongs to the k-th request, or to that at the k-th of the returned indices. MPI_UNDEFINED is
  // negative, as in the other ABIs.
  const int value = returned.value_or(of == Of::kAny ? MPI_UNDEFINED : 0);
  const int count = single ? 1 : of == Of::kAll ? n : std::max(value, 0);
  const auto index_of = [&](int k) { return of == Of::kAny ? value : of == Of::kSome ? indices[k] : k; };
  const bool all = code == MPI_SUCCESS && (output == nullptr || value != 0);
  const auto has_completed = [&](int k, const RequestEntry& entry) {
    if (!named && ready.is_own(k)) return all || code != MPI_SUCCESS;
    if (effect == Effect::kTells) return of == Of::kSome || (of == Of::kAny ? own.is_set(k) : all);
    if (!entry.persistent) return list[index_of(k)] == MPI_REQUEST_NULL;
    if (!entry.is_active()) return false;
    if (named) return true;
    if (entry.was_inactive(own[k])) return false;
    // An error is of this very operation, and ends it.
    if (single) return all || code != MPI_SUCCESS;
    // After an error each status has the outcome of its operation.
    if (own.is_set(k)) return (all || code != MPI_SUCCESS) && !own.is_pending(k);
    return all && (output != nullptr || n == 1 || entry.whole || !entry.receives);
  };
  MPI_Comm comm = MPI_COMM_NULL;
  const auto outcome_of = [&](int k) {
    RequestEntry* const entry = held[index_of(k)];
    if (entry == nullptr || !has_completed(k, *entry)) return Outcome::kActive;
    // A collective's data are delivered whatever the status counts, so there must be no error.
    const int error = own.error_or(k, single || (entry->whole && !own.is_set(k)) ? code : MPI_SUCCESS);
    if (effect == Effect::kTells) {
      if (error != MPI_SUCCESS) return Outcome::kActive;
      return entry->tell(own[k]);
    }
    const MPI_Comm of_entry = of != Of::kOne && mpi::kSeveralHaveNoComm ? MPI_COMM_NULL : entry->comm;
    const Outcome outcome = held.complete(index_of(k), own[k], error);
    if (comm == MPI_COMM_NULL && error_class_of(outcome) != MPI_SUCCESS) comm = of_entry;
    return outcome;
  };

  bool completed = false;
  int raised = MPI_SUCCESS;
  const auto end = [&](int k) {
    const Outcome outcome = outcome_of(k);
    completed = completed || outcome != Outcome::kActive;
    const int error = error_class_of(outcome);
    if (error == MPI_SUCCESS || (effect == Effect::kTells && !tells_errors)) return;
    raised = error;
    if (!single) own[k].MPI_ERROR = error;
  };
  // What is offered comes last: its receivers copy it while this process copies what it receives.
  const auto is_offered = [&](int k) {
    RequestEntry* const entry = held[index_of(k)];
    return entry != nullptr && entry->sent.is_offered();
  };
  int offered = 0;
  for (int k = 0; k < count; ++k) {
    if (are_some_offered && is_offered(k)) {
      last[static_cast<std::size_t>(offered++)] = k;
    } else {
      end(k);
    }
  }
  wire::Patience rest;
  for (int k = 0; k < offered; ++k) {
    const int one = last[static_cast<std::size_t>(k)];
    held[index_of(one)]->sent.end_offer(rest);
    end(one);
  }
  own.give(count, raised != MPI_SUCCESS && !single);
  returned.give();
  note_call(completed);
  if (raised == MPI_SUCCESS || code != MPI_SUCCESS) return code;
  held.let_go();
  const int returned_error = single ? raised : MPI_ERR_IN_STATUS;
  const int told = raise_error(mpi::kSeveralHaveNoComm ? returned_error : raised,
                               policy.broken.through_world ? MPI_COMM_NULL : comm);
  return told == MPI_SUCCESS ? told : returned_error;
}

template <Of of, Manner manner, Effect effect = Effect::kCompletes, class Call>
int complete(Procedure procedure, int n, MPI_Request* list, int* output, const int* indices, MPI_Status* statuses,
             Call&& call) {
  return or_no_memory(
      [&] { return complete_listed<of, manner, effect>(procedure, n, list, output, indices, statuses, call); });
}

// Of several requests, some of them with messages of which the library knows nothing, or that are offered still.
struct OwnAmongThem {
  bool any = false;
  int done = -1;  // the index of one that has completed, of which the library knows nothing
};
OwnAmongThem find_own(int n, const MPI_Request* list) noexcept {
  using Own = RequestEntry::Own;
  OwnAmongThem found;
  if (own_operations.load(std::memory_order_relaxed) == 0 && offers.load(std::memory_order_relaxed) == 0) return found;
  // Each is held by itself, for which no memory is needed.
  for (int k = 0; list != nullptr && k < n; ++k) {
    HeldEntries held(Requests::Use::kLooks, 1, list + k);
    if (!held.any()) continue;
    const Own own = held[0]->own();
    found.any = found.any || own != Own::kNone || !held[0]->try_end_offer();
    if (own == Own::kDone && found.done < 0) found.done = k;
  }
  return found;
}

int end_one(Procedure procedure, MPI_Request* request, MPI_Status* status) {
  return complete<Of::kOne, Manner::kWaits>(
      procedure, 1, request, nullptr, nullptr, status,
      [](MPI_Request* of, int*, MPI_Status* own) { return mpi::library.Wait(of, own); });
}

int tell_one(Procedure procedure, MPI_Request request, int* flag, MPI_Status* status) {
  return complete<Of::kOne, Manner::kTests, Effect::kTells>(
      procedure, 1, &request, flag, nullptr, status,
      [](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Request_get_status(*of, to, own); });
}

template <Manner manner>
int test_any(Procedure procedure, int n, MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  return complete<Of::kAny, manner>(procedure, n, list, index, nullptr, status,
                                    [=](MPI_Request* of, int* to, MPI_Status* own) {
                                      const int code = mpi::library.Testany(n, of, to, flag, own);
                                      // The others are null, but the program's list is not.
                                      if (of != list && *to == MPI_UNDEFINED) *flag = 0;
                                      return code;
                                    });
}

template <Manner manner>
int test_some(Procedure procedure, int n, MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  return complete<Of::kSome, manner>(
      procedure, n, list, done_count, indices, statuses,
      [=](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Testsome(n, of, to, indices, own); });
}

// The same of a list with some of which the library knows nothing. Those that it knows come first, so that each has its
// turn however often the others are started again.
int test_any_with_own(Procedure procedure, int n, MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  *flag = 0;
  const int code = test_any<Manner::kTestsAgain>(procedure, n, list, index, flag, status);
  if (code != MPI_SUCCESS || *flag != 0) return code;
  const int done = find_own(n, list).done;
  if (done < 0) return MPI_SUCCESS;
  *flag = 1;
  *index = done;
  return end_one(procedure, list + done, status);
}

int test_some_with_own(Procedure procedure, int n, MPI_Request* list, int* done_count, int* indices,
                       MPI_Status* statuses) {
  *done_count = 0;
  const int code = test_some<Manner::kTestsAgain>(procedure, n, list, done_count, indices, statuses);
  if (code != MPI_SUCCESS) return code;
  int count = std::max(*done_count, 0), first_error = MPI_SUCCESS;
  for (int done = find_own(n, list).done; done >= 0 && count < n; done = find_own(n, list).done) {
    MPI_Status* const status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + count;
    const int error = end_one(procedure, list + done, status);
    if (error != MPI_SUCCESS && first_error == MPI_SUCCESS) {
      first_error = MPI_ERR_IN_STATUS;
      for (int k = 0; statuses != MPI_STATUSES_IGNORE && k < count; ++k) statuses[k].MPI_ERROR = MPI_SUCCESS;
    }
    if (statuses != MPI_STATUSES_IGNORE && first_error != MPI_SUCCESS) statuses[count].MPI_ERROR = error;
    indices[count++] = done;
  }
  *done_count = count;
  return first_error;
}

}  // namespace

int wrap_Wait(MPI_Request* request, MPI_Status* status) {
  if (request == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Wait(request, status);
  return end_one(Procedure::kWait, request, status);
}

int wrap_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (request == nullptr || flag == nullptr || takes_fast_path(1, request)) [[likely]]
    return mpi::library.Test(request, flag, status);
  return complete<Of::kOne, Manner::kTests>(
      Procedure::kTest, 1, request, flag, nullptr, status,
      [](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Test(of, to, own); });
}

int wrap_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (flag == nullptr || takes_fast_path(1, &request)) [[likely]]
    return mpi::library.Request_get_status(request, flag, status);
  return tell_one(Procedure::kRequest_get_status, request, flag, status);
}

int wrap_Waitall(int n, MPI_Request* list, MPI_Status* statuses) {
  if (takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitall(n, list, statuses);
  return complete<Of::kAll, Manner::kWaits>(
      Procedure::kWaitall, n, list, nullptr, nullptr, statuses,
      [=](MPI_Request* of, int*, MPI_Status* own) { return mpi::library.Waitall(n, of, own); });
}

int wrap_Testall(int n, MPI_Request* list, int* flag, MPI_Status* statuses) {
  if (flag == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testall(n, list, flag, statuses);
  return complete<Of::kAll, Manner::kTests>(
      Procedure::kTestall, n, list, flag, nullptr, statuses,
      [=](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Testall(n, of, to, own); });
}

int wrap_Request_get_status_all(int n, const MPI_Request* list, int* flag, MPI_Status* statuses) {
  if (flag == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_all(n, list, flag, statuses);
  return complete<Of::kAll, Manner::kTests, Effect::kTells>(
      Procedure::kRequest_get_status_all, n, const_cast<MPI_Request*>(list), flag, nullptr, statuses,
      [=](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Request_get_status_all(n, of, to, own); });
}

int wrap_Waitany(int n, MPI_Request* list, int* index, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitany(n, list, index, status);
  for (int flag = 0; flag == 0 && find_own(n, list).any;) {
    const int code = test_any_with_own(Procedure::kWaitany, n, list, index, &flag, status);
    if (code != MPI_SUCCESS || flag != 0) return code;
  }
  return complete<Of::kAny, Manner::kWaits>(
      Procedure::kWaitany, n, list, index, nullptr, status,
      [=](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Waitany(n, of, to, own); });
}

int wrap_Testany(int n, MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testany(n, list, index, flag, status);
  if (find_own(n, list).any) return test_any_with_own(Procedure::kTestany, n, list, index, flag, status);
  return test_any<Manner::kTests>(Procedure::kTestany, n, list, index, flag, status);
}

int wrap_Request_get_status_any(int n, const MPI_Request* list, int* index, int* flag, MPI_Status* status) {
  if (index == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_any(n, list, index, flag, status);
  if (const int done = find_own(n, list).done; done >= 0) {
    *index = done;
    return tell_one(Procedure::kRequest_get_status_any, list[done], flag, status);
  }
  return complete<Of::kAny, Manner::kTests, Effect::kTells>(
      Procedure::kRequest_get_status_any, n, const_cast<MPI_Request*>(list), index, nullptr, status,
      [=](MPI_Request* of, int* to, MPI_Status* own) {
        const int code = mpi::library.Request_get_status_any(n, of, to, flag, own);
        // The others are null, but the program's list is not.
        if (of != list && *to == MPI_UNDEFINED) *flag = 0;
        return code;
      });
}

int wrap_Waitsome(int n, MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Waitsome(n, list, done_count, indices, statuses);
  while (find_own(n, list).any) {
    const int code = test_some_with_own(Procedure::kWaitsome, n, list, done_count, indices, statuses);
    if (code != MPI_SUCCESS || *done_count > 0) return code;
  }
  return complete<Of::kSome, Manner::kWaits>(
      Procedure::kWaitsome, n, list, done_count, indices, statuses,
      [=](MPI_Request* of, int* to, MPI_Status* own) { return mpi::library.Waitsome(n, of, to, indices, own); });
}

int wrap_Testsome(int n, MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Testsome(n, list, done_count, indices, statuses);
  if (find_own(n, list).any) {
    return test_some_with_own(Procedure::kTestsome, n, list, done_count, indices, statuses);
  }
  return test_some<Manner::kTests>(Procedure::kTestsome, n, list, done_count, indices, statuses);
}

int wrap_Request_get_status_some(int n, const MPI_Request* list, int* done_count, int* indices, MPI_Status* statuses) {
  if (done_count == nullptr || indices == nullptr || takes_fast_path(n, list)) [[likely]]
    return mpi::library.Request_get_status_some(n, list, done_count, indices, statuses);
  if (const int done = find_own(n, list).done; done >= 0) {
    *done_count = 1;
    indices[0] = done;
    int flag = 0;
    return tell_one(Procedure::kRequest_get_status_some, list[done], &flag,
                    statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
  }
  return complete<Of::kSome, Manner::kTests, Effect::kTells>(
      Procedure::kRequest_get_status_some, n, const_cast<MPI_Request*>(list), done_count, indices, statuses,
      [=](MPI_Request* of, int* to, MPI_Status* own) {
        return mpi::library.Request_get_status_some(n, of, to, indices, own);
      });
}

}  // namespace gapless::preload
