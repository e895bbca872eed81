// What the procedures that take requests need around the library's call: the entries of those requests, held before it,
// and what the library sets in an argument of the program's.
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

// The entries of a list of requests, each at its index, held until complete() or the destructor. Of those that another
// call is completing (Requests::Held) it only sees to it that their data are delivered.
class HeldEntries {
 public:
  using Use = Requests::Use;
  HeldEntries(Use use, int n, const MPI_Request* list)
      : use_(use), n_(list == nullptr || n < 0 ? 0 : n), list_(list), entries_(static_cast<std::size_t>(n_)) {
    for (int k = 0; k < n_; ++k) {
      entries_[k] = requests.may_have(list[k]) ? requests.hold_for(use, list[k]) : Requests::Held{};
      if (entries_[k].entry != nullptr) ++(entries_[k].is_others ? others_ : count_);
    }
  }
  ~HeldEntries() { let_go(); }
  // Before an error handler is called, which may complete the others.
  void let_go() noexcept {
    for (int k = 0; k < n_ && count_ + others_ > 0; ++k) {
      RequestEntry* const entry = std::exchange(entries_[k].entry, nullptr);
      if (entry == nullptr) continue;
      if (!entries_[k].is_others) {
        --count_;
        requests.give_back(use_, entry);
        continue;
      }
      --others_;
      if (list_[k] == MPI_REQUEST_NULL && !entry->persistent) entry->deliver(MPI_Status{});
      requests.release(entry);
    }
  }
  HeldEntries(const HeldEntries&) = delete;
  HeldEntries& operator=(const HeldEntries&) = delete;

  bool any() const noexcept { return count_ != 0; }
  RequestEntry* operator[](int k) noexcept {
    return k >= 0 && k < n_ && !entries_[k].is_others ? entries_[k].entry : nullptr;
  }
  // Completes the operation at this index, which has an entry; the entry of a persistent one stays in the table.
  Outcome complete(int k, MPI_Status& status, int error) noexcept {
    RequestEntry* const entry = entries_[k].entry;
    const Outcome outcome = entry->complete(status, error);
    if (entry->persistent) return outcome;
    requests.finish(entry);
    entries_[k].entry = nullptr;
    --count_;
    return outcome;
  }

 private:
  const Use use_;
  const int n_;
  const MPI_Request* const list_;
  int count_ = 0, others_ = 0;
  Scratch<Requests::Held> entries_;
};

// What a call returns whose body throws std::bad_alloc before anything has been done: of more requests than Scratch has
// room for. The program may call again.
template <class Body>
int or_no_memory(Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return raise_error(MPI_ERR_NO_MEM, MPI_COMM_NULL);
  }
}

// A flag, index or count of the program's. The library writes its own value, so that the program's other threads see it
// only once the data are delivered; it writes none if it fails: the return code does not tell that where the program's
// error handler returns (MPICH). May be null: there is no such argument.
class OutputArgument {
 public:
  explicit OutputArgument(int* users) noexcept : users_(users) {}
  int* get() noexcept { return users_ == nullptr ? nullptr : &own_; }
  // What the library set, or `unset` if it set nothing.
  int value_or(int unset) const noexcept { return own_ == kUnset ? unset : own_; }
  // Replaces what the library set.
  void set(int value) noexcept { own_ = value; }
  void give() const noexcept {
    if (users_ != nullptr && own_ != kUnset) *users_ = own_;
  }

 private:
  static constexpr int kUnset = -0x47415055;  // no flag, index or count, and not MPI_UNDEFINED
  int* users_;
  int own_ = kUnset;
};

// Counts a completing call: as accelerated if it completed a staged operation.
inline void count_completion(Procedure procedure, bool ended) noexcept {
  if (!counting()) return;
  if (ended) return count_accelerated(procedure, 0);
  count_declined(procedure, Reason::kContiguous);
}

}  // namespace gapless::preload
