// What the completing procedures need around the library's call: the staged operations among the program's requests,
// held before it, and statuses of our own, from which can be told what came.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "preload/requests/orphans.hpp"
#include "preload/requests/requests.hpp"

namespace gapless::preload {

// n objects of a trivial type: few in the caller's frame, more from the heap.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t n) : many_(n > kFew ? new T[n] : nullptr), data_(many_ ? many_.get() : few_) {}
  T& operator[](std::size_t k) noexcept { return data_[k]; }
  T* data() noexcept { return data_; }

 private:
  static constexpr std::size_t kFew = 16;
  T few_[kFew];
  std::unique_ptr<T[]> many_;
  T* data_;
};

// Whether the table may know one of these requests. Nearly always it is empty, and nothing more is looked at.
inline bool may_have_any(int n, const MPI_Request* list) noexcept {
  if (!requests.any() || list == nullptr) return false;
  for (int k = 0; k < n; ++k) {
    if (requests.may_have(list[k])) return true;
  }
  return false;
}
// Whether a completing call takes the library's own path at once.
inline bool takes_fast_path(int n, const MPI_Request* list) noexcept {
  return !slow_path_required() && !may_have_any(n, list);
}

// The entries of a list of requests, each at its index; what is not ended by finish() is let go at the end.
class Held {
 public:
  Held(int n, const MPI_Request* list) : n_(list == nullptr || n < 0 ? 0 : n), entries_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      entries_[k] = requests.may_have(list[k]) ? requests.hold(list[k]) : nullptr;
      if (entries_[k] != nullptr) ++count_;
    }
  }
  ~Held() {
    for (int k = 0; k < n_ && count_ > 0; ++k) {
      if (entries_[k] != nullptr) requests.let_go(entries_[k]);
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  bool any() const noexcept { return count_ != 0; }
  Pending* operator[](int k) noexcept { return k >= 0 && k < n_ ? entries_[k] : nullptr; }
  // Whether the operation at this index has ended: a request that is null now says so itself; of a persistent one it
  // must have been `told` by what else the library gave.
  bool ended(int k, const MPI_Request* list, bool told) noexcept {
    Pending* const pending = (*this)[k];
    if (pending == nullptr) return false;
    return pending->persistent ? told && pending->is_active() : list[k] == MPI_REQUEST_NULL;
  }
  // It is over, with the library's `error`; what data there are are delivered first. A persistent one stays in the
  // table.
  void finish(int k, const MPI_Status& status, int error) noexcept {
    Pending* const pending = (*this)[k];
    if (pending == nullptr) return;
    const bool failed = error != MPI_SUCCESS && error != pending->broken;
    if (!failed || pending->has_data_after(error, status)) pending->deliver(status);
    if (pending->persistent) return failed ? pending->fail() : pending->end(status);
    requests.finish(pending);
    entries_[k] = nullptr;
    --count_;
  }

 private:
  int n_, count_ = 0;
  Scratch<Pending*> entries_;
};

// Statuses for the library to fill, beside the program's, which may be ignored. Those of held requests carry marks
// until the library writes them. MPI_ERROR is set by some procedures for some requests only, and stays as it was
// otherwise.
class OwnStatuses {
 public:
  OwnStatuses(int n, MPI_Status* users, bool ignored)
      : n_(n < 0 ? 0 : n), users_(ignored ? nullptr : users), own_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      own_[k] = users_ == nullptr ? MPI_Status{} : users_[k];
      own_[k].MPI_SOURCE = kUnsetSource;
      own_[k].MPI_ERROR = kUntouched;
    }
  }
  MPI_Status* get() noexcept { return own_.data(); }
  // Whether the library has set the status at `k`. Not all set that of a send, or its MPI_ERROR (Intel MPI, MPICH).
  bool touched(int k) noexcept { return own_[k].MPI_SOURCE != kUnsetSource || own_[k].MPI_ERROR != kUntouched; }
  // Whether the library says that the operation at `k` is neither over nor failed.
  bool pends(int k) noexcept { return own_[k].MPI_ERROR == MPI_ERR_PENDING; }
  const MPI_Status& operator[](int k) noexcept { return own_[k]; }
  // What the library says of the operation at `k`: in its status, or, if it is the only one, by what it returned.
  int error(int k, int code = MPI_SUCCESS) noexcept {
    return own_[k].MPI_ERROR != kUntouched && own_[k].MPI_ERROR != MPI_SUCCESS ? own_[k].MPI_ERROR : code;
  }
  // What it would have said (Pending::judge) of an operation that is over.
  int judge(int k, Pending* pending, int code = MPI_SUCCESS) noexcept {
    return pending == nullptr || error(k, code) != MPI_SUCCESS ? MPI_SUCCESS : pending->judge(own_[k]);
  }
  // The same of one among many, where the error is said in its status; the others' say that they have none.
  bool judge_among(int k, Pending* pending) noexcept {
    const int broken = judge(k, pending);
    if (broken == MPI_SUCCESS) return false;
    for (int other = 0; other < n_; ++other) {
      if (own_[other].MPI_ERROR == kUntouched) own_[other].MPI_ERROR = MPI_SUCCESS;
    }
    own_[k].MPI_ERROR = broken;
    return true;
  }
  // Gives the first `n` to the program as the library left them.
  void give(int n) noexcept {
    if (users_ == nullptr) return;
    for (int k = 0; k < n && k < n_; ++k) {
      MPI_Status given = own_[k];
      if (given.MPI_SOURCE == kUnsetSource) given.MPI_SOURCE = users_[k].MPI_SOURCE;
      if (given.MPI_ERROR == kUntouched) given.MPI_ERROR = users_[k].MPI_ERROR;
      users_[k] = given;
    }
  }

 private:
  static constexpr int kUntouched = -0x47415045;  // no error code
  int n_;
  MPI_Status* users_;
  Scratch<MPI_Status> own_;
};

// A flag or an index of the program's that the library sets, or leaves alone, because it failed: its return code does
// not say so where the program's error handler returns (MPICH). May be null: there is no such argument.
class Answer {
 public:
  explicit Answer(int* users) noexcept : users_(users) {
    if (users_ != nullptr) given_ = std::exchange(*users_, kUnset);
  }
  ~Answer() {
    if (users_ != nullptr && *users_ == kUnset) *users_ = given_;
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;
  // What the library said, or what is meant where it said nothing.
  int get(int silence) const noexcept { return users_ == nullptr || *users_ == kUnset ? silence : *users_; }

 private:
  static constexpr int kUnset = -0x47415055;  // no flag, no index, and not MPI_UNDEFINED
  int* users_;
  int given_ = 0;
};

// Counts a completing call: accelerated if it ended a staged operation.
inline void count_completion(Procedure procedure, bool ended) noexcept {
  if (!counting()) return;
  if (ended) return count_accelerated(procedure, 0);
  count_declined(procedure, Reason::kContiguous);
}

}  // namespace gapless::preload
