#include "calls/watched_calls.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

// The C library's own names for its allocator: dlsym would allocate.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);
}

namespace gapless::test {
namespace {

constexpr int kMaxKept = 8, kMaxFrames = 24;

struct Kept {
  const char* what;
  void* frames[kMaxFrames];
  int frame_count;
};

// One thread's; in the program's own block of thread storage, which needs no allocation.
__attribute__((tls_model("initial-exec"))) thread_local bool watching = false, inside = false;
__attribute__((tls_model("initial-exec"))) thread_local WatchedCalls counted{};
Kept kept[kMaxKept];

bool is_runtime(const char* object) {
  const char* name = std::strrchr(object, '/');
  name = name != nullptr ? name + 1 : object;
  for (const char* runtime : {"libgapless_watched_calls.", "libc.so", "libstdc++.", "libgcc_s.", "libpthread"}) {
    if (std::strncmp(name, runtime, std::strlen(runtime)) == 0) return true;
  }
  return false;
}

bool is_gapless(void* const* frames, int count) {
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr || is_runtime(info.dli_fname)) continue;
    const char* name = std::strrchr(info.dli_fname, '/');
    return std::strncmp(name != nullptr ? name + 1 : info.dli_fname, "libgapless", 10) == 0;
  }
  return false;
}

void saw(const char* what) {
  if (!watching || inside) return;
  inside = true;
  Kept call{what, {}, 0};
  call.frame_count = backtrace(call.frames, kMaxFrames);
  if (!is_gapless(call.frames, call.frame_count)) {
    ++counted.others;
  } else {
    if (counted.ours < kMaxKept) kept[counted.ours] = call;
    ++counted.ours;
  }
  inside = false;
}

}  // namespace

void watch_calls() noexcept {
  inside = true;
  void* frame;
  backtrace(&frame, 1);
  inside = false;
  counted = {};
  watching = true;
}

WatchedCalls end_watch() noexcept {
  watching = false;
  return counted;
}

void print_watched_calls() noexcept {
  for (int i = 0; i < counted.ours && i < kMaxKept; ++i) {
    std::fprintf(stderr, "%s\n", kept[i].what);
    for (int k = 0; k < kept[i].frame_count; ++k) {
      Dl_info info;
      if (dladdr(kept[i].frames[k], &info) == 0 || is_runtime(info.dli_fname)) continue;
      const auto offset = static_cast<char*>(kept[i].frames[k]) - static_cast<char*>(info.dli_fbase);
      std::fprintf(stderr, "    %s +%#lx\n", info.dli_fname, static_cast<unsigned long>(offset));
    }
  }
}

}  // namespace gapless::test

using gapless::test::saw;

extern "C" {
#define WATCHED __attribute__((visibility("default")))

WATCHED void* malloc(std::size_t bytes) noexcept {
  saw("malloc");
  return __libc_malloc(bytes);
}
WATCHED void* calloc(std::size_t count, std::size_t bytes) noexcept {
  saw("calloc");
  return __libc_calloc(count, bytes);
}
WATCHED void* realloc(void* memory, std::size_t bytes) noexcept {
  saw("realloc");
  return __libc_realloc(memory, bytes);
}
WATCHED void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  saw("memalign");
  return __libc_memalign(alignment, bytes);
}
WATCHED void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  saw("aligned_alloc");
  return __libc_memalign(alignment, bytes);
}
WATCHED int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  saw("posix_memalign");
  *memory = __libc_memalign(alignment, bytes);
  return *memory != nullptr ? 0 : 12;
}
WATCHED void free(void* memory) noexcept {
  if (memory != nullptr) saw("free");
  __libc_free(memory);
}

// Set twice to the same value if two threads come at once.
#define FORWARD(result, name, parameters, arguments)                                 \
  WATCHED result name parameters noexcept {                                          \
    using Function = result(*) parameters;                                           \
    static Function next = nullptr;                                                  \
    saw(#name);                                                                      \
    if (next == nullptr) next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, #name)); \
    return next arguments;                                                           \
  }

FORWARD(int, pthread_mutex_lock, (pthread_mutex_t * lock), (lock))
FORWARD(int, pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))
FORWARD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
FORWARD(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
FORWARD(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock))
FORWARD(int, sem_wait, (sem_t * semaphore), (semaphore))
FORWARD(void*, mmap, (void* at, size_t bytes, int protection, int flags, int file, off_t offset),
        (at, bytes, protection, flags, file, offset))
FORWARD(int, munmap, (void* at, size_t bytes), (at, bytes))
}
