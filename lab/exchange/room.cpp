#include "room.hpp"

#include "agree.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>

namespace gapless::lab::exchange {
namespace {

constexpr std::size_t kLine = 64;

bool is_one_node() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0, all = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  MPI_Comm_free(&node);
  return here == all;
}

// Where some ranks get no memory, all are refused.
void require(bool is_there, const char* what, std::size_t bytes) {
  together([&] {
    if (!is_there) throw Refused(std::string("there is no ") + what + " of " + std::to_string(bytes) + " bytes");
  });
}

// While it lives, errors are returned.
class ErrorsReturn {
 public:
  ErrorsReturn() {
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &usual_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, usual_);
    if (usual_ != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&usual_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Errhandler usual_ = MPI_ERRHANDLER_NULL;
};

class Window final : public Room {
 public:
  explicit Window(std::size_t bytes) {
    const bool one_node = is_one_node();
    together([&] {
      if (!one_node) throw Refused("a shared window needs ranks of one node");
    });
    void* base = nullptr;
    int code = MPI_SUCCESS;
    {
      const ErrorsReturn now;
      code = MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + kLine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                                     &window_);
    }
    // What some ranks have made is left to them: freeing it takes all.
    require(code == MPI_SUCCESS && window_ != MPI_WIN_NULL && base != nullptr, "shared window", bytes);
    begin_at(base);
  }
  ~Window() override { MPI_Win_free(&window_); }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
};

class Allocated final : public Room {
 public:
  explicit Allocated(std::size_t bytes) {
    int code = MPI_SUCCESS;
    {
      const ErrorsReturn now;
      code = MPI_Alloc_mem(static_cast<MPI_Aint>(bytes + kLine), MPI_INFO_NULL, &base_);
    }
    require(code == MPI_SUCCESS && base_ != nullptr, "memory of MPI_Alloc_mem", bytes);
    begin_at(base_);
  }
  ~Allocated() override { MPI_Free_mem(base_); }

 private:
  void* base_ = nullptr;
};

}  // namespace

void Room::begin_at(void* base) {
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  data_ = static_cast<char*>(base) + ((address + kLine - 1) / kLine * kLine - address);
}

std::unique_ptr<Room> make_room(Buffers where, std::size_t bytes) {
  if (where == Buffers::kWindow) return std::make_unique<Window>(bytes);
  if (where == Buffers::kAlloc) return std::make_unique<Allocated>(bytes);
  return nullptr;
}

}  // namespace gapless::lab::exchange
