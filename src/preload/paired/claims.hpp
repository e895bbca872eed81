// Messages that were taken out of the library's queues before the program received them, because it asks for the sizes
// of messages while some of them are headers (MPI_Probe and kin).
//
// A process that probes takes no paired messages from its first probe on (acceptance.hpp). Some may be on their way
// then; as long as they are, a probe that finds what may be a header, by its length, claims it, and whatever the same
// sender has sent before it on the communicator: MPI keeps the order of messages of one sender, so nothing may be
// claimed past another one. Receives look among the claimed messages first, for these came before all of that sender's
// that are still in the queue. Nothing else is claimed: libraries send messages of their own on the program's
// communicators, and receive them without asking here (Open MPI 5 in MPI_Intercomm_create, with the program's tag).
//
// While this lasts, receives are posted under the lock under which messages are claimed, so that none is claimed that a
// receive of another thread is about to match.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "mpi/abi/abi.hpp"
#include "preload/paired/receiver.hpp"

namespace gapless::preload {

struct Claim {
  std::uint64_t comm = 0;
  MPI_Status status{};  // the program's
  // One of these: the library's message, one through shared memory, or wire::kHeaderBytes bytes that are no header.
  // Which of them one of so many bytes is, is seen when it is asked for: a synchronous send completes when that is
  // received.
  MPI_Message message = MPI_MESSAGE_NULL;
  std::optional<PairedReceive> paired;
  std::unique_ptr<char[]> data;

  bool is_of_library() const noexcept { return message != MPI_MESSAGE_NULL; }
  bool may_be_header() const noexcept;
  bool matches(int source, int tag, MPI_Comm comm) const noexcept;
};

extern std::atomic<bool> claiming_on;
// True if there may be claimed messages: then all receives take the slow path, and come here.
inline bool claiming() noexcept {
  return claiming_on.load(std::memory_order_acquire);
}

// To be held over take_claim() and the post of a receive that no claimed message matches.
std::recursive_mutex& claims_lock() noexcept;
// Takes the first one that matches. May throw bad_alloc, as all of these.
std::optional<Claim> take_claim(int source, int tag, MPI_Comm comm);

// For a probe.
enum class Probed {
  kFound,       // `status` is set
  kNothing,     // no message has come, but one may be on its way that only a claim shows
  kAskLibrary,  // none of the library's messages is a header
};
// `taken`: of a matched probe, which gets the message that is found; or nullptr.
Probed probe_claims(int source, int tag, MPI_Comm comm, MPI_Status& status, std::optional<Claim>* taken);

// A message that MPI_Mprobe gave to the program: a handle of the library's, of an empty message of this process to
// itself, stands for a claimed one that the library does not have any more. False: the library fails.
bool hand_out(Claim&& claim, MPI_Message& message);
// The claim for which it stands, if it is one.
std::optional<Claim> take_handed_out(MPI_Message* message);

// A request of the library's that has completed: an empty receive from this process. MPI_REQUEST_NULL: it fails.
MPI_Request completed_request() noexcept;

// Moves data from one buffer of this process to another, as the library does it. False: it fails.
bool send_to_self(const void* out, MPI_Count out_count, MPI_Datatype out_type, void* in, MPI_Count in_count,
                  MPI_Datatype in_type) noexcept;

// Before MPI is finalised.
void end_claims() noexcept;

}  // namespace gapless::preload
