#include "ext/alltoallv/native.hpp"

#include <climits>
#include <memory>

#include "ext/error.hpp"

namespace gapless::ext {

namespace {

// One half's counts and displacements as an int has them.
class Ints {
 public:
  Ints(const Half& half, int processes) {
    if (half.buffer == MPI_IN_PLACE || half.counts == nullptr || half.displacements == nullptr) return;
    const auto p = static_cast<std::size_t>(processes);
    both_ = std::make_unique_for_overwrite<int[]>(2 * p);
    displacements_ = both_.get() + p;
    for (std::size_t k = 0; k < p; ++k) {
      both_[k] = static_cast<int>(half.counts[k]);
      displacements_[k] = static_cast<int>(half.displacements[k]);
      fits_ = fits_ && both_[k] == half.counts[k] && displacements_[k] == half.displacements[k];
    }
  }
  bool fit() const noexcept { return fits_; }
  const int* counts() const noexcept { return both_.get(); }
  const int* displacements() const noexcept { return displacements_; }

 private:
  std::unique_ptr<int[]> both_;
  int* displacements_ = nullptr;
  bool fits_ = true;
};

using LargeV = int(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
                   const MPI_Aint*, MPI_Datatype, MPI_Comm);
using LargeW = int(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
                   const MPI_Aint*, const MPI_Datatype*, MPI_Comm);

}  // namespace

int call_library(const Half& sent, const Half& received, int processes, MPI_Comm comm) {
  const Ints out(sent, processes), in(received, processes);
  void* const into = const_cast<void*>(received.buffer);
  if (out.fit() && in.fit()) {
    if (received.types != nullptr)
      return MPI_Alltoallw(sent.buffer, out.counts(), out.displacements(), sent.types, into, in.counts(),
                           in.displacements(), received.types, comm);
    return MPI_Alltoallv(sent.buffer, out.counts(), out.displacements(), sent.type, into, in.counts(),
                         in.displacements(), received.type, comm);
  }
  if (received.types != nullptr) {
    if (auto* const large = find_visible<LargeW>("MPI_Alltoallw_c"); large != nullptr)
      return large(sent.buffer, sent.counts, sent.displacements, sent.types, into, received.counts,
                   received.displacements, received.types, comm);
  } else if (auto* const large = find_visible<LargeV>("MPI_Alltoallv_c"); large != nullptr) {
    return large(sent.buffer, sent.counts, sent.displacements, sent.type, into, received.counts, received.displacements,
                 received.type, comm);
  }
  return raise(MPI_ERR_COUNT, comm);
}

}  // namespace gapless::ext
