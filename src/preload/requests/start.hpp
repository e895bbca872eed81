// The start of a nonblocking call, or the making of a persistent request: what must be there before it, and what is
// kept after it.
#pragma once

#include <utility>

#include "preload/requests/requests.hpp"

namespace gapless::preload {

// Made after the sides have been chosen and before any byte moves; a side that cannot be kept stays native. Without a
// staged side the call works on the program's own request, and nothing is kept.
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
      if (staged(received)) received->stay_native(Reason::kCompletion);
      if (persistent && staged(sent)) sent->stay_native(Reason::kCompletion);
      if (!staged(received) && !staged(sent)) return;
    }
    pending_ = users == nullptr ? nullptr : requests.make(procedure);
    if (pending_ != nullptr) {
      pending_->persistent = persistent;
      return;
    }
    for (MessageBuffer* data : {received, sent}) {
      if (staged(data)) data->stay_native(users == nullptr ? Reason::kArguments : Reason::kStaging);
    }
  }

  // Each partition is packed and unpacked by itself.
  void divide(std::unique_ptr<Partitions> partitions) noexcept {
    if (pending_ != nullptr) pending_->partitions = std::move(partitions);
  }

  // For the library to set.
  MPI_Request* request() noexcept { return pending_ == nullptr ? users_ : &made_; }

  // Whose error handler the completion of a receive calls.
  void raises_on(MPI_Comm comm) noexcept {
    if (pending_ != nullptr) pending_->comm = comm;
  }

  // The status will not say how much was received.
  void unpack_whole() noexcept {
    if (pending_ != nullptr) pending_->whole = true;
  }

  // After the call, with what it returned. The return code does not say whether the operation started (where the
  // program's error handler returns, MPICH returns MPI_SUCCESS); the request does.
  int end(int code) noexcept {
    if (pending_ == nullptr) return code;
    if (made_ == MPI_REQUEST_NULL) {
      requests.drop(pending_);
      return code;
    }
    if (staged(received_)) {
      pending_->receives = true;
      pending_->received = std::move(*received_);
    }
    if (staged(sent_)) pending_->sent = std::move(*sent_);
    requests.add(made_, pending_);
    *users_ = made_;
    return code;
  }

 private:
  static bool staged(const MessageBuffer* data) noexcept { return data != nullptr && data->path() == Path::kPack; }
  MPI_Request* users_;
  MessageBuffer* received_;
  MessageBuffer* sent_;
  Pending* pending_ = nullptr;
  MPI_Request made_ = MPI_REQUEST_NULL;
};

}  // namespace gapless::preload
