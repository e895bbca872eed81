// A program's all-to-all that our own algorithms run, in place of the library (policy/own_alltoall.hpp).
#pragma once

#include <vector>

#include "preload/collectives/collective.hpp"
#include "preload/collectives/views.hpp"

namespace gapless::preload {

// MPI_Alltoall: true, with the code to return, if it was run. `call` has its members.
bool run_own_alltoall(const Call& call, const View& out, const View& in, int& code) noexcept;

// MPI_Alltoall_init: true, with the code to return, if it was made.
bool make_own_alltoall(Call& call, const View& out, const View& in, int& code) noexcept;

// MPI_Alltoallv_init: the same. takes_own_alltoallv says if it is so, as far as the members are concerned.
using LargeViews = Views<MPI_Count, MPI_Aint, MPI_Datatype>;
bool takes_own_alltoallv(Call& call) noexcept;
int make_own_alltoallv(const Call& call, const LargeViews& out, const LargeViews& in) noexcept;

// A side with counts and displacements of any kind, as large ones.
class LargeCounts {
 public:
  // Throws std::bad_alloc.
  template <class Many>
  LargeCounts(const Many& side, int blocks) : view_{side.buffer, nullptr, nullptr, side.types} {
    if (side.buffer == MPI_IN_PLACE) return;
    counts_.assign(side.counts, side.counts + blocks);
    displacements_.assign(side.displacements, side.displacements + blocks);
    view_.counts = counts_.data();
    view_.displacements = displacements_.data();
  }
  const LargeViews& view() const noexcept { return view_; }

 private:
  std::vector<MPI_Count> counts_;
  std::vector<MPI_Aint> displacements_;
  LargeViews view_;
};

template <class Many>
bool make_own_alltoallv(Call& call, const Many& out, const Many& in, int& code) noexcept {
  const auto lacks = [](const Many& side) {
    return side.buffer != MPI_IN_PLACE && (side.counts == nullptr || side.displacements == nullptr);
  };
  if (lacks(out) || lacks(in) || !takes_own_alltoallv(call)) return false;
  try {
    const LargeCounts sent(out, call.members.size), received(in, call.members.size);
    code = make_own_alltoallv(call, sent.view(), received.view());
  } catch (...) {
    code = raise_error(MPI_ERR_NO_MEM, call.comm);
  }
  return true;
}

}  // namespace gapless::preload
