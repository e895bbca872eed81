#include "preload/watch/call_site.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>

#include "preload/paired/callers.hpp"

namespace gapless::preload {

#if defined(__x86_64__)

namespace {

// As Fortran 2008's over Fortran 77's over C's.
constexpr int kMaxInterfaces = 3;

// How the interfaces of MPICH and Intel MPI, of Debian's MPICH, and of Open MPI are named. A tool that wraps MPI is
// none, whatever its name begins with (mpiP is libmpiP.so): it is the caller that its user wants to see.
constexpr const char* kInterfaces[] = {"libmpifort.",   "libmpicxx.",    "libmpichfort.", "libmpichcxx.",
                                       "libmpi_mpifh.", "libmpi_usempi", "libmpi_cxx."};

bool is_interface(const void* address) noexcept {
  Dl_info found{};
  if (is_library_code(address) || dladdr(static_cast<const char*>(address) - 1, &found) == 0) return false;
  if (found.dli_fname == nullptr) return false;
  const char* const slash = std::strrchr(found.dli_fname, '/');
  const std::string_view name = slash == nullptr ? found.dli_fname : slash + 1;
  return std::any_of(std::begin(kInterfaces), std::end(kInterfaces),
                     [&](const char* interface) { return name.starts_with(interface); });
}

struct Search {
  std::uintptr_t wanted;
  std::uintptr_t place = 0;  // of the return address of the function that `wanted` lies in
  bool is_found = false;
};

_Unwind_Reason_Code look_at(_Unwind_Context* context, void* of) {
  auto& search = *static_cast<Search*>(of);
  if (search.is_found) {
    // The stack's end, as it was when the function was called, begins behind the return address.
    search.place = _Unwind_GetCFA(context) - sizeof(void*);
    return _URC_END_OF_STACK;
  }
  search.is_found = _Unwind_GetIP(context) == search.wanted;
  return _URC_NO_REASON;
}

// 0 if the stack cannot be walked.
std::uintptr_t outer_place(const void* address) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address)};
  _Unwind_Backtrace(look_at, &search);
  return search.place;
}

const void* read_address(std::uintptr_t place) noexcept {
  const void* address;
  std::memcpy(&address, reinterpret_cast<const void*>(place), sizeof address);
  return address;
}

}  // namespace

const void* CallSites::look_up(const void* caller, const void* frame) {
  // The frame's first word is the caller's frame, and the return address follows.
  std::uintptr_t place = reinterpret_cast<std::uintptr_t>(frame) + sizeof(void*);
  for (int depth = 0; depth < kMaxInterfaces; ++depth) {
    auto known = known_.find(caller);
    if (known == known_.end()) {
      const std::uintptr_t outer = is_interface(caller) ? outer_place(caller) : 0;
      known = known_.emplace(caller, outer > place ? static_cast<std::ptrdiff_t>(outer - place) : 0).first;
    }
    if (known->second == 0) {
      if (depth == 0) latest_[slot_of(caller)] = caller;
      break;
    }
    place += static_cast<std::uintptr_t>(known->second);
    caller = read_address(place);
  }
  return caller;
}

#else

// Elsewhere a return address lies where its function pleases.
const void* CallSites::look_up(const void* caller, const void*) {
  return latest_[slot_of(caller)] = caller;
}

#endif

}  // namespace gapless::preload
