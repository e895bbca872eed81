#include "preload/paired/acceptance.hpp"

#include <mutex>

#include "mpi/staging/host_memory.hpp"
#include "preload/paired/callers.hpp"
#include "preload/policy/shared_memory.hpp"
#include "preload/policy/switches.hpp"

namespace gapless::preload {

std::atomic<bool> headers_may_come_here{false}, headers_may_go_from_here{false};

namespace {

std::mutex deciding;  // never held across an MPI call
std::uint32_t refusals = 0;
std::atomic<std::uint32_t> refusals_told{0};  // the same, once the others can see it
std::int64_t unchecked = 0;
bool has_ended = false;
bool declined_off = false;                 // while the layer is switched off
std::atomic<bool> is_declined_off{false};  // the same, to be read without the lock
std::atomic<std::uint64_t> arrived{0};

std::atomic<int> largest_tag{32767};  // what every library has

void read_largest_tag() noexcept {
  int* value = nullptr;
  int is_there = 0;
  if (mpi::library.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_there) == MPI_SUCCESS && is_there != 0)
    largest_tag.store(*value, std::memory_order_relaxed);
}

void tell() noexcept {
  SharedMemory* const shared = shared_memory();
  if (shared != nullptr) shared->segment.accept(headers_may_come() && refusals == 0 && !declined_off && !has_ended);
}

void set_declined_off(bool on) noexcept {
  declined_off = on;
  is_declined_off.store(on, std::memory_order_relaxed);
  tell();
}

}  // namespace

void begin_acceptance() noexcept {
  if (!are_messages_wanted()) return;
  find_library_code();
  read_largest_tag();
  headers_may_go_from_here.store(shared_memory() != nullptr, std::memory_order_relaxed);
  // Memory of accelerators would have to be read and written by the library; and completing calls must all be seen.
  if (shared_memory() == nullptr || mpi::has_gpu_runtime() || receives_stay_native) return;
  // For receives of types that are not decoded (MessageBuffer::take_offered), which may have no memory for it.
  mpi::find_type(MPI_BYTE, true);
  const std::lock_guard lock(deciding);
  headers_may_come_here.store(true, std::memory_order_relaxed);
  tell();
}

void end_acceptance() noexcept {
  const std::lock_guard lock(deciding);
  headers_may_go_from_here.store(false, std::memory_order_relaxed);
  has_ended = true;
  tell();
}

void forget_acceptance() noexcept {
  headers_may_come_here.store(false, std::memory_order_relaxed);
}

void refuse(Refusal why) noexcept {
  if ((refusals_told.load(std::memory_order_acquire) & static_cast<std::uint32_t>(why)) != 0) return;
  const std::lock_guard lock(deciding);
  refusals |= static_cast<std::uint32_t>(why);
  tell();
  refusals_told.store(refusals, std::memory_order_release);
}

bool is_tag(int tag) noexcept {
  return tag >= 0 && tag <= largest_tag.load(std::memory_order_relaxed);
}

bool is_any_on_its_way() noexcept {
  SharedMemory* const shared = shared_memory();
  // In this order: what comes in between, and is seen by another thread, must not hide what has not been seen.
  const std::uint64_t seen = arrived.load(std::memory_order_acquire);
  return shared != nullptr && shared->segment.announced_here() != seen;
}

void count_arrival() noexcept {
  arrived.fetch_add(1, std::memory_order_release);
}

bool Unchecked::hold() noexcept {
  const std::lock_guard lock(deciding);
  if (!declined_off) set_declined_off(true);
  if (is_any_on_its_way()) return false;
  ++unchecked;
  held_ = true;
  return true;
}

void Unchecked::release() noexcept {
  if (!held_) return;
  const std::lock_guard lock(deciding);
  --unchecked;
  held_ = false;
}

void accept_again() noexcept {
  if (!is_declined_off.load(std::memory_order_relaxed)) [[likely]]
    return;
  const std::lock_guard lock(deciding);
  if (unchecked == 0) set_declined_off(false);
}

}  // namespace gapless::preload
