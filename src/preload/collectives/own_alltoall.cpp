#include "preload/collectives/own_alltoall.hpp"

#include <mutex>
#include <utility>

#include "ext/library.hpp"
#include "ext/private_comm.hpp"
#include "ext/request.hpp"
#include "gapless/gapless_mpi.h"
#include "preload/collectives/refusal.hpp"
#include "preload/policy/agreement.hpp"
#include "preload/policy/own_comm.hpp"
#include "preload/policy/world.hpp"
#include "preload/stats/log.hpp"

namespace gapless::preload {

namespace {

// Of a block, as MPI counts them; -1 where the arguments are wrong, which is the library's to say. Equal on all members
// in a right program, so nothing about it may depend on what this process happens to know of the type.
std::int64_t bytes_of(const View& blocks) noexcept {
  if (blocks.count < 0 || blocks.type == MPI_DATATYPE_NULL) return -1;
  const mpi::Datatype* known = mpi::remembered_type(blocks.type);
  mpi::DatatypePtr found;
  if (known == nullptr) known = (found = mpi::find_type(blocks.type, true)).get();
  MPI_Count size = -1;
  if (known != nullptr && known->plan() != nullptr) {
    size = known->plan()->size();
  } else if ((known == nullptr && refuses_type(blocks.type)) ||
             mpi::library.Type_size_x(blocks.type, &size) != MPI_SUCCESS) {
    return -1;
  }
  std::int64_t bytes;
  return size < 0 || __builtin_mul_overflow(size, blocks.count, &bytes) ? -1 : bytes;
}

// Of a block of both sides; 0 if there is nothing to send, or anything wrong.
std::int64_t block_bytes(const View& out, const View& in) noexcept {
  const std::int64_t bytes = bytes_of(in);
  if (bytes <= 0 || out.buffer == MPI_IN_PLACE) return bytes < 0 ? 0 : bytes;
  return bytes_of(out) == bytes && !is_refused(out, in, 0, bytes) ? bytes : 0;
}

void count(const Call& call, std::int64_t bytes, const char* algorithm) noexcept {
  if (logging()) log_own_alltoall(call.procedure, bytes, algorithm);
  if (tallying()) count_accelerated(call.procedure, bytes);
}

// A persistent one. Its messages are all on their way when it has been started, so it completes whatever else the
// program waits for. Several threads may ask whether it has.
class OwnPersistent final : public CollectiveData {
 public:
  explicit OwnPersistent(GAPLESS_Request request) noexcept : request_(request) {
    own_operations.fetch_add(1, std::memory_order_relaxed);
  }
  // Types and memory of a request that the program leaves behind are left, too.
  ~OwnPersistent() override {
    own_operations.fetch_sub(1, std::memory_order_relaxed);
    if (world_is_up()) delete request_;
  }
  OwnPersistent(const OwnPersistent&) = delete;
  OwnPersistent& operator=(const OwnPersistent&) = delete;

  void pack() noexcept override {
    is_on_its_way_ = !request_->comm->is_freed();  // MPI_Finalize has begun
    error_ = is_on_its_way_ ? request_->start() : MPI_ERR_OTHER;
  }
  void unpack() noexcept override {}
  std::int64_t sent_bytes() const noexcept override { return 0; }
  bool is_own() const noexcept override { return true; }
  bool is_done() noexcept override {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    if (is_on_its_way_ && request_->try_end(error_)) is_on_its_way_ = false;
    return !is_on_its_way_;
  }
  void finish() noexcept override {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_on_its_way_, false)) return;
    const int code = request_->wait();
    if (error_ == MPI_SUCCESS) error_ = code;
  }
  int failure() const noexcept override { return error_; }

 private:
  const GAPLESS_Request request_;
  std::mutex mutex_;
  bool is_on_its_way_ = false;
  int error_ = MPI_SUCCESS;
};

// The program's request: one of the library's own, which is never started. (A receive from MPI_PROC_NULL would do, but
// of Intel MPI 2021.19 a persistent collective operation that gets its handle after it does nothing.)
int keep(const Call& call, GAPLESS_Request made) noexcept {
  std::unique_ptr<CollectiveData> data(new (std::nothrow) OwnPersistent(made));
  RequestEntry* const entry = data == nullptr ? nullptr : requests.make(call.procedure);
  MPI_Request handle = MPI_REQUEST_NULL;
  int code = MPI_ERR_NO_MEM;
  if (entry != nullptr) {
    char nothing = 0;
    code = mpi::library.Recv_init(&nothing, 0, MPI_BYTE, 0, 0, ext::own_comm(), &handle);
  }
  if (handle != MPI_REQUEST_NULL) {
    entry->receives = entry->whole = true;
    entry->comm = call.comm;
    entry->make_persistent();
    entry->collective = std::move(data);
    requests.add(handle, entry);
    *call.request = handle;
    return MPI_SUCCESS;
  }
  if (entry != nullptr) requests.drop(entry);
  if (data == nullptr) delete made;
  return raise_error(code, call.comm);
}

bool may_be_own(Call& call) noexcept {
  return reason_not_to_convert(call) == Reason::kNone && call.members.own_alltoall != nullptr &&
         own_alltoall_switched_on();
}

// True if all members have room for one more communicator, beside this one; a library has some thousand. Collective
// when it is first asked of a communicator.
bool has_room(const Call& call) noexcept {
  constexpr int kMostComms = 256;
  std::optional<bool>& known = call.members.own_alltoall->has_room;
  if (!known) {
    const int lacks = ext::count_private_comms() < kMostComms ? 0 : 1;
    int any_lacks = 1;
    mpi::library.Allreduce(&lacks, &any_lacks, 1, MPI_INT, MPI_MAX, call.comm);
    known = any_lacks == 0;
  }
  return *known;
}

// Every process can stage the blocks: what is sent, what is received and what waits.
bool fits(const Call& call, std::int64_t block_bytes) noexcept {
  return may_be_staged(both_ways(block_bytes, call.members.size));
}

}  // namespace

bool run_own_alltoall(const Call& call, const View& out, const View& in, int& code) noexcept try {
  OwnAllToAll* const own = call.members.own_alltoall;
  if (own == nullptr || !own_alltoall_switched_on()) return false;
  const alltoall::Range range = own->of_calls(out.buffer == MPI_IN_PLACE);
  if (range.is_empty()) return false;
  const std::int64_t bytes = block_bytes(out, in);
  if (bytes == 0 || !range.has(bytes) || !fits(call, bytes) || !has_room(call)) return false;
  constexpr const char* kAlgorithm = "least-slots";
  count(call, bytes * call.members.size, kAlgorithm);
  code = GAPLESS_Alltoall(out.buffer, out.count, out.type, const_cast<void*>(in.buffer), in.count, in.type, call.comm,
                          kAlgorithm);
  return true;
} catch (...) {
  code = raise_error(MPI_ERR_NO_MEM, call.comm);
  return true;
}

bool make_own_alltoall(Call& call, const View& out, const View& in, int& code) noexcept try {
  if (!may_be_own(call)) return false;
  const std::int64_t bytes = block_bytes(out, in);
  const bool is_in_place = out.buffer == MPI_IN_PLACE;
  if (bytes == 0 || !call.members.own_alltoall->of_persistent(is_in_place).has(bytes)) return false;
  if (!fits(call, bytes) || !has_room(call)) return false;
  const char* const algorithm = call.members.size <= 2 ? "least-slots" : "spread-out";
  count(call, bytes * call.members.size, algorithm);
  GAPLESS_Request made = GAPLESS_REQUEST_NULL;
  code = GAPLESS_Alltoall_init(out.buffer, out.count, out.type, const_cast<void*>(in.buffer), in.count, in.type,
                               call.comm, algorithm, &made);
  if (made != GAPLESS_REQUEST_NULL) code = keep(call, made);
  return true;
} catch (...) {
  code = raise_error(MPI_ERR_NO_MEM, call.comm);
  return true;
}

bool takes_own_alltoallv(Call& call) noexcept {
  return may_be_own(call) && call.members.own_alltoall->takes_persistent_v() && has_room(call);
}

int make_own_alltoallv(const Call& call, const LargeViews& out, const LargeViews& in) noexcept {
  constexpr const char* kAlgorithm = "spread-out";
  count(call, 0, kAlgorithm);
  GAPLESS_Request made = GAPLESS_REQUEST_NULL;
  const int code =
      GAPLESS_Alltoallv_init(out.buffer, out.counts, out.displacements, out.types, const_cast<void*>(in.buffer),
                             in.counts, in.displacements, in.types, call.comm, kAlgorithm, &made);
  return made != GAPLESS_REQUEST_NULL ? keep(call, made) : code;
}

}  // namespace gapless::preload
