// What the layer knows of a program's datatypes: from the handle to the plan.
//
// A commit leaves a mark and nothing else. The first use of a marked handle looks the type up by its construction
// (type_cache.hpp) and remembers nothing of the handle; the second one registers it: the facts are kept under the
// handle, and the type gets an attribute whose delete callback takes them out again (handle_cache.hpp). The library
// calls it at the type's last reference and before it gives the handle to another type, by whatever procedure and under
// whatever name the program frees it.
//
// Why nothing stale is ever used:
//  * Facts kept under a handle are of the type that has it now. They came in during a call to which the program gave
//    the handle, so the type lived, and before that call ended the attribute was there; with the attribute they go out
//    before the handle goes to another type. They come in one at a time (under the lock), so there is one attribute a
//    type. If the attribute cannot be set (it is asked for afterwards), they go out at once. Types without an attribute
//    are kept only if they are predefined, and so live as long as the epoch. The epoch's end takes everything.
//  * A mark says only that the handle was once given to a commit. It becomes stale when its type is freed before its
//    second use, for then nobody tells us, and if a commit that failed is reported to have succeeded (MPICH, where the
//    program's error handler returns). But it never leads to facts: those are asked of the library at that moment. So a
//    stale mark makes a difference only where the handle is given to a communication call although the type that has it
//    now is not committed, or there is none: a wrong program. If there is none, either our question is an error and the
//    answer nothing, or the answer is not written at all; both leave the call to the library.
//  * No call is made on a handle but during a call that the program gave it to. In a right program it is alive then.
// Facts are shared: an operation that is pending keeps them alive, whatever becomes of the type and of the epoch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "mpi/abi/abi.hpp"
#include "plan/plan.hpp"

namespace gapless::mpi {

// The facts. Immutable but for a hint, shared by all types of equal construction and by all threads.
class Datatype {
 public:
  Datatype(layout::LayoutPtr layout, plan::PlanPtr plan);
  // The plan, or nullptr if the type cannot be decoded: it stays the library's.
  const plan::Plan* plan() const noexcept { return plan_.get(); }
  const plan::PlanPtr& shared_plan() const noexcept { return plan_; }
  const layout::LayoutPtr& layout() const noexcept { return layout_; }
  // How long its runs are on average; 0 without a plan.
  std::int64_t mean_run_bytes() const noexcept { return mean_run_bytes_; }
  // What the library has to walk, other than the plan: the program's own constructors. The depth of nested constructors
  // that repeat something with gaps; true if any has a list of displacements.
  int levels() const noexcept { return levels_; }
  bool has_lists() const noexcept { return has_lists_; }
  // True if all data are of one basic type, and if some may be long doubles (layout/signature.hpp, which takes longer).
  bool has_one_basic_type() const noexcept { return has_one_basic_type_; }
  bool may_hold_long_doubles() const noexcept { return may_hold_long_doubles_; }
  // A hint: how the last message came that this process received in this type from a process of its node.
  enum class Came : std::uint8_t { kUnknown, kByLibrary, kPaired };
  Came came() const noexcept { return came_.load(std::memory_order_relaxed); }
  void note_arrival(bool is_paired) const noexcept {
    const Came now = is_paired ? Came::kPaired : Came::kByLibrary;
    if (came() != now) came_.store(now, std::memory_order_relaxed);  // mostly it has not changed: no line is written
  }

 private:
  layout::LayoutPtr layout_;
  plan::PlanPtr plan_;
  std::int64_t mean_run_bytes_ = 0;
  int levels_ = 0;
  bool has_lists_ = false;
  bool has_one_basic_type_ = false;
  bool may_hold_long_doubles_ = false;
  mutable std::atomic<Came> came_{Came::kUnknown};
};

using DatatypePtr = std::shared_ptr<const Datatype>;

// To be called after a commit has succeeded, and for what is born committed (a copy of a committed type, F90 types).
// A cache line looked at, no MPI call, no lock; registers at once if there is no room for a mark.
void register_type(MPI_Datatype type) noexcept;
// True if find_type would look it up: the handle was committed (or its predecessor, see above).
bool is_registered(MPI_Datatype type) noexcept;
// True if the handle can be used without a commit that was seen: it is registered, or predefined. (F90 types are not
// told from others; they are registered when they are first received.)
bool is_known_committed(MPI_Datatype type) noexcept;
// A hint, before MPI_Type_free: an unused mark goes. Without it stale marks pile up until there is no room left, and
// then every commit registers at once; and a wrong program that uses an uncommitted type could miss its error.
void forget_mark(MPI_Datatype type) noexcept;

// The facts of a type that was committed, or of a predefined one with holes (the pair types); nullptr for any other.
// `also_builtin`: for the contiguous predefined types as well. No lock, no allocation, no MPI call for a handle that
// this thread used lately, if it is registered. Otherwise MPI calls are made, on handles that the caller may use in a
// communication now. The result keeps the plan alive although another thread may free the type meanwhile.
// `first`: in a program that makes many types, the first use of one on a message of less than so many bytes passes: the
// type is not looked up, and the next use is its second one.
struct FirstUse {
  MPI_Count count;     // of the message, 1 or more
  std::int64_t below;  // [bytes]
  bool is_passed = false;
};
DatatypePtr find_type(MPI_Datatype type, bool also_builtin = false, FirstUse* first = nullptr) noexcept;
// What find_type would return, if this thread used the handle lately; nullptr says nothing. Never an MPI call. Good
// until this thread's next call of find_type.
const Datatype* remembered_type(MPI_Datatype type) noexcept;

// Grows when facts that were kept under this handle, or under another one that it shares a place with, are taken out.
// What remembered_type returned is the handle's as long as it stays what it was before that call.
std::uint64_t generation_of(MPI_Datatype type) noexcept;

// The library came up, or is about to go down and has gone down: handles do not outlive the last finalisation.
void epoch_began() noexcept;
bool is_last_epoch() noexcept;
bool has_epoch() noexcept;  // MPI calls may be made
void epoch_ending() noexcept;
bool epoch_ended() noexcept;  // returns true if it was the last one

// For tests: handles that are registered now, attributes set so far.
struct RegistryCounts {
  std::size_t registered = 0;
  std::uint64_t attributes = 0;
};
RegistryCounts registry_counts() noexcept;

}  // namespace gapless::mpi
