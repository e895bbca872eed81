// The requests of a completing call as the library gets them.
#pragma once

#include <algorithm>

#include "preload/requests/held_entries.hpp"

namespace gapless::preload {

// A receive whose header has come may wait for its sender only in a call that waits. A call that waits for one of
// several, some of them not the library's alone, tests again and again, and counts once.
enum class Manner { kWaits, kTests, kTestsAgain };

// The requests that the library gets. A call that tests gets none that have not completed for the program: the library,
// which has brought the header, would free them. Some have another one in their place (RequestEntry::stand_in), or
// nothing: the library knows nothing of their messages (RequestEntry::own).
class ReadyRequests {
 public:
  // `is_named`: the call names those that have completed, and so none of which the library knows nothing.
  ReadyRequests(Manner manner, bool is_named, int n, MPI_Request* list, HeldEntries& held)
      : n_(n), list_(list), given_(size(n)), parts_(size(n)) {
    for (int k = 0; k < n; ++k) {
      parts_[k] = part_of(manner, is_named, list[k], held[k]);
      given_[k] = parts_[k] == Part::kItself    ? list[k]
                  : parts_[k] == Part::kStandIn ? held[k]->stand_in
                                                : MPI_REQUEST_NULL;
      leaves_out_ = leaves_out_ || parts_[k] == Part::kLeftOut;
      differs_ = differs_ || given_[k] != list[k];
    }
  }
  bool leaves_out() const noexcept { return leaves_out_; }
  bool differs() const noexcept { return differs_; }
  bool is_own(int k) noexcept { return parts_[k] == Part::kOwn; }
  MPI_Request* get() noexcept { return given_.data(); }
  // After the call, those that it has changed.
  void give(HeldEntries& held) noexcept {
    for (int k = 0; k < n_; ++k) {
      if (parts_[k] == Part::kItself) list_[k] = given_[k];
      if (parts_[k] != Part::kStandIn) continue;
      held[k]->stand_in = given_[k];
      // The program's own is a request that has completed (own_request.hpp).
      if (given_[k] == MPI_REQUEST_NULL && !held[k]->persistent) mpi::library.Wait(list_ + k, MPI_STATUS_IGNORE);
    }
  }

 private:
  enum class Part { kItself, kStandIn, kLeftOut, kOwn };
  static Part part_of(Manner manner, bool is_named, MPI_Request request, RequestEntry* entry) {
    if (entry == nullptr) return Part::kItself;
    if (manner == Manner::kWaits && !is_named) entry->finish_own();
    if (const RequestEntry::Own own = entry->own(); own != RequestEntry::Own::kNone) {
      return own == RequestEntry::Own::kDone && !is_named ? Part::kOwn : Part::kLeftOut;
    }
    const bool stands_in = entry->stand_in != MPI_REQUEST_NULL;
    if (manner != Manner::kWaits && !entry->poll(stands_in ? entry->stand_in : request)) return Part::kLeftOut;
    return stands_in ? Part::kStandIn : Part::kItself;
  }
  static std::size_t size(int n) noexcept { return static_cast<std::size_t>(std::max(n, 0)); }
  int n_;
  MPI_Request* list_;
  Scratch<MPI_Request> given_;
  Scratch<Part> parts_;
  bool leaves_out_ = false, differs_ = false;
};

}  // namespace gapless::preload
