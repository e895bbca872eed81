// mpi::is_host with libraries under the names of the GPU runtimes, loaded after the first question. They stay loaded:
// the order of the tests matters where they share a process.
#include "mpi/staging/host_memory.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace gapless::mpi {

namespace {

struct Runtime {
  void* library = nullptr;
  void (*regions)(const char*, const char*, const char*) = nullptr;
  void (*start)(int) = nullptr;
  int (*questions)() = nullptr;
};

Runtime load(const std::string& name) {
  Runtime runtime;
  runtime.library = dlopen((std::string(GAPLESS_TEST_RUNTIMES "/") + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(runtime.library, nullptr) << dlerror();
  const auto find = [&](const char* function) { return dlsym(runtime.library, function); };
  runtime.regions = reinterpret_cast<decltype(runtime.regions)>(find("test_regions"));
  runtime.start = reinterpret_cast<decltype(runtime.start)>(find("test_start"));
  runtime.questions = reinterpret_cast<decltype(runtime.questions)>(find("test_questions"));
  return runtime;
}

// Memory that kills who touches it.
const char* untouchable() {
  void* const memory = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(memory, MAP_FAILED);
  return static_cast<const char*>(memory);
}

const char* device() {
  static const char* const memory = untouchable();
  return memory;
}
const char* special() {
  static const char* const memory = untouchable();
  return memory;
}
const char* pinned() {
  static const char* const memory = untouchable();
  return memory;
}

int on_the_heap_like = 0;

double nanoseconds_a_question() {
  double best = 1e9;
  for (int batch = 0; batch < 200; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 1000; ++k) EXPECT_TRUE(is_host(&on_the_heap_like));
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / 1000);
  }
  return best;
}

}  // namespace

TEST(HostMemory, everything_is_without_a_runtime) {
  const std::vector<int> heap(100);
  const int stack = 0;
  for (const void* address : {static_cast<const void*>(heap.data()), static_cast<const void*>(&stack),
                              static_cast<const void*>(device()), static_cast<const void*>(nullptr)}) {
    EXPECT_TRUE(is_host(address));
  }
  const double cost = nanoseconds_a_question();
  RecordProperty("nanoseconds", std::to_string(cost));
  std::printf("%.1f ns a question\n", cost);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(cost, 100);
#endif
}

TEST(HostMemory, cuda_is_found_when_it_comes_and_asked_from_then_on) {
  EXPECT_TRUE(is_host(device()));
  const Runtime cuda = load("libcuda.so.1");
  cuda.regions(device(), special(), pinned());
  EXPECT_TRUE(is_host(device())) << "not started: the memory cannot be CUDA's";
  EXPECT_EQ(cuda.questions(), 1);
  cuda.start(1);
  EXPECT_FALSE(is_host(device()));
  EXPECT_FALSE(is_host(device() + 4095));
  EXPECT_FALSE(is_host(special())) << "managed";
  EXPECT_TRUE(is_host(pinned()));
  EXPECT_TRUE(is_host(&on_the_heap_like));
  cuda.start(2);
  EXPECT_FALSE(is_host(&on_the_heap_like)) << "an error that says nothing about the address";
  cuda.start(1);
  dlclose(cuda.library);  // it stays: its functions may be called
  EXPECT_FALSE(is_host(device()));
  cuda.start(0);
}

TEST(HostMemory, rocm) {
  EXPECT_TRUE(is_host(device()));
  const Runtime hsa = load("libhsa-runtime64.so.1");
  hsa.regions(device(), special(), pinned());
  EXPECT_TRUE(is_host(device()));
  hsa.start(1);
  EXPECT_FALSE(is_host(device()));
  EXPECT_TRUE(is_host(special())) << "the program's own, pinned";
  EXPECT_TRUE(is_host(pinned())) << "of the runtime, on the host";
  EXPECT_TRUE(is_host(&on_the_heap_like));
  hsa.start(2);
  EXPECT_FALSE(is_host(&on_the_heap_like));
  hsa.start(0);
}

TEST(HostMemory, level_zero_cannot_be_asked) {
  EXPECT_TRUE(is_host(&on_the_heap_like));
  const Runtime level_zero = load("libze_loader.so.1");
  EXPECT_TRUE(is_host(&on_the_heap_like));
  level_zero.start(1);
  EXPECT_FALSE(is_host(&on_the_heap_like));
  level_zero.start(2);
  EXPECT_TRUE(is_host(&on_the_heap_like)) << "no driver";
  level_zero.start(0);
}

TEST(HostMemory, threads_ask_while_a_runtime_is_loaded) {
  std::atomic<bool> loaded{false}, done{false};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&] {
      while (!done) {
        const bool before = loaded;
        if (is_host(special()) && before) ++wrong;
        if (!is_host(&on_the_heap_like)) ++wrong;
      }
    });
  }
  const Runtime cuda = load("libcuda.so.1");
  cuda.regions(device(), special(), pinned());
  cuda.start(1);
  loaded = true;
  for (int k = 0; k < 100; ++k) {
    EXPECT_FALSE(is_host(device()));
    dlclose(dlopen("libm.so.6", RTLD_NOW));
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  cuda.start(0);
}

}  // namespace gapless::mpi
