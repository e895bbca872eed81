// Isolated staging: whatever a library writes past the end of one buffer meets no other, and is memory for a moment
// only.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mpi/staging/mapping.hpp"
#include "mpi/staging/staging.hpp"

// It leaves room for few windows, and its own memory grows with what is written.
#if defined(__SANITIZE_THREAD__)
#define GAPLESS_NOT_UNDER_TSAN GTEST_SKIP() << "not with the thread sanitizer"
#else
#define GAPLESS_NOT_UNDER_TSAN static_cast<void>(0)
#endif

namespace gapless::mpi {

namespace {

constexpr std::int64_t kKilo = 1 << 10;
constexpr std::int64_t kMega = 1 << 20;
constexpr std::int64_t kCap = 64 * kMega;  // as staging_test.cpp sets it: one process may run both

char* bytes_of(const Staging& staging) {
  return static_cast<char*>(staging.data());
}

std::int64_t resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  EXPECT_NE(file, nullptr);
  EXPECT_EQ(std::fscanf(file, "%ld %ld", &pages, &resident), 2);
  std::fclose(file);
  return resident * base::page_bytes();
}

struct IsolatedStagingTest : testing::Test {
  void SetUp() override {
    setenv("GAPLESS_POOL_BYTES", "64M", 1);
    Staging all;  // gives back all that lies idle, windows too
    ASSERT_TRUE(all.reserve(kCap));
  }
};

// Runs `body` in a child process, which returns whether all was well.
template <class Body>
void in_child(Body&& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

}  // namespace

TEST_F(IsolatedStagingTest, overruns_meet_nobody) {
  constexpr std::int64_t kPast = 24 * kMega;
  const std::int64_t sizes[] = {1, 1000, 8 * kKilo, 60 * kKilo, 100 * kKilo, 3 * kMega};
  std::vector<Staging> held(60), ordinary(60);
  for (std::size_t k = 0; k < held.size(); ++k) {
    const std::int64_t bytes = sizes[k % 6];
    if (!held[k].reserve_isolated(bytes)) {  // the large ones fill the cap
      ASSERT_EQ(bytes, 3 * kMega);
      ASSERT_TRUE(held[k].reserve_isolated(10));
    }
    ASSERT_TRUE(ordinary[k].reserve(300));
  }
  const auto size = [&](std::size_t k) {
    return k % 6 == 5 ? std::size_t{10} : static_cast<std::size_t>(sizes[k % 6]);
  };
  for (std::size_t k = 0; k < held.size(); ++k) {
    std::memset(held[k].data(), static_cast<int>(k), size(k));
    std::memset(ordinary[k].data(), static_cast<int>(k), 300);
  }
  for (const std::size_t victim : {std::size_t{7}, std::size_t{20}, std::size_t{0}, std::size_t{45}}) {
    std::memset(held[victim].data(), 0xee, kPast);
    std::memset(held[victim].data(), static_cast<int>(victim), size(victim));
    for (std::size_t k = 0; k < held.size(); ++k) {
      const auto is_k = [k](char byte) { return byte == static_cast<char>(k); };
      ASSERT_TRUE(std::all_of(bytes_of(held[k]), bytes_of(held[k]) + size(k), is_k)) << k << " after " << victim;
      ASSERT_TRUE(std::all_of(bytes_of(ordinary[k]), bytes_of(ordinary[k]) + 300, is_k)) << k << " after " << victim;
    }
  }
}

TEST_F(IsolatedStagingTest, the_whole_window_is_free) {
  for (const std::int64_t bytes : {std::int64_t{100}, 20 * kKilo, 90 * kKilo, 5 * kMega}) {
    Staging first, second;
    ASSERT_TRUE(first.reserve_isolated(bytes));
    ASSERT_TRUE(second.reserve_isolated(bytes));
    for (Staging* staging : {&first, &second}) {
      const std::int64_t distance = std::abs(bytes_of(first) - bytes_of(second));
      EXPECT_GE(distance, bytes + kOverrun);
      bytes_of(*staging)[bytes + kOverrun - 1] = 1;
    }
  }
}

TEST_F(IsolatedStagingTest, overruns_are_given_back) {
  GAPLESS_NOT_UNDER_TSAN;
  constexpr std::int64_t kPast = 40 * kMega;
  for (const std::int64_t bytes : {1000 * std::int64_t{1}, 100 * kKilo, 4 * kMega}) {
    Staging staging;
    ASSERT_TRUE(staging.reserve_isolated(bytes));
    std::memset(staging.data(), 1, static_cast<std::size_t>(bytes));
    const std::int64_t before = resident_bytes();
    char* const place = bytes_of(staging);
    std::memset(staging.data(), 2, kPast);
    EXPECT_GT(resident_bytes(), before + kPast - bytes - 4 * kMega);
    Staging moved = std::move(staging);
    moved.release();
    EXPECT_LT(resident_bytes(), before + 4 * kMega);
    ASSERT_TRUE(staging.reserve_isolated(bytes));
    EXPECT_EQ(bytes_of(staging), place);
    EXPECT_EQ(place[bytes - 1], 2) << "the block itself stays warm";
    EXPECT_EQ(place[kPast - 1], 0);
  }
}

TEST_F(IsolatedStagingTest, what_went_well_is_left_alone) {
  Staging staging;
  ASSERT_TRUE(staging.reserve_isolated(1000));
  char* const place = bytes_of(staging);
  place[kMega] = 7;
  staging.contained();
  staging.release();
  ASSERT_TRUE(staging.reserve_isolated(1000));
  ASSERT_EQ(bytes_of(staging), place);
  EXPECT_EQ(place[kMega], 7);  // so no call of the kernel was made
  staging.release();           // contained() was for the first time only
  ASSERT_TRUE(staging.reserve_isolated(1000));
  EXPECT_EQ(place[kMega], 0);
}

TEST_F(IsolatedStagingTest, windows_are_limited_and_come_again) {
  GAPLESS_NOT_UNDER_TSAN;
  std::vector<Staging> held(pool::kMaxWindows);
  for (Staging& staging : held) ASSERT_TRUE(staging.reserve_isolated(100));
  const std::int64_t most = staging_bytes();
  Staging ordinary, more;
  ASSERT_TRUE(ordinary.reserve(100));
  char* const place = bytes_of(ordinary);
  ordinary.release();
  EXPECT_FALSE(more.reserve_isolated(100));
  EXPECT_FALSE(more.reserve_isolated(100 * kKilo));
  ASSERT_TRUE(ordinary.reserve(100));
  EXPECT_EQ(bytes_of(ordinary), place) << "the refusal cost the idle nothing";
  held[17].release();
  ASSERT_TRUE(more.reserve_isolated(3000));
  EXPECT_FALSE(held[17].reserve_isolated(100));
  more.release();
  held.erase(held.begin(), held.begin() + 100);
  ASSERT_TRUE(more.reserve_isolated(100 * kKilo)) << "out of the windows of another class";
  held.clear();
  held.resize(pool::kMaxWindows - 1);
  for (Staging& staging : held) ASSERT_TRUE(staging.reserve_isolated(200));
  EXPECT_LE(staging_bytes(), most + 128 * kKilo + 64 * kKilo);
}

TEST_F(IsolatedStagingTest, counts_for_the_cap) {
  Staging large, other;
  ASSERT_TRUE(large.reserve_isolated(56 * kMega));
  EXPECT_EQ(staging_bytes(), 56 * kMega);
  EXPECT_FALSE(other.reserve_isolated(10 * kMega));
  EXPECT_FALSE(other.reserve(10 * kMega));
  ASSERT_TRUE(other.reserve_isolated(500 * kKilo));
  EXPECT_EQ(staging_bytes(), 56 * kMega + 512 * kKilo);
  large.release();
  ASSERT_TRUE(large.reserve(40 * kMega));
  EXPECT_FALSE(other.reserve_isolated(kCap + 1));
  EXPECT_FALSE(other.reserve_isolated(-1));
}

TEST_F(IsolatedStagingTest, small_ones_take_small_pages) {
  GAPLESS_NOT_UNDER_TSAN;
  const std::int64_t before = resident_bytes();
  std::vector<Staging> held(1000);
  for (Staging& staging : held) {
    ASSERT_TRUE(staging.reserve_isolated(300));
    std::memset(staging.data(), 1, 300);
  }
  EXPECT_LT(resident_bytes(), before + 16 * kMega);
  EXPECT_LE(staging_bytes(), 1000 * 4 * kKilo + 64 * kKilo);
}

TEST_F(IsolatedStagingTest, none_where_address_space_is_limited) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer itself has reserved terabytes";
#endif
  in_child([] {
    const rlimit limit{std::int64_t{64} << 30, std::int64_t{64} << 30};
    if (setrlimit(RLIMIT_AS, &limit) != 0) return false;
    Staging isolated, ordinary;
    bool good = ordinary.reserve(3 * kMega);
    char* const place = bytes_of(ordinary);
    for (int k = 0; k < 100; ++k) good = good && !isolated.reserve_isolated(3 * kMega) && isolated.data() == nullptr;
    ordinary.release();
    for (int k = 0; k < 100; ++k) good = good && !isolated.reserve_isolated(3 * kMega);
    return good && ordinary.reserve(3 * kMega) && bytes_of(ordinary) == place;
  });
}

TEST_F(IsolatedStagingTest, a_program_that_locks_its_memory) {
  GAPLESS_NOT_UNDER_TSAN;
  in_child([] {
    if (mlockall(MCL_FUTURE) != 0) return true;  // not allowed here
    const std::int64_t before = resident_bytes();
    Staging staging;
    if (!staging.reserve_isolated(1000)) return true;  // a limit on locked memory
    bool good = resident_bytes() < before + 16 * kMega;
    std::memset(staging.data(), 1, 30 * kMega);
    staging.release();
    return good && resident_bytes() < before + 16 * kMega;
  });
}

TEST_F(IsolatedStagingTest, works_in_a_forked_child) {
  Staging mine;
  ASSERT_TRUE(mine.reserve_isolated(1000));
  std::memset(mine.data(), 5, 1000);
  in_child([&] {
    Staging own;
    const bool good = bytes_of(mine)[999] == 5 && own.reserve_isolated(1000);
    std::memset(own.data(), 6, 10 * kMega);
    own.release();
    mine.release();
    return good;
  });
  EXPECT_EQ(bytes_of(mine)[999], 5);
}

}  // namespace gapless::mpi
