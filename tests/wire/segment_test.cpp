// The memory that processes share: who gets it, what refuses it, and what it costs.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <cstring>
#include <fstream>

#include "wire/channels.hpp"
#include "wire/node.hpp"
#include "wire/wait.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GAPLESS_NOT_UNDER_SANITIZERS GTEST_SKIP() << "the sanitizer has memory of its own"
#else
#define GAPLESS_NOT_UNDER_SANITIZERS static_cast<void>(0)
#endif

namespace gapless::wire::test {

namespace {

constexpr std::int64_t kCap = 64 * kMega;
constexpr int kFirst = 200;  // where a segment's descriptor goes

std::string refusal(int processes, std::int64_t cap) {
  std::string why;
  const int file = Segment::make(processes, cap, why);
  if (file >= 0) close(file);
  return file >= 0 ? "" : why;
}

bool is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

std::uint32_t parts_listed(const char* name) {
  std::ifstream maps("/proc/self/maps");
  std::uint32_t parts = 0;
  for (std::string line; std::getline(maps, line);) parts += line.find(name) != std::string::npos ? 1 : 0;
  return parts;
}

bool is_mapped(const char* name) {
  return parts_listed(name) > 0;
}

bool limit(__rlimit_resource_t resource, std::int64_t value) {
  rlimit now;
  if (getrlimit(resource, &now) != 0) return false;
  now.rlim_cur = static_cast<rlim_t>(value);
  return setrlimit(resource, &now) == 0;
}

}  // namespace

TEST(Segment, IsForTwoProcessesOrMoreAndSomeChunks) {
  EXPECT_NE(refusal(1, kCap), "");
  EXPECT_NE(refusal(kMaxProcesses + 1, kCap), "");
  EXPECT_EQ(refusal(2, kCap), "");
  EXPECT_EQ(refusal(kMaxProcesses, kCap), "");
  EXPECT_EQ(refusal(2, 2 * kChunkBytes), "");
  EXPECT_EQ(refusal(2, 2 * kChunkBytes - 1), "GAPLESS_PAIRED_BYTES is too small");
  EXPECT_NE(refusal(2, 0), "");
}

// For later the kernel would take milliseconds.
TEST(Segment, MakesRoomForItsDescriptorBeforehand) {
  const auto room = [] {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
      if (int size = 0; word == "FDSize:" && status >> size) return size;
    }
    return 0;
  };
  // A child of fork has no more than it needs, whatever was open once in who began it.
  in_child([&] {
    Segment::make_room_for_descriptor();
    EXPECT_GT(room(), kFirst);
    EXPECT_FALSE(is_open(kFirst));
  });
}

TEST(Segment, TakesTheDescriptorOutOfTheWay) {
  const int file = made(2, kCap);
  Segment segment;
  attach(segment, file, 1);
  EXPECT_FALSE(is_open(file));
  ASSERT_TRUE(is_open(kFirst));
  EXPECT_EQ(fcntl(kFirst, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(segment.processes(), 2);
  EXPECT_EQ(segment.self(), 1);
  EXPECT_EQ(segment.cap_bytes(), kCap);
  EXPECT_EQ(segment.max_chunks(), kCap / 2 / kChunkBytes);
  EXPECT_TRUE(is_mapped("memfd:gapless"));
  segment.detach();
  EXPECT_FALSE(segment.is_attached());
  EXPECT_FALSE(is_open(kFirst));
  EXPECT_FALSE(is_mapped("memfd:gapless"));
}

TEST(Segment, RefusesWhatIsNotItsOwn) {
  const int other = memfd_create("other", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(other, kMega), 0);
  const int nobody = made(2, kCap);  // there is no process 2
  const int alike = made(2, kCap);
  ASSERT_EQ(pwrite(alike, "another1", 8, 0), 8);
  for (const auto& [file, self] : {std::pair{other, 0}, std::pair{nobody, 2}, std::pair{alike, 0}}) {
    Segment segment;
    std::string why;
    EXPECT_FALSE(segment.attach(file, self, why));
    EXPECT_EQ(why, "the shared memory is not of this layer");
    EXPECT_FALSE(segment.is_attached());
    EXPECT_FALSE(is_open(file));
    EXPECT_FALSE(is_open(kFirst));
  }
}

TEST(Segment, NobodyChangesItsSize) {
  const int file = made(2, kCap);
  EXPECT_NE(ftruncate(file, 0), 0);
  EXPECT_NE(ftruncate(file, std::int64_t{1} << 40), 0);
  close(file);
}

TEST(Segment, IsNoMemoryUntilItGrows) {
  const int file = made(2, 1024 * kMega);
  const int watch = dup(file);
  const std::int64_t before = bytes_behind(watch);
  EXPECT_LT(before, kMega);
  Segment segment;
  attach(segment, file, 0);
  EXPECT_LT(bytes_behind(watch), before + kMega);
  EXPECT_EQ(segment.used_bytes(), 0);
  EXPECT_EQ(segment.grow(1), 8u);
  EXPECT_EQ(segment.grow(8), 8u);
  EXPECT_EQ(segment.grow(20), 20u);
  EXPECT_EQ(segment.used_bytes(), 20 * kChunkBytes);
  EXPECT_GE(bytes_behind(watch), before + 20 * kChunkBytes);
  std::memset(segment.data(0, 19), 1, kChunkBytes);
  EXPECT_EQ(segment.grow(1u << 30), segment.max_chunks());
  std::memset(segment.data(0, segment.max_chunks() - 1), 1, kChunkBytes);
  close(watch);
}

TEST(Segment, AnotherProcessSeesWhatHasGrown) {
  SharedBoard board;
  on_node(2, kCap, [&](Segment& segment, int self) {
    if (self == 0) {
      EXPECT_FALSE(segment.is_known(1, 0));
      ASSERT_EQ(segment.grow(10), 10u);
      std::memset(segment.data(0, 9), 7, kChunkBytes);
      segment.chunk(0, 9).occupy(3);
    }
    board->meet(2, 1);
    if (self == 1) {
      EXPECT_FALSE(segment.is_known(0, 10));
      ASSERT_TRUE(segment.is_known(0, 9));
      EXPECT_EQ(segment.data(0, 9)[kChunkBytes - 1], 7);
      EXPECT_EQ(segment.chunk(0, 9).readers.load(), 3u);
    }
    board->meet(2, 2);
    if (self == 0) {
      ASSERT_EQ(segment.grow(40), 40u);
      for (std::uint32_t k = 10; k < 40; ++k) segment.data(0, k)[kChunkBytes - 1] = static_cast<char>(k);
    }
    board->meet(2, 3);
    if (self == 1) {
      ASSERT_TRUE(segment.is_known(0, 39));
      for (std::uint32_t k = 10; k < 40; ++k) EXPECT_EQ(segment.data(0, k)[kChunkBytes - 1], static_cast<char>(k));
      EXPECT_FALSE(segment.is_known(0, 40));
    }
  });
}

// The system lists parts of a mapping with an access of their own, and allows so many.
TEST(Segment, IsListedInFewPartsWhateverTheCap) {
  for (const std::int64_t cap : {kCap, 200 * 1024 * kMega}) {
    in_child([cap] {
      const int file = made(2, cap);
      Segment segment;
      attach(segment, dup(file), 0);
      const std::int64_t before = bytes_behind(file);
      const auto chunks = static_cast<std::uint32_t>(std::min<std::int64_t>(segment.max_chunks(), 400));
      for (std::uint32_t now = 0; now < chunks; now = segment.grow(now + 1)) {
      }
      EXPECT_LT(bytes_behind(file), before + (chunks + 8 + chunks / 8) * kChunkBytes);
      for (std::uint32_t k = 0; k < chunks; ++k) segment.data(0, k)[kChunkBytes - 1] = 1;
      EXPECT_LE(parts_listed("memfd:gapless"), segment.max_chunks() > 1000 ? 8 : 2 * chunks / 8 + 8);
    });
  }
}

TEST(Segment, IsReadInAProcessThatMayHaveNoMoreMappings) {
  GAPLESS_NOT_UNDER_SANITIZERS;
  SharedBoard board;
  on_node(2, kCap, [&](Segment& segment, int self) {
    if (self == 0) {
      ASSERT_EQ(segment.grow(20), 20u);
      std::memset(segment.data(0, 19), 7, kChunkBytes);
    }
    board->meet(2, 1);
    if (self == 0) return;
    // Every second page of them another mapping, until the system refuses one.
    constexpr std::size_t kMost = std::size_t{1} << 32;
    char* const pages = static_cast<char*>(mmap(nullptr, kMost, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages, MAP_FAILED);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::size_t at = 0;
    while (at < kMost && mprotect(pages + at, page, PROT_READ) == 0) at += 2 * page;
    ASSERT_LT(at, kMost) << "vm.max_map_count is above " << kMost / page;
    EXPECT_NE(mprotect(pages + kMost - page, page, PROT_READ), 0);
    const bool is_known = segment.is_known(0, 19);
    munmap(pages, kMost);
    ASSERT_TRUE(is_known);
    EXPECT_EQ(segment.data(0, 19)[kChunkBytes - 1], 7);
  });
}

TEST(Segment, TheCapIsForAllTogether) {
  SharedBoard board;
  constexpr int kProcesses = 4;
  on_node(kProcesses, 100 * kChunkBytes, [&](Segment& segment, int) {
    board->meet(kProcesses, 1);
    for (std::uint32_t chunks = 0, now = 1; now != chunks;) {
      chunks = segment.chunks_of(segment.self());
      now = segment.grow(chunks + 1);
    }
    board->meet(kProcesses, 2);
    EXPECT_LE(segment.used_bytes(), segment.cap_bytes());
    EXPECT_GT(segment.used_bytes(), segment.cap_bytes() - kProcesses * 8 * kChunkBytes);
    std::int64_t all = 0;
    for (int k = 0; k < kProcesses; ++k) {
      EXPECT_LE(segment.chunks_of(k), 50u);
      all += segment.chunks_of(k);
    }
    EXPECT_EQ(all * kChunkBytes, segment.used_bytes());
  });
}

TEST(Segment, NoneWhereFilesAreLimited) {
  in_child([] {
    const int file = made(2, kCap);
    ASSERT_TRUE(limit(RLIMIT_FSIZE, kMega));
    EXPECT_EQ(refusal(2, kCap), "the size of files is limited (RLIMIT_FSIZE)");
    // Who did not make it may use it: nothing makes it longer.
    Segment segment;
    attach(segment, file, 0);
    ASSERT_EQ(segment.grow(100), 100u);
    std::memset(segment.data(0, 99), 1, kChunkBytes);
  });
}

TEST(Segment, NoneWhereAddressSpaceIsLimited) {
  GAPLESS_NOT_UNDER_SANITIZERS;
  in_child([] {
    const int file = made(2, kCap);
    ASSERT_TRUE(limit(RLIMIT_AS, std::int64_t{64} << 30));
    Segment segment;
    std::string why;
    EXPECT_FALSE(segment.attach(file, 0, why));
    EXPECT_EQ(why, "address space is limited (RLIMIT_AS)");
    EXPECT_FALSE(is_mapped("memfd:gapless"));
  });
}

TEST(Segment, NoneWithoutDescriptors) {
  in_child([] {
    ASSERT_TRUE(limit(RLIMIT_NOFILE, 3));
    EXPECT_EQ(refusal(2, kCap), "no shared memory: Too many open files");
  });
}

TEST(Segment, StaysLowWhereDescriptorsAreFew) {
  in_child([] {
    ASSERT_TRUE(limit(RLIMIT_NOFILE, 64));
    const int file = made(2, kCap);
    Segment segment;
    attach(segment, file, 0);
    EXPECT_TRUE(is_open(file));
    EXPECT_EQ(segment.grow(9), 9u);
  });
}

TEST(Segment, LeavesAFileOfTheProgramAlone) {
  const int file = made(2, kCap);
  Segment segment;
  attach(segment, file, 0);
  ASSERT_EQ(segment.grow(8), 8u);
  const int own = memfd_create("the program's", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(own, kMega), 0);
  close(kFirst);
  EXPECT_EQ(segment.grow(16), 8u) << "closed";
  ASSERT_EQ(dup2(own, kFirst), kFirst);
  const std::int64_t before = bytes_behind(own);
  EXPECT_EQ(segment.grow(16), 8u) << "another file";
  EXPECT_EQ(segment.used_bytes(), 8 * kChunkBytes);
  EXPECT_EQ(segment.grow_channel(0, 1), false);
  EXPECT_EQ(Channel::take(segment, 2), -1);
  EXPECT_EQ(segment.channels_taken()[0].load(), 0u);
  std::memset(segment.data(0, 7), 1, kChunkBytes);  // what there was stays
  struct stat seen{};
  ASSERT_EQ(fstat(own, &seen), 0);
  EXPECT_EQ(seen.st_size, kMega);
  EXPECT_EQ(bytes_behind(own), before);
  segment.detach();
  EXPECT_TRUE(is_open(kFirst)) << "the program's";
  close(kFirst);
  close(own);
}

TEST(Segment, ALockedProgramLocksNoMoreThanItUses) {
  GAPLESS_NOT_UNDER_SANITIZERS;
  for (const bool is_before : {true, false}) {
    in_child([&] {
      const int file = made(2, 512 * kMega);
      const int watch = dup(file);
      Segment segment;
      if (is_before && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return;  // not permitted here
      std::string why;
      if (!segment.attach(file, 0, why)) return;  // a limit on locked memory
      if (!is_before && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) return;
      EXPECT_LT(bytes_behind(watch), kMega);
      ASSERT_EQ(segment.grow(10), 10u);
      std::memset(segment.data(0, 9), 1, kChunkBytes);
      EXPECT_LT(bytes_behind(watch), 10 * kChunkBytes + kMega);
    });
  }
}

TEST(Segment, AChildOfForkDoesNotHaveIt) {
  const int file = made(2, kCap);
  Segment segment;
  attach(segment, file, 0);
  ASSERT_EQ(segment.grow(8), 8u);
  segment.data(0, 0)[0] = 1;
  in_child([&] {
    EXPECT_FALSE(is_mapped("memfd:gapless"));
    // What the child puts into that place is its own, also when it ends as programs end.
    auto* const place = reinterpret_cast<char*>(&segment.record(0, 0));
    void* const own =
        mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(own, place);
    segment.detach();
    unsigned char resident = 0;
    EXPECT_EQ(mincore(own, 4096, &resident), 0) << "unmapped";
  });
  EXPECT_EQ(segment.data(0, 0)[0], 1);
}

// A process that joins with this number, meets another one on the board, and does nothing more.
pid_t begin_idle(int file, int number, SharedBoard& board) {
  return begin([&] {
    Segment own;
    attach(own, file, number);
    board->meet(2, 1);
    for (;;) ::pause();
  });
}

TEST(Segment, KnowsWhoHasEnded) {
  const int file = made(3, kCap);
  SharedBoard board;
  const pid_t child = begin_idle(file, 1, board);
  Segment segment;
  attach(segment, file, 0);
  EXPECT_TRUE(segment.is_running(2)) << "it may come yet";
  board->meet(2, 1);
  EXPECT_TRUE(segment.is_running(0));
  EXPECT_TRUE(segment.is_running(1));
  // Where no descriptor is left nothing is known, and nobody declared dead.
  in_child([&] {
    // The child has no mapping; its own:
    const int again = dup(kFirst);
    Segment own;
    attach(own, again, 2);
    rlimit now;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
    ASSERT_TRUE(limit(RLIMIT_NOFILE, 0));
    EXPECT_TRUE(own.is_running(1));
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &now), 0);
    EXPECT_TRUE(own.is_running(1));
  });
  Wait wait(segment, nullptr);
  ASSERT_TRUE(wait.again(1));
  kill(child, SIGKILL);
  const auto began = std::chrono::steady_clock::now();
  while (wait.again(1)) {
    ASSERT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  }
  EXPECT_FALSE(segment.is_running(1)) << "a zombie";
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(segment.is_running(1));
  EXPECT_FALSE(segment.is_running(2)) << "the one without descriptors";
}

TEST(Wait, LetsOthersMakeProgress) {
  static int calls;
  calls = 0;
  const int file = made(2, kCap);
  Segment segment;
  attach(segment, file, 0);
  Wait wait(segment, []() noexcept { ++calls; });
  for (int k = 0; k < 5'000; ++k) ASSERT_TRUE(wait.again(0));
  EXPECT_GT(calls, 3'000);
  wait.restart();
  calls = 0;
  for (int k = 0; k < 5'000; ++k) {
    ASSERT_TRUE(wait.again(0));
    if (k % 10 == 0) wait.restart();
  }
  EXPECT_EQ(calls, 0);
}

TEST(Wait, LooksOnceMoreForWhatWasDoneBeforeTheEnd) {
  static pid_t other;
  static bool is_done;
  is_done = false;
  const int file = made(2, kCap);
  SharedBoard board;
  other = begin_idle(file, 1, board);
  Segment segment;
  attach(segment, file, 0);
  board->meet(2, 1);
  // It does its part and ends between a look and the question whether it still runs.
  Wait wait(segment, []() noexcept {
    if (is_done) return;
    is_done = true;
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    usleep(60'000);  // until it is time to ask
  });
  while (!is_done) ASSERT_TRUE(wait.again(1)) << "nobody looks at what was done";
  EXPECT_FALSE(wait.again(1)) << "the last look found nothing";
  // What it did was found all the same, and now another one is waited for.
  wait.restart();
  for (int k = 0; k < 5'000; ++k) ASSERT_TRUE(wait.again(0)) << "it runs";
}

}  // namespace gapless::wire::test
