#include "p2p_complete.hpp"

#include "counted.hpp"
#include "twin.hpp"

namespace conformance {

namespace {

const char* const kNames[] = {"MPI_Wait",
                              "MPI_Test",
                              "MPI_Waitall",
                              "MPI_Testall",
                              "MPI_Waitany",
                              "MPI_Testany",
                              "MPI_Waitsome",
                              "MPI_Testsome",
                              "MPI_Request_get_status",
                              "MPI_Request_get_status_all",
                              "MPI_Request_get_status_any",
                              "MPI_Request_get_status_some"};

struct List {
  std::vector<MPI_Request>& requests;
  bool ignored;
  const Seen &done, &told;
  int size() const { return static_cast<int>(requests.size()); }
  MPI_Request* data() const { return requests.data(); }
};

void check(int code, int how) {
  CHECK(code == MPI_SUCCESS, "%s: code %d", kNames[how], code);
}

const MPI_Status* given(const List& all, const MPI_Status& status) {
  return all.ignored ? nullptr : &status;
}

// One by one, the last first.
void one_by_one(const List& all, int how) {
  for (int k = all.size() - 1; k >= 0; --k) {
    MPI_Status status = unset_status();
    MPI_Status* const to = all.ignored ? MPI_STATUS_IGNORE : &status;
    if (how == 8) {
      for (int flag = 0; flag == 0;) {
        status = unset_status();
        check(MPI_Request_get_status(all.data()[k], &flag, to), how);
      }
      if (all.told) all.told(k, given(all, status));
      status = unset_status();
    }
    if (how == 1) {
      for (int flag = 0; flag == 0;) {
        status = unset_status();
        check(MPI_Test(&all.data()[k], &flag, to), how);
      }
    } else {
      check(MPI_Wait(&all.data()[k], to), how);
    }
    all.done(k, given(all, status));
  }
}

void whole(const List& all, int how) {
  std::vector<MPI_Status> statuses(all.requests.size(), unset_status());
  MPI_Status* const to = all.ignored ? MPI_STATUSES_IGNORE : statuses.data();
  int flag = 0;
  if (how == 2) check(MPI_Waitall(all.size(), all.data(), to), how);
  while (how == 3 && flag == 0) {
    statuses.assign(all.requests.size(), unset_status());
    check(MPI_Testall(all.size(), all.data(), &flag, all.ignored ? MPI_STATUSES_IGNORE : statuses.data()), how);
  }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  while (how == 9 && flag == 0) {
    statuses.assign(all.requests.size(), unset_status());
    check(
        MPI_Request_get_status_all(all.size(), all.data(), &flag, all.ignored ? MPI_STATUSES_IGNORE : statuses.data()),
        how);
  }
  if (how == 9) {
    for (int k = 0; k < all.size() && all.told; ++k) all.told(k, given(all, statuses[static_cast<std::size_t>(k)]));
    return whole(all, 2);
  }
#endif
  for (int k = 0; k < all.size(); ++k) all.done(k, given(all, statuses[static_cast<std::size_t>(k)]));
}

void any(const List& all, int how) {
  for (;;) {
    MPI_Status status = unset_status();
    MPI_Status* const to = all.ignored ? MPI_STATUS_IGNORE : &status;
    int index = -77, flag = 0;
    if (how == 4) {
      check(MPI_Waitany(all.size(), all.data(), &index, to), how);
      flag = 1;
    }
    if (how == 5) check(MPI_Testany(all.size(), all.data(), &index, &flag, to), how);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    if (how == 10) check(MPI_Request_get_status_any(all.size(), all.data(), &index, &flag, to), how);
#endif
    if (flag == 0) {
      CHECK(index == MPI_UNDEFINED || index == -77, "%s: index %d without a flag", kNames[how], index);
      continue;
    }
    if (index == MPI_UNDEFINED) return;
    CHECK(index >= 0 && index < all.size(), "%s: index %d", kNames[how], index);
    if (how == 10) {
      if (all.told) all.told(index, given(all, status));
      status = unset_status();
      check(MPI_Wait(&all.data()[index], to), 0);
    }
    all.done(index, given(all, status));
  }
}

void some(const List& all, int how) {
  for (;;) {
    std::vector<MPI_Status> statuses(all.requests.size(), unset_status());
    std::vector<int> indices(all.requests.size(), -77);
    MPI_Status* const to = all.ignored ? MPI_STATUSES_IGNORE : statuses.data();
    int done = -77;
    if (how == 6) check(MPI_Waitsome(all.size(), all.data(), &done, indices.data(), to), how);
    if (how == 7) check(MPI_Testsome(all.size(), all.data(), &done, indices.data(), to), how);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    if (how == 11) check(MPI_Request_get_status_some(all.size(), all.data(), &done, indices.data(), to), how);
#endif
    if (done == MPI_UNDEFINED) return;
    CHECK(done >= (how == 6 ? 1 : 0) && done <= all.size(), "%s: %d operations", kNames[how], done);
    for (int k = 0; k < done; ++k) {
      const int at = indices[static_cast<std::size_t>(k)];
      MPI_Status status = statuses[static_cast<std::size_t>(k)];
      if (how == 11) {
        if (all.told) all.told(at, given(all, status));
        status = unset_status();
        check(MPI_Wait(&all.data()[at], all.ignored ? MPI_STATUS_IGNORE : &status), 0);
      }
      all.done(at, given(all, status));
    }
  }
}

}  // namespace

const char* name_of_completion(int how) {
  return kNames[how];
}

int possible_completion(int how) {
  how %= kCompletions;
  return lacks(kNames[how]) ? how - kTellingFrom : how;
}

int for_persistent(int how) {
  return ASKING_LEAVES_PERSISTENT || how < kTellingFrom ? how : how - kTellingFrom;
}

void complete_all(int how, std::vector<MPI_Request>& list, bool ignored, const Seen& done, const Seen& told) {
  const List all{list, ignored, done, told};
  switch (how) {
    case 0:
    case 1:
    case 8:
      return one_by_one(all, how);
    case 2:
    case 3:
    case 9:
      return whole(all, how);
    case 4:
    case 5:
    case 10:
      return any(all, how);
    default:
      return some(all, how);
  }
}

void complete_one(int how, MPI_Request& request, bool ignored, const Seen& done, const Seen& told) {
  std::vector<MPI_Request> list = {MPI_REQUEST_NULL, request, MPI_REQUEST_NULL};
  const auto only = [](const Seen& seen) -> Seen {
    if (!seen) return {};
    return [&seen](int k, const MPI_Status* status) {
      if (k == 1) seen(0, status);
    };
  };
  complete_all(how, list, ignored, only(done), only(told));
  request = list[1];
}

}  // namespace conformance
