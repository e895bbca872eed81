// One T per thread, made at first use.
#pragma once

#include <new>

namespace gapless::base {

// get() returns nullptr if there is no memory, and once the thread has begun to end: we are called even then (a
// program may finalise MPI in a static destructor, which runs behind the destructors of the main thread's variables).
template <class T>
class PerThread {
 public:
  static T* get() noexcept { return pointer_ != nullptr ? pointer_ : make(); }

 private:
  struct Guard {
    ~Guard() {
      T* const gone = pointer_;
      pointer_ = nullptr;
      ended_ = true;
      delete gone;
    }
  };
  static T* make() noexcept {
    if (ended_) return nullptr;
    static thread_local Guard guard;  // NOLINT(clang-diagnostic-exit-time-destructors): leaves what get() checks
    (void)guard;
    return pointer_ = new (std::nothrow) T;
  }
  // A pointer and a flag fit into the room that the C library keeps for libraries opened late, so the access is a load.
  [[gnu::tls_model("initial-exec")]] inline static thread_local T* pointer_ = nullptr;
  [[gnu::tls_model("initial-exec")]] inline static thread_local bool ended_ = false;
};

}  // namespace gapless::base
