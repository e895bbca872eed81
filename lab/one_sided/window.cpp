// Rank 0 puts into, and gets from, the window of rank 1.
#include "../exchange/agree.hpp"
#include "operation.hpp"

#include <cstring>
#include <vector>

#include "move/move.hpp"

namespace gapless::lab::one_sided {
namespace {

constexpr int kOrigin = 0, kTarget = 1;

class WindowOperation final : public Operation {
 public:
  WindowOperation(const OperationSpec& spec, const Place& place) : spec_(spec), place_(place) {
    const MPI_Aint bytes = place.rank == kTarget ? place.remote_bytes : 0;
    if (spec.carrier == Carrier::kAllocatedWindow) {
      require(MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_), "MPI_Win_allocate");
    } else {
      own_.resize(static_cast<std::size_t>(bytes) + 1);
      memory_ = own_.data();
      require(MPI_Win_create(memory_, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_), "MPI_Win_create");
    }
    if (spec.epoch == Epoch::kFlush) MPI_Win_lock_all(0, window_);
  }
  ~WindowOperation() override {
    if (spec_.epoch == Epoch::kFlush) MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  WindowOperation(const WindowOperation&) = delete;
  WindowOperation& operator=(const WindowOperation&) = delete;

  void perform(const Call& call) override {
    if (spec_.epoch == Epoch::kFence) MPI_Win_fence(0, window_);
    if (place_.rank == kOrigin) transfer(call);
    if (spec_.epoch == Epoch::kFence) MPI_Win_fence(0, window_);
    if (place_.rank == kOrigin && !spec_.out && call.packed_by != nullptr)
      move::unpack_all(*call.packed_by, call.packed_count, place_.local, place_.staging);
  }
  void store(const char* image) override {
    if (!holds()) return;
    synchronise();
    std::memcpy(memory_, image, static_cast<std::size_t>(place_.remote_bytes));
    synchronise();
  }
  void load(char* image) override {
    if (!holds()) return;
    synchronise();
    std::memcpy(image, memory_, static_cast<std::size_t>(place_.remote_bytes));
  }
  bool holds() const override { return place_.rank == kTarget; }
  bool performs() const override { return place_.rank == kOrigin || spec_.epoch == Epoch::kFence; }

 private:
  // Private and public copies of the window, where a library has two.
  void synchronise() {
    if (spec_.epoch == Epoch::kFlush) MPI_Win_sync(window_);
  }
  void transfer(const Call& call) {
    char* local = call.packed_by != nullptr ? place_.staging : place_.local;
    if (spec_.out) {
      if (call.packed_by != nullptr) move::pack_all(*call.packed_by, call.packed_count, place_.local, local);
      MPI_Put(local, call.local.count, call.local.type, kTarget, 0, call.remote.count, call.remote.type, window_);
    } else {
      MPI_Get(local, call.local.count, call.local.type, kTarget, 0, call.remote.count, call.remote.type, window_);
    }
    if (spec_.epoch == Epoch::kFlush) MPI_Win_flush(kTarget, window_);
  }

  OperationSpec spec_;
  Place place_;
  std::vector<char> own_;
  char* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

}  // namespace

void require(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw exchange::Refused(std::string(what) + ": the MPI library says: " + text);
}

std::unique_ptr<Operation> make_window_operation(const OperationSpec& spec, const Place& place) {
  return std::make_unique<WindowOperation>(spec, place);
}

}  // namespace gapless::lab::one_sided
