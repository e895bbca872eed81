#include "ext/private_comm.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/immortal.hpp"
#include "ext/error.hpp"
#include "mpi/types/datatype.hpp"

namespace gapless::ext {

namespace {

struct Registry {
  std::mutex mutex;
  std::atomic<int> keyval{MPI_KEYVAL_INVALID};
  bool is_over = false;  // MPI_Finalize has begun: nothing more is made
  std::vector<std::weak_ptr<PrivateComm>> all;
};
Registry& registry() {
  return base::immortal<Registry>();
}

// MPI_Comm_dup of the program's communicator: the copy gets one of its own when it needs one.
int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int drop(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<PrivateCommPtr> held(static_cast<PrivateCommPtr*>(value));
  (*held)->forget_program();
  return MPI_SUCCESS;
}

// With the lock held.
int make_keyval() {
  if (registry().keyval != MPI_KEYVAL_INVALID) return MPI_SUCCESS;
  int keyval = MPI_KEYVAL_INVALID;
  const int code = MPI_Comm_create_keyval(copy_nothing, drop, &keyval, nullptr);
  if (code == MPI_SUCCESS) registry().keyval = keyval;
  return code;
}

void remember(const PrivateCommPtr& made) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().all, [](const auto& one) { return one.expired(); });
  registry().all.push_back(made);
}

// Not MPI_Comm_dup, which would call the program's functions for copying its attributes.
int make(MPI_Comm comm, PrivateCommPtr& found) {
  int rank = 0, size = 0, keyval = MPI_KEYVAL_INVALID;
  bool is_over = false;
  {
    const std::lock_guard lock(registry().mutex);
    is_over = registry().is_over;
    if (!is_over)
      if (const int code = make_keyval(); code != MPI_SUCCESS) return code;
    keyval = registry().keyval;
  }
  if (is_over) return raise(MPI_ERR_OTHER, comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm own = MPI_COMM_NULL;
  // A library may say MPI_SUCCESS after an error that the program's handler has come back from.
  const int split = MPI_Comm_split(comm, 0, rank, &own);
  if (split != MPI_SUCCESS || own == MPI_COMM_NULL) return split != MPI_SUCCESS ? split : MPI_ERR_OTHER;
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  auto made = std::make_shared<PrivateComm>(comm, own, rank, size);
  remember(made);
  auto attribute = std::make_unique<PrivateCommPtr>(made);
  if (const int code = MPI_Comm_set_attr(comm, keyval, attribute.get()); code != MPI_SUCCESS) return code;
  found = *attribute.release();  // drop() deletes it
  return MPI_SUCCESS;
}

// MPI_SUCCESS and the attribute, null if there is none; or the code of an error that the library has raised.
int look_up(MPI_Comm comm, PrivateCommPtr*& held) noexcept {
  const int keyval = registry().keyval.load(std::memory_order_relaxed);
  if (comm == MPI_COMM_NULL || keyval == MPI_KEYVAL_INVALID) return MPI_SUCCESS;
  void* attribute = nullptr;
  int is_set = 0;
  const int code = MPI_Comm_get_attr(comm, keyval, static_cast<void*>(&attribute), &is_set);
  if (code == MPI_SUCCESS && is_set != 0) held = static_cast<PrivateCommPtr*>(attribute);
  return code;
}

}  // namespace

PrivateComm::~PrivateComm() {
  free();
}

void PrivateComm::free() noexcept {
  kept.reset();
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  comm_ = MPI_COMM_NULL;
}

void end_private_comms() noexcept {
  std::vector<std::weak_ptr<PrivateComm>> all;
  {
    const std::lock_guard lock(registry().mutex);
    all.swap(registry().all);
    registry().is_over = true;
    // Attributes stay until their communicators go, but nobody finds them any more.
    int keyval = registry().keyval.exchange(MPI_KEYVAL_INVALID);
    if (keyval != MPI_KEYVAL_INVALID) MPI_Comm_free_keyval(&keyval);
  }
  constexpr int kUnused = 2;  // the attribute and we
  for (const auto& one : all)
    if (const PrivateCommPtr alive = one.lock(); alive != nullptr)
      if (mpi::is_last_epoch() || alive.use_count() <= kUnused) alive->free();
}

int known_private_comm(MPI_Comm comm, PrivateComm*& found) noexcept {
  PrivateCommPtr* held = nullptr;
  const int code = look_up(comm, held);
  found = held != nullptr ? held->get() : nullptr;
  return code;
}

int count_private_comms() noexcept {
  const std::lock_guard lock(registry().mutex);
  return static_cast<int>(
      std::count_if(registry().all.begin(), registry().all.end(), [](const auto& one) { return !one.expired(); }));
}

int private_comm(MPI_Comm comm, PrivateCommPtr& found) {
  if (comm == MPI_COMM_NULL) return raise(MPI_ERR_COMM);
  PrivateCommPtr* held = nullptr;
  if (const int code = look_up(comm, held); code != MPI_SUCCESS) return code;
  if (held != nullptr) {
    found = *held;
    return MPI_SUCCESS;
  }
  int is_inter = 0;
  if (const int code = MPI_Comm_test_inter(comm, &is_inter); code != MPI_SUCCESS) return code;
  if (is_inter != 0) return raise(MPI_ERR_COMM, comm);
  return make(comm, found);
}

}  // namespace gapless::ext
