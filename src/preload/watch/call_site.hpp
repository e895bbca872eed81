// Where the program calls MPI: of a Fortran program not the library's Fortran interface, which calls the C procedure,
// but what calls that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace gapless::preload {

// What one thread knows of the interfaces that it met. What is new takes microseconds, what is known a look-up.
class CallSites {
 public:
  // The address to which the program's call returns. `frame`: of the procedure that the caller called, by
  // __builtin_frame_address(0). May throw bad_alloc.
  const void* of(const void* caller, const void* frame) {
    return caller == latest_[slot_of(caller)] ? caller : look_up(caller, frame);
  }

 private:
  static std::size_t slot_of(const void* caller) noexcept {
    return (reinterpret_cast<std::uintptr_t>(caller) >> 2) % kLatest;
  }
  const void* look_up(const void* caller, const void* frame);

  static constexpr std::size_t kLatest = 64;
  std::array<const void*, kLatest> latest_{};  // addresses of the program's own, by slot_of
  // From the place on the stack of a return address to that of its function's own return address [bytes]; 0: the
  // address is the program's. Such a function has a frame of one size at this address, as compilers make them.
  std::unordered_map<const void*, std::ptrdiff_t> known_;
};

}  // namespace gapless::preload
