#include "preload/paired/claims.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/immortal.hpp"
#include "mpi/abi/library.hpp"
#include "mpi/abi/status.hpp"
#include "preload/paired/acceptance.hpp"
#include "preload/policy/switches.hpp"

namespace gapless::preload {

std::atomic<bool> claiming_on{false};

namespace {

struct HandedOut {
  MPI_Message message;
  Claim claim;
};
struct Claims {
  std::recursive_mutex lock;
  std::vector<Claim> queue;  // in the order of the library's queues
  std::vector<HandedOut> handed_out;
  MPI_Comm self = MPI_COMM_NULL;  // this process alone: nobody else sends there
};
Claims& all() noexcept {
  return base::immortal<Claims>();
}

void set_claiming(bool on) noexcept {
  if (claiming_on.exchange(on, std::memory_order_acq_rel) == on) return;
  if (on) {
    require_slow_path(true);
    // A receive of another thread that has looked before must be posted before anything is claimed. MPI has no call
    // that waits for that; it takes a microsecond, if the thread runs.
    int level = MPI_THREAD_MULTIPLE;
    mpi::library.Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE) usleep(20'000);
  } else {
    release_slow_path();
  }
}

void rest_if_done() noexcept {
  if (all().queue.empty() && all().handed_out.empty() && !is_any_on_its_way()) set_claiming(false);
}

// Receives what may be a header, and looks.
bool open(Claim& claim) {
  auto bytes = std::make_unique<char[]>(wire::kHeaderBytes);
  MPI_Status status;
  if (mpi::library.Mrecv(bytes.get(), static_cast<int>(wire::kHeaderBytes), MPI_PACKED, &claim.message, &status) !=
      MPI_SUCCESS) {
    return false;
  }
  claim.message = MPI_MESSAGE_NULL;
  claim.paired = PairedReceive::recognise(bytes.get());
  if (claim.paired) {
    mpi::set_bytes(claim.status, claim.paired->bytes());
  } else {
    claim.data = std::move(bytes);
  }
  return true;
}

// Takes the first message of this envelope out of the library's queue. False if there is none.
bool match(int source, int tag, MPI_Comm comm, Claim& claim) noexcept {
  claim.comm = mpi::key_of(comm);
  int flag = 0;
  return mpi::library.Improbe(source, tag, comm, &flag, &claim.message, &claim.status) == MPI_SUCCESS && flag != 0;
}

// Claims the sender's next message on the communicator. False if there is none.
bool claim_next_of(int source, MPI_Comm comm) {
  all().queue.reserve(all().queue.size() + 1);
  Claim claim;
  if (!match(source, MPI_ANY_TAG, comm, claim)) return false;
  all().queue.push_back(std::move(claim));
  return true;
}

// The first claimed message that matches, as what it is; the queue's end if there is none.
std::vector<Claim>::iterator find_claim(int source, int tag, MPI_Comm comm) {
  std::vector<Claim>& queue = all().queue;
  const auto found =
      std::find_if(queue.begin(), queue.end(), [&](const Claim& claim) { return claim.matches(source, tag, comm); });
  if (found != queue.end() && found->may_be_header()) open(*found);
  return found;
}

// False of arguments that are an error, which is the library's to raise.
bool may_come(int source, int tag, MPI_Comm comm) noexcept {
  int is_inter = 0, size = 0;
  if (mpi::library.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS) return false;
  const int code = is_inter != 0 ? mpi::library.Comm_remote_size(comm, &size) : mpi::library.Comm_size(comm, &size);
  if (code != MPI_SUCCESS) return false;
  return (source == MPI_ANY_SOURCE || (source >= 0 && source < size)) && (tag == MPI_ANY_TAG || is_tag(tag));
}

bool has_self() noexcept {
  MPI_Comm& self = all().self;
  return self != MPI_COMM_NULL || mpi::library.Comm_split(MPI_COMM_SELF, 0, 0, &self) == MPI_SUCCESS;
}

// An empty message to itself: its receiver-side handle is made by `receive(self)`.
template <class Receive>
bool with_empty_message(Receive&& receive) noexcept {
  if (!has_self()) return false;
  const MPI_Comm self = all().self;
  MPI_Request sent = MPI_REQUEST_NULL;
  if (mpi::library.Isend(nullptr, 0, MPI_PACKED, 0, 0, self, &sent) != MPI_SUCCESS) return false;
  const bool received = receive(self);
  if (sent != MPI_REQUEST_NULL) mpi::library.Request_free(&sent);
  return received;
}

}  // namespace

bool Claim::matches(int source, int tag, MPI_Comm of) const noexcept {
  return comm == mpi::key_of(of) && (source == MPI_ANY_SOURCE || source == status.MPI_SOURCE) &&
         (tag == MPI_ANY_TAG || tag == status.MPI_TAG);
}

bool Claim::may_be_header() const noexcept {
  return is_of_library() && mpi::received_bytes(status) == wire::kHeaderBytes;
}

std::recursive_mutex& claims_lock() noexcept {
  return all().lock;
}

std::optional<Claim> take_claim(int source, int tag, MPI_Comm comm) {
  const std::lock_guard lock(all().lock);
  const auto found = find_claim(source, tag, comm);
  if (found == all().queue.end()) return std::nullopt;
  std::optional<Claim> taken = std::move(*found);
  all().queue.erase(found);
  rest_if_done();
  return taken;
}

Probed probe_claims(int source, int tag, MPI_Comm comm, MPI_Status& status, std::optional<Claim>* taken) {
  refuse(Refusal::kProbes);
  if (!claiming() && !is_any_on_its_way()) return Probed::kAskLibrary;
  if (!may_come(source, tag, comm)) return Probed::kAskLibrary;
  // Before it is on: a thread that probes next may claim nothing until those that have looked before have posted.
  const std::lock_guard lock(all().lock);
  set_claiming(true);
  for (;;) {
    // Asked before the queues are looked through: what is not on its way now is no header.
    const bool may_be_headers = is_any_on_its_way();
    if (const auto found = find_claim(source, tag, comm); found != all().queue.end()) {
      status = found->status;
      if (taken != nullptr) *taken = take_claim(source, tag, comm);
      return Probed::kFound;
    }
    if (!may_be_headers) {
      rest_if_done();
      return Probed::kAskLibrary;
    }
    int flag = 0;
    if (mpi::library.Iprobe(source, tag, comm, &flag, &status) != MPI_SUCCESS) return Probed::kAskLibrary;
    if (flag == 0) return Probed::kNothing;
    if (mpi::received_bytes(status) == wire::kHeaderBytes) {
      if (!claim_next_of(status.MPI_SOURCE, comm)) return Probed::kNothing;
      continue;
    }
    if (taken == nullptr) return Probed::kFound;
    Claim claim;
    if (!match(status.MPI_SOURCE, status.MPI_TAG, comm, claim)) return Probed::kNothing;
    // Where another thread has received what was seen, this is its successor.
    if (claim.may_be_header()) open(claim);
    status = claim.status;
    *taken = std::move(claim);
    return Probed::kFound;
  }
}

bool hand_out(Claim&& claim, MPI_Message& message) {
  if (claim.is_of_library()) {
    message = claim.message;
    return true;
  }
  const std::lock_guard lock(all().lock);
  all().handed_out.reserve(all().handed_out.size() + 1);
  MPI_Message made = MPI_MESSAGE_NULL;
  const bool works = with_empty_message([&](MPI_Comm self) {
    int flag = 0;
    while (flag == 0) {
      if (mpi::library.Improbe(0, 0, self, &flag, &made, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    }
    return true;
  });
  if (!works) return false;
  set_claiming(true);
  all().handed_out.push_back({made, std::move(claim)});
  message = made;
  return true;
}

std::optional<Claim> take_handed_out(MPI_Message* message) {
  if (message == nullptr) return std::nullopt;
  const std::lock_guard lock(all().lock);
  const auto found = std::find_if(all().handed_out.begin(), all().handed_out.end(),
                                  [&](const HandedOut& one) { return one.message == *message; });
  if (found == all().handed_out.end()) return std::nullopt;
  std::optional<Claim> taken = std::move(found->claim);
  all().handed_out.erase(found);
  mpi::library.Mrecv(nullptr, 0, MPI_PACKED, message, MPI_STATUS_IGNORE);
  rest_if_done();
  return taken;
}

MPI_Request completed_request() noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  const std::lock_guard lock(all().lock);
  with_empty_message(
      [&](MPI_Comm self) { return mpi::library.Irecv(nullptr, 0, MPI_PACKED, 0, 0, self, &request) == MPI_SUCCESS; });
  return request;
}

bool send_to_self(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in, MPI_Count in_count,
                  MPI_Datatype in_type) noexcept {
  constexpr int kTag = 1;
  // One thread at a time, for the messages look alike.
  const std::lock_guard lock(all().lock);
  if (!has_self()) return false;
  const MPI_Comm self = all().self;
  if (mpi::library.Sendrecv_c != nullptr) {
    return mpi::library.Sendrecv_c(out, out_count, out_type, 0, kTag, in, in_count, in_type, 0, kTag, self,
                                   MPI_STATUS_IGNORE) == MPI_SUCCESS;
  }
  return mpi::library.Sendrecv(out, static_cast<int>(out_count), out_type, 0, kTag, in, static_cast<int>(in_count),
                               in_type, 0, kTag, self, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void end_claims() noexcept {
  const std::lock_guard lock(all().lock);
  all().queue.clear();
  all().handed_out.clear();
  if (all().self != MPI_COMM_NULL) mpi::library.Comm_free(&all().self);
  set_claiming(false);
}

}  // namespace gapless::preload
