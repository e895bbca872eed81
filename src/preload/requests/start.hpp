// The start of a nonblocking operation, or the making of a persistent request: allocates the entry before the library's
// call, and fills it afterwards.
#pragma once

#include <utility>

#include "preload/requests/own_request.hpp"
#include "preload/requests/requests.hpp"

namespace gapless::preload {

// Make it after the paths of the messages are chosen and before any byte moves; a message for which there is no entry
// stays native. Without a staged message the library sets the program's request, and there is no entry.
class Start {
 public:
  // A persistent operation is started by MPI_Start, as often as the program likes, and its request stays.
  enum class Lasts { kOnce, kPersistent };
  Start(Procedure procedure, MPI_Request* users, MessageBuffer* received, MessageBuffer* sent,
        Lasts lasts = Lasts::kOnce) noexcept
      : users_(users), received_(received), sent_(sent) {
    const bool persistent = lasts == Lasts::kPersistent;
    if (!staged(received) && !staged(sent)) return;
    if (receives_stay_native || completion_looked_up()) {
      if (staged(received)) received->stay_without_entry(Reason::kCompletion);
      if (persistent && staged(sent)) sent->stay_native(Reason::kCompletion);
      if (!staged(received) && !staged(sent)) return;
    }
    entry_ = users == nullptr ? nullptr : requests.make(procedure);
    if (entry_ != nullptr) {
      if (persistent) entry_->make_persistent();
      return;
    }
    for (MessageBuffer* data : {received, sent}) {
      if (staged(data)) data->stay_without_entry(users == nullptr ? Reason::kArguments : Reason::kStaging);
    }
  }

  // Each partition is packed and unpacked by itself.
  void divide(std::unique_ptr<Partitions> partitions) noexcept {
    if (entry_ != nullptr) entry_->partitions = std::move(partitions);
  }

  // The request for the library to set.
  MPI_Request* request() noexcept { return entry_ == nullptr ? users_ : &made_; }

  // The communicator whose error handler the completion of a receive calls.
  void raises_on(MPI_Comm comm) noexcept {
    if (entry_ != nullptr) entry_->comm = comm;
  }
  // Of a persistent receive: what it matches.
  void matches(int source, int tag) noexcept {
    if (entry_ == nullptr) return;
    entry_->source = source;
    entry_->tag = tag;
  }

  // The status will not tell how much was received.
  void unpack_whole() noexcept {
    if (entry_ != nullptr) entry_->whole = true;
  }

  // After the call, of a message that is offered until its operation completes: the program gets a request of its own,
  // for the library may share one among all sends that have completed, and that of the header stands in. False: there
  // is none.
  bool take_from_library() noexcept {
    if (entry_ == nullptr || made_ == MPI_REQUEST_NULL) return false;
    const MPI_Request own = own_request();
    if (own == MPI_REQUEST_NULL) return false;
    entry_->stand_in = made_;
    made_ = own;
    return true;
  }

  // After the call; `code`: its return code, which does not tell if the operation started (where the program's error
  // handler returns, MPICH returns MPI_SUCCESS); the request does.
  int end(int code) noexcept {
    if (entry_ == nullptr) return code;
    if (made_ == MPI_REQUEST_NULL) {
      if (staged(sent_)) sent_->withdraw();
      requests.drop(entry_);
      return code;
    }
    if (staged(received_)) {
      entry_->receives = true;
      entry_->received = std::move(*received_);
    }
    if (staged(sent_)) entry_->sent = std::move(*sent_);
    requests.add(made_, entry_);
    *users_ = made_;
    return code;
  }

 private:
  static bool staged(const MessageBuffer* data) noexcept { return data != nullptr && data->has_end(); }
  MPI_Request* users_;
  MessageBuffer* received_;
  MessageBuffer* sent_;
  RequestEntry* entry_ = nullptr;
  MPI_Request made_ = MPI_REQUEST_NULL;
};

}  // namespace gapless::preload
