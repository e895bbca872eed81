#include "shared_window.hpp"

#include "agree.hpp"

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

}  // namespace

SharedWindow::SharedWindow(std::size_t bytes) {
  const bool one_node = is_one_node();
  together([&] {
    if (!one_node) throw Refused("a shared window needs ranks of one node");
  });
  MPI_Errhandler usual = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &usual);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  void* base = nullptr;
  const int code =
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + kLine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window_);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, usual);
  if (usual != MPI_ERRHANDLER_NULL) MPI_Errhandler_free(&usual);
  // What some ranks have made is left to them: freeing it takes all.
  together([&] {
    if (code != MPI_SUCCESS || window_ == MPI_WIN_NULL || base == nullptr)
      throw Refused("there is no shared window of " + std::to_string(bytes) + " bytes");
  });
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  data_ = static_cast<char*>(base) + ((address + kLine - 1) / kLine * kLine - address);
}

SharedWindow::~SharedWindow() {
  MPI_Win_free(&window_);
}

}  // namespace gapless::lab::exchange
