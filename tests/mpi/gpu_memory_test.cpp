// mpi::is_host against the real CUDA driver, opened as a program would open it. Needs an NVIDIA GPU: exits with 77 and
// the reason where there is none.
#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "mpi/staging/host_memory.hpp"

namespace {

constexpr int kSkipped = 77;
constexpr std::size_t kBytes = 1 << 20;

using Address = unsigned long long;
int failures = 0;

[[noreturn]] void skip(const char* reason, int code) {
  std::printf("skipped: %s (%d)\n", reason, code);
  std::exit(failures == 0 ? kSkipped : 1);
}

void check(bool good, const char* where, const char* what) {
  std::printf("%s: %s: %s\n", good ? "ok" : "FAILED", where, what);
  failures += good ? 0 : 1;
}

template <class Function>
Function* find(void* library, const char* name) {
  void* const function = dlsym(library, name);
  if (function == nullptr) {
    std::printf("FAILED: libcuda has no %s\n", name);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(function);
}

void need(int code, const char* call) {
  if (code == 0) return;
  std::printf("FAILED: %s returned %d\n", call, code);
  std::exit(1);
}

bool is_host(Address address) {
  return gapless::mpi::is_host(reinterpret_cast<const void*>(address));
}

double nanoseconds_a_question(Address address) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < 10000; ++k) is_host(address);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 10000;
}

}  // namespace

int main() {
  std::vector<char> heap(kBytes);
  std::vector<char> registered(kBytes);
  const auto heap_address = reinterpret_cast<Address>(heap.data());
  char stack = 0;
  check(is_host(heap_address), "before libcuda", "heap");

  void* const cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (cuda == nullptr) skip("there is no libcuda.so.1", 0);
  check(is_host(heap_address), "libcuda loaded, not initialised", "heap");

  if (const int code = find<int(unsigned)>(cuda, "cuInit")(0); code != 0) skip("cuInit failed", code);
  int devices = 0;
  if (const int code = find<int(int*)>(cuda, "cuDeviceGetCount")(&devices); code != 0 || devices == 0) {
    skip("there is no device", code);
  }
  int device = 0;
  need(find<int(int*, int)>(cuda, "cuDeviceGet")(&device, 0), "cuDeviceGet");
  unsigned type = 0;
  std::printf("without a context cuPointerGetAttribute returns %d for the heap\n",
              find<int(void*, int, Address)>(cuda, "cuPointerGetAttribute")(&type, 2, heap_address));
  check(is_host(heap_address), "no context", "heap");
  unsigned flags = 0;
  int active = -1;
  need(find<int(int, unsigned*, int*)>(cuda, "cuDevicePrimaryCtxGetState")(device, &flags, &active), "GetState");
  check(active == 0, "no context", "none was made");

  void* context = nullptr;
  need(find<int(void**, int)>(cuda, "cuDevicePrimaryCtxRetain")(&context, device), "cuDevicePrimaryCtxRetain");
  need(find<int(void*)>(cuda, "cuCtxSetCurrent")(context), "cuCtxSetCurrent");
  Address on_device = 0, managed = 0;
  void* pinned = nullptr;
  need(find<int(Address*, std::size_t)>(cuda, "cuMemAlloc_v2")(&on_device, kBytes), "cuMemAlloc");
  need(find<int(Address*, std::size_t, unsigned)>(cuda, "cuMemAllocManaged")(&managed, kBytes, 1), "cuMemAllocManaged");
  need(find<int(void**, std::size_t, unsigned)>(cuda, "cuMemHostAlloc")(&pinned, kBytes, 0), "cuMemHostAlloc");
  need(find<int(void*, std::size_t, unsigned)>(cuda, "cuMemHostRegister_v2")(registered.data(), kBytes, 0), "Register");

  const auto check_all = [&](const char* where) {
    check(!is_host(on_device), where, "cuMemAlloc");
    check(!is_host(on_device + kBytes - 1), where, "cuMemAlloc, last byte");
    check(!is_host(managed), where, "cuMemAllocManaged");
    check(is_host(reinterpret_cast<Address>(pinned)), where, "cuMemHostAlloc");
    check(is_host(reinterpret_cast<Address>(registered.data())), where, "cuMemHostRegister");
    check(is_host(heap_address), where, "heap");
    check(is_host(reinterpret_cast<Address>(&stack)), where, "stack");
  };
  check_all("with the context");
  std::thread([&] { check_all("in a thread without a context"); }).join();
  static_cast<char*>(reinterpret_cast<void*>(managed))[0] = 1;  // now it lies on the host
  check(!is_host(managed), "touched by the host", "cuMemAllocManaged");

  std::printf("[ns a question] heap %.0f, device %.0f, pinned %.0f\n", nanoseconds_a_question(heap_address),
              nanoseconds_a_question(on_device), nanoseconds_a_question(reinterpret_cast<Address>(pinned)));
  return failures == 0 ? 0 : 1;
}
