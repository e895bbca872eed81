#include "ext/alltoallv/native.hpp"

#include <iterator>
#include <memory>

namespace gapless::ext::irregular {

namespace {

using LargeV = int(const void*, const MPI_Count*, const MPI_Aint*, MPI_Datatype, void*, const MPI_Count*,
                   const MPI_Aint*, MPI_Datatype, MPI_Comm);
using LargeW = int(const void*, const MPI_Count*, const MPI_Aint*, const MPI_Datatype*, void*, const MPI_Count*,
                   const MPI_Aint*, const MPI_Datatype*, MPI_Comm);

// The counts and displacements of one side as an int has them; of few processes without a call of malloc.
class Ints {
 public:
  Ints(const Half& half, int processes) {
    if (half.buffer == MPI_IN_PLACE || half.counts == nullptr || half.displacements == nullptr) return;
    const auto p = static_cast<std::size_t>(processes);
    if (2 * p > std::size(few_)) many_ = std::make_unique_for_overwrite<int[]>(2 * p);
    int* const counts = many_ != nullptr ? many_.get() : few_;
    int* const displacements = counts + p;
    for (std::size_t k = 0; k < p; ++k) {
      counts[k] = static_cast<int>(half.counts[k]);
      displacements[k] = static_cast<int>(half.displacements[k]);
      fit_ = fit_ && counts[k] == half.counts[k] && displacements[k] == half.displacements[k];
    }
    counts_ = counts;
    displacements_ = displacements;
  }
  Ints(const Ints&) = delete;
  Ints& operator=(const Ints&) = delete;
  bool fit() const noexcept { return fit_; }
  const int* counts() const noexcept { return counts_; }
  const int* displacements() const noexcept { return displacements_; }

 private:
  int few_[64];
  std::unique_ptr<int[]> many_;
  const int *counts_ = nullptr, *displacements_ = nullptr;
  bool fit_ = true;
};

// NULL stays what the library says to it.
int call(const Half& sent, const Ints& out, const Half& received, const Ints& in, MPI_Comm comm) {
  void* const into = const_cast<void*>(received.buffer);
  if (out.fit() && in.fit()) {
    if (received.types != nullptr)
      return MPI_Alltoallw(sent.buffer, out.counts(), out.displacements(), sent.types, into, in.counts(),
                           in.displacements(), received.types, comm);
    return MPI_Alltoallv(sent.buffer, out.counts(), out.displacements(), sent.type, into, in.counts(),
                         in.displacements(), received.type, comm);
  }
  if (received.types != nullptr) {
    static LargeW* const large = find_visible<LargeW>("MPI_Alltoallw_c");
    return large == nullptr ? MPI_ERR_COUNT
                            : large(sent.buffer, sent.counts, sent.displacements, sent.types, into, received.counts,
                                    received.displacements, received.types, comm);
  }
  static LargeV* const large = find_visible<LargeV>("MPI_Alltoallv_c");
  return large == nullptr ? MPI_ERR_COUNT
                          : large(sent.buffer, sent.counts, sent.displacements, sent.type, into, received.counts,
                                  received.displacements, received.type, comm);
}

class Library final : public Exchange {
 public:
  Library(const Half& sent, const Half& received, const Group& group)
      : comm_(group.comm), sent_(sent), received_(received), out_(sent, group.size), in_(received, group.size) {}
  int start() noexcept override { return MPI_SUCCESS; }
  int wait() noexcept override { return call(sent_, out_, received_, in_, comm_); }

 private:
  const MPI_Comm comm_;
  const Half sent_, received_;
  const Ints out_, in_;
};

}  // namespace

int call_library(const Half& sent, const Half& received, const Group& group) {
  return call(sent, Ints(sent, group.size), received, Ints(received, group.size), group.comm);
}

std::unique_ptr<Exchange> make_library(const Half& sent, const Half& received, const Group& group) {
  return std::make_unique<Library>(sent, received, group);
}

}  // namespace gapless::ext::irregular
