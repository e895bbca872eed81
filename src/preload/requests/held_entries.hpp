// What the completing procedures need around the library's call: the entries of the program's requests, held before it,
// and statuses of our own, which tell what came.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "preload/requests/orphans.hpp"
#include "preload/requests/requests.hpp"

namespace gapless::preload {

// n objects of a trivial type: up to 16 on the stack, more on the heap.
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

// False if the table has none of these requests. Nearly always it is empty, and no request is looked at.
inline bool may_have_any(int n, const MPI_Request* list) noexcept {
  if (!requests.any() || list == nullptr) return false;
  for (int k = 0; k < n; ++k) {
    if (requests.may_have(list[k])) return true;
  }
  return false;
}
// True if a completing call goes to the library at once.
inline bool takes_fast_path(int n, const MPI_Request* list) noexcept {
  return !slow_path_required() && !may_have_any(n, list);
}

// The entries of a list of requests, each at its index, held until finish() or the destructor.
class HeldEntries {
 public:
  HeldEntries(int n, const MPI_Request* list)
      : n_(list == nullptr || n < 0 ? 0 : n), entries_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      entries_[k] = requests.may_have(list[k]) ? requests.hold(list[k]) : nullptr;
      if (entries_[k] != nullptr) ++count_;
    }
  }
  ~HeldEntries() {
    for (int k = 0; k < n_ && count_ > 0; ++k) {
      if (entries_[k] != nullptr) requests.release(entries_[k]);
    }
  }
  HeldEntries(const HeldEntries&) = delete;
  HeldEntries& operator=(const HeldEntries&) = delete;

  bool any() const noexcept { return count_ != 0; }
  RequestEntry* operator[](int k) noexcept { return k >= 0 && k < n_ ? entries_[k] : nullptr; }
  // True if the operation at this index has completed: its request is null now; for a persistent one, the library has
  // `reported` it by flag, index or status.
  bool ended(int k, const MPI_Request* list, bool reported) noexcept {
    RequestEntry* const entry = (*this)[k];
    if (entry == nullptr) return false;
    return entry->persistent ? reported && entry->is_active() : list[k] == MPI_REQUEST_NULL;
  }
  // The operation has completed with the library's `error`: delivers the data there are, and removes the entry. A
  // persistent one stays in the table.
  void finish(int k, const MPI_Status& status, int error) noexcept {
    RequestEntry* const entry = (*this)[k];
    if (entry == nullptr) return;
    const bool failed = error != MPI_SUCCESS && error != entry->broken;
    if (!failed || entry->has_data_after(error, status)) entry->deliver(status);
    if (entry->persistent) return failed ? entry->fail() : entry->end(status);
    requests.finish(entry);
    entries_[k] = nullptr;
    --count_;
  }

 private:
  int n_, count_ = 0;
  Scratch<RequestEntry*> entries_;
};

// Statuses for the library to set, in place of the program's, which may be ignored. They carry marks until the library
// sets them. Some procedures set MPI_ERROR for some requests only; the others' stays as it was.
class OwnStatuses {
 public:
  OwnStatuses(int n, MPI_Status* users, bool ignored)
      : n_(n < 0 ? 0 : n), users_(ignored ? nullptr : users), own_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      own_[k] = users_ == nullptr ? MPI_Status{} : users_[k];
      own_[k].MPI_SOURCE = kUnsetSource;
      own_[k].MPI_ERROR = kUnsetError;
    }
  }
  MPI_Status* get() noexcept { return own_.data(); }
  // True if the library has set the status at `k`. Not all set that of a send, or its MPI_ERROR (Intel MPI, MPICH).
  bool is_set(int k) noexcept { return own_[k].MPI_SOURCE != kUnsetSource || own_[k].MPI_ERROR != kUnsetError; }
  // True if the library reports the operation at `k` as neither completed nor failed.
  bool is_pending(int k) noexcept { return own_[k].MPI_ERROR == MPI_ERR_PENDING; }
  const MPI_Status& operator[](int k) noexcept { return own_[k]; }
  // The error of the operation at `k`: that of its status, or, for a single operation, the call's return code.
  int error(int k, int code = MPI_SUCCESS) noexcept {
    return own_[k].MPI_ERROR != kUnsetError && own_[k].MPI_ERROR != MPI_SUCCESS ? own_[k].MPI_ERROR : code;
  }
  // The error that it raises for the message of a completed operation (RequestEntry::judge).
  int judge(int k, RequestEntry* entry, int code = MPI_SUCCESS) noexcept {
    return entry == nullptr || error(k, code) != MPI_SUCCESS ? MPI_SUCCESS : entry->judge(own_[k]);
  }
  // The same for one of several, which puts the error into its status, and MPI_SUCCESS into those that have none.
  bool judge_among(int k, RequestEntry* entry) noexcept {
    const int broken = judge(k, entry);
    if (broken == MPI_SUCCESS) return false;
    for (int other = 0; other < n_; ++other) {
      if (own_[other].MPI_ERROR == kUnsetError) own_[other].MPI_ERROR = MPI_SUCCESS;
    }
    own_[k].MPI_ERROR = broken;
    return true;
  }
  // Copies the first `n` to the program's.
  void give(int n) noexcept {
    if (users_ == nullptr) return;
    for (int k = 0; k < n && k < n_; ++k) {
      MPI_Status given = own_[k];
      if (given.MPI_SOURCE == kUnsetSource) given.MPI_SOURCE = users_[k].MPI_SOURCE;
      if (given.MPI_ERROR == kUnsetError) given.MPI_ERROR = users_[k].MPI_ERROR;
      users_[k] = given;
    }
  }

 private:
  static constexpr int kUnsetError = -0x47415045;  // no error code
  int n_;
  MPI_Status* users_;
  Scratch<MPI_Status> own_;
};

// A flag or an index of the program's, which the library does not set if it fails: the return code does not tell that
// where the program's error handler returns (MPICH). May be null: there is no such argument.
class OutputArgument {
 public:
  explicit OutputArgument(int* users) noexcept : users_(users) {
    if (users_ != nullptr) given_ = std::exchange(*users_, kUnset);
  }
  ~OutputArgument() {
    if (users_ != nullptr && *users_ == kUnset) *users_ = given_;
  }
  OutputArgument(const OutputArgument&) = delete;
  OutputArgument& operator=(const OutputArgument&) = delete;
  // What the library set, or `unset` if it set nothing.
  int value_or(int unset) const noexcept { return users_ == nullptr || *users_ == kUnset ? unset : *users_; }

 private:
  static constexpr int kUnset = -0x47415055;  // no flag, no index, and not MPI_UNDEFINED
  int* users_;
  int given_ = 0;
};

// Counts a completing call: as accelerated if it completed a staged operation.
inline void count_completion(Procedure procedure, bool ended) noexcept {
  if (!counting()) return;
  if (ended) return count_accelerated(procedure, 0);
  count_declined(procedure, Reason::kContiguous);
}

}  // namespace gapless::preload
