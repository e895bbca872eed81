#include "preload/policy/own_alltoall.hpp"

#include <cstdio>
#include <cstring>
#include <iterator>

#include "alltoall/algorithms.hpp"
#include "alltoall/measured.hpp"
#include "base/settings.hpp"
#include "mpi/abi/library.hpp"

namespace gapless::preload {

namespace {

using alltoall::Range;

// Calls on a communicator that go to the library before any is ours.
constexpr int kFirstCalls = 8;

enum class Whose { kModel, kLibrary, kOwn };

Whose read_setting() noexcept {
  constexpr const char* kWords[] = {"model", "library", "own"};
  if (is_fault_tolerant()) return Whose::kLibrary;
  const char* const text = base::setting_text("GAPLESS_ALLTOALL");
  if (text == nullptr) return Whose::kModel;
  for (std::size_t k = 0; k < std::size(kWords); ++k) {
    if (std::strcmp(text, kWords[k]) == 0) return static_cast<Whose>(k);
  }
  base::refuse_setting("GAPLESS_ALLTOALL", kWords);
  return Whose::kModel;
}

Whose whose() noexcept {
  static const Whose read = read_setting();
  return read;
}

const alltoall::Machines& machines() {
  static const alltoall::Machines measured = [] {
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (mpi::library.Get_library_version(library, &length) != MPI_SUCCESS) library[0] = '\0';
    return alltoall::measured_machines(library).machines;
  }();
  return measured;
}

const alltoall::Machine& machine(bool is_near) {
  return is_near ? machines().near : machines().far;
}

}  // namespace

Range OwnAllToAll::of_calls(bool is_in_place) {
  if (whose() != Whose::kModel) return by_setting();
  std::optional<Range>& range = calls_ranges_[is_in_place];
  if (!range) range = alltoall::range_of_calls(processes_, is_in_place, machine(is_near_));
  return range->is_empty() || ++calls_ > kFirstCalls ? *range : Range{};
}

Range OwnAllToAll::of_persistent(bool is_in_place) {
  if (whose() != Whose::kModel) return by_setting();
  std::optional<Range>& range = persistent_ranges_[is_in_place];
  if (!range) range = alltoall::range_of_persistent(processes_, is_in_place, machine(is_near_));
  return *range;
}

Range OwnAllToAll::by_setting() const noexcept {
  const bool is_own = whose() == Whose::kOwn && processes_ <= alltoall::kMostProcesses;
  return is_own ? Range{0, alltoall::kLargestBlock} : Range{};
}

bool OwnAllToAll::takes_persistent_v() const noexcept {
  return whose() == Whose::kOwn || (whose() == Whose::kModel && processes_ <= alltoall::kMostPersistent);
}

std::string facts_of_own_alltoall() {
  std::string text = "alltoall " + std::to_string(static_cast<int>(whose()));
  for (const bool is_near : {true, false}) {
    const alltoall::Machine& one = machine(is_near);
    char line[96];
    std::snprintf(line, sizeof line, " %a %a %a", one.latency_s, one.bandwidth, one.pack_rate);
    text += line;
    for (const Range& range : {one.calls, one.in_place})
      text += ' ' + std::to_string(range.first) + ' ' + std::to_string(range.last);
  }
  return text + ' ';
}

}  // namespace gapless::preload
