// Staging: the cap, reuse, and every way in which buffers and threads can outlive each other.
#include "mpi/staging/staging.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace gapless::mpi {

namespace {

constexpr std::int64_t kKilo = 1 << 10;
constexpr std::int64_t kMega = 1 << 20;
constexpr std::int64_t kCap = 64 * kMega;
const bool cap_is_set = setenv("GAPLESS_POOL_BYTES", "64M", 1) == 0;  // before the pool reads it, at its first use

std::uintptr_t address(const Staging& staging) {
  return reinterpret_cast<std::uintptr_t>(staging.data());
}

void fill(const Staging& staging, std::int64_t bytes, int value) {
  std::memset(staging.data(), value, static_cast<std::size_t>(bytes));
}

bool filled(const Staging& staging, std::int64_t bytes, int value) {
  const auto* data = static_cast<const unsigned char*>(staging.data());
  return std::all_of(data, data + bytes, [value](unsigned char byte) { return byte == (value & 0xff); });
}

std::int64_t resident_pages(const Staging& staging, std::int64_t bytes) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = address(staging) / page * page;
  std::vector<unsigned char> present((address(staging) + static_cast<std::uintptr_t>(bytes) - first + page - 1) / page);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(first), present.size() * page, present.data()), 0);
  return std::count_if(present.begin(), present.end(), [](unsigned char flags) { return (flags & 1) != 0; });
}

// Gives back all that lies idle: only with nothing mapped is there room for all of the cap.
void empty_the_pool() {
  ASSERT_TRUE(cap_is_set);
  Staging all;
  ASSERT_TRUE(all.reserve(kCap));
  EXPECT_EQ(staging_bytes(), kCap);
}

struct StagingTest : testing::Test {
  void SetUp() override { empty_the_pool(); }
};

}  // namespace

TEST_F(StagingTest, the_cap_is_exact) {
  Staging all;
  ASSERT_TRUE(all.reserve(kCap));
  Staging more;
  EXPECT_FALSE(more.reserve(1));
  EXPECT_EQ(more.data(), nullptr);
  EXPECT_EQ(staging_bytes(), kCap);
  all.release();
  ASSERT_TRUE(more.reserve(1));
  EXPECT_LT(staging_bytes(), kCap);
  EXPECT_FALSE(all.reserve(kCap));
  EXPECT_FALSE(all.reserve(kCap + 1));
  EXPECT_FALSE(all.reserve(INT64_MAX));
  EXPECT_FALSE(all.reserve(-1));
  ASSERT_TRUE(more.reserve(10 * kMega));
  ASSERT_TRUE(all.reserve(kCap - 10 * kMega)) << "of a size between two classes, and just as much as there is";
  fill(all, kCap - 10 * kMega, 1);
  EXPECT_EQ(staging_bytes(), kCap);
  all.release();
  ASSERT_TRUE(all.reserve(kCap - 10 * kMega - 1));
  EXPECT_LE(staging_bytes(), kCap);
}

TEST_F(StagingTest, exhaustion_fails_and_recovers) {
  std::vector<Staging> held(kCap / (64 * kKilo));
  for (Staging& staging : held) ASSERT_TRUE(staging.reserve(64 * kKilo));
  EXPECT_EQ(staging_bytes(), kCap);
  Staging more;
  for (const std::int64_t bytes : {std::int64_t{1}, 64 * kKilo, 3 * kMega}) EXPECT_FALSE(more.reserve(bytes));
  EXPECT_EQ(staging_bytes(), kCap);
  held[17].release();
  ASSERT_TRUE(more.reserve(5000)) << "out of what one buffer of another class left";
  EXPECT_FALSE(held[17].reserve(64 * kKilo));
  more.release();
  ASSERT_TRUE(held[17].reserve(64 * kKilo));
  held.clear();
  empty_the_pool();
}

TEST_F(StagingTest, a_refusal_costs_the_idle_nothing) {
  Staging held, idle, more;
  ASSERT_TRUE(held.reserve(32 * kMega));
  ASSERT_TRUE(idle.reserve(8 * kMega));
  const std::uintptr_t place = address(idle);
  fill(idle, 8 * kMega, 7);
  idle.release();
  const std::int64_t before = staging_bytes();
  EXPECT_FALSE(more.reserve(48 * kMega));
  EXPECT_EQ(staging_bytes(), before);
  ASSERT_TRUE(idle.reserve(8 * kMega));
  EXPECT_EQ(address(idle), place);
  EXPECT_TRUE(filled(idle, 8 * kMega, 7));
}

TEST_F(StagingTest, a_thousand_small_ones_are_small_together) {
  for (const std::int64_t bytes : {100, 256, 1000, 3000, 4096, 20000}) {
    empty_the_pool();
    std::vector<Staging> held(1000);
    std::set<std::uintptr_t> places;
    for (std::size_t k = 0; k < held.size(); ++k) {
      ASSERT_TRUE(held[k].reserve(bytes));
      EXPECT_EQ(address(held[k]) % 64, 0U);
      places.insert(address(held[k]));
      fill(held[k], bytes, static_cast<int>(k * 7));
    }
    EXPECT_EQ(places.size(), held.size());
    for (std::size_t k = 0; k < held.size(); ++k) EXPECT_TRUE(filled(held[k], bytes, static_cast<int>(k * 7)));
    EXPECT_LE(staging_bytes(), 1000 * std::max<std::int64_t>(256, 2 * bytes) + 64 * kKilo);
    const std::int64_t most = staging_bytes();
    std::shuffle(held.begin(), held.end(), std::mt19937(1));
    held.resize(500);
    held.resize(1000);
    for (Staging& staging : held) ASSERT_TRUE(staging.data() != nullptr || staging.reserve(bytes));
    EXPECT_EQ(staging_bytes(), most);
  }
}

TEST_F(StagingTest, the_warm_buffer_comes_again) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{300}, 64 * kKilo, 65 * kKilo, 3 * kMega}) {
    Staging staging;
    ASSERT_TRUE(staging.reserve(bytes));
    const std::uintptr_t place = address(staging);
    for (int k = 0; k < 1000; ++k) {
      staging.release();
      ASSERT_TRUE(staging.reserve(bytes));
      ASSERT_EQ(address(staging), place);
    }
    Staging other;  // a call with two sides: both come again, the one released last first
    ASSERT_TRUE(other.reserve(bytes));
    const std::uintptr_t other_place = address(other);
    for (int k = 0; k < 1000; ++k) {
      staging.release();
      other.release();
      ASSERT_TRUE(other.reserve(bytes));
      ASSERT_EQ(address(other), other_place);
      ASSERT_TRUE(staging.reserve(bytes));
      ASSERT_EQ(address(staging), place);
    }
  }
}

TEST_F(StagingTest, the_last_of_many_is_the_warm_one) {
  std::vector<Staging> window(100);  // more than a thread keeps
  for (Staging& staging : window) ASSERT_TRUE(staging.reserve(3000));
  const std::uintptr_t last = address(window.back());
  for (Staging& staging : window) staging.release();
  Staging next;
  ASSERT_TRUE(next.reserve(3000));
  EXPECT_EQ(address(next), last);
}

TEST_F(StagingTest, its_user_touches_it_first) {
  Staging large, small;
  ASSERT_TRUE(large.reserve(4 * kMega));
  EXPECT_EQ(resident_pages(large, 4 * kMega), 0);
  ASSERT_TRUE(small.reserve(60 * kKilo));
  EXPECT_EQ(resident_pages(small, 60 * kKilo), 0);
  fill(small, 60 * kKilo, 1);
  EXPECT_GT(resident_pages(small, 60 * kKilo), 0);
}

TEST_F(StagingTest, moves) {
  Staging first;
  ASSERT_TRUE(first.reserve(5000));
  const std::uintptr_t place = address(first);
  Staging second = std::move(first);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT: a moved-from one is empty
  EXPECT_EQ(address(second), place);
  ASSERT_TRUE(first.reserve(5000));
  EXPECT_NE(address(first), place);
  first = std::move(second);
  EXPECT_EQ(address(first), place);
  Staging& itself = first;
  first = std::move(itself);
  first.release();
  first.release();
  ASSERT_TRUE(second.reserve(5000));
  EXPECT_EQ(address(second), place);
}

TEST_F(StagingTest, producer_and_consumer_stay_flat) {
  for (const std::int64_t bytes : {std::int64_t{3000}, 3 * kMega}) {
    empty_the_pool();
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Staging> queue;
    const int messages = bytes < kMega ? 50000 : 5000;
    std::thread consumer([&] {
      for (int k = 0; k < messages; ++k) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return !queue.empty(); });
        const Staging taken = std::move(queue.front());
        queue.pop_front();
        lock.unlock();
        changed.notify_all();
        EXPECT_EQ(*static_cast<int*>(taken.data()), k);
      }
    });
    for (int k = 0; k < messages; ++k) {
      Staging staging;
      ASSERT_TRUE(staging.reserve(bytes));
      *static_cast<int*>(staging.data()) = k;
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return queue.size() < 4; });
      queue.push_back(std::move(staging));
      lock.unlock();
      changed.notify_all();
    }
    consumer.join();
    // Outstanding: at most 4 in the queue and one in each hand. The consumer keeps some; the rest returns to be used.
    const int most = 6 + kept_by_a_thread(class_of(bytes));
    EXPECT_LE(staging_bytes(), most * class_bytes(class_of(bytes)) + 64 * kKilo);
  }
}

TEST_F(StagingTest, outlives_the_thread_that_reserved_it) {
  Staging kept;
  const std::int64_t bytes = 2 * kMega;
  for (int k = 0; k < 200; ++k) {
    Staging mine;
    std::thread([&] {
      Staging other;
      ASSERT_TRUE(mine.reserve(bytes));
      ASSERT_TRUE(other.reserve(bytes));  // falls to the thread itself, and with it to the pool
      ASSERT_TRUE(Staging().reserve(700));
      fill(mine, bytes, k);
    }).join();
    EXPECT_TRUE(filled(mine, bytes, k));
    kept = std::move(mine);
  }
  // `kept`, `mine`, `other`, and the two that this thread keeps of those that `kept` was.
  EXPECT_LE(staging_bytes(), 5 * bytes + 64 * kKilo);
}

TEST_F(StagingTest, what_another_thread_keeps_idle_can_be_reached) {
  std::mutex mutex;
  std::condition_variable changed;
  int step = 0;
  const auto reach = [&](int wanted) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return step == wanted; });
  };
  const auto go = [&](int next) {
    const std::lock_guard lock(mutex);
    step = next;
    changed.notify_all();
  };
  std::thread hoarder([&] {
    Staging large, small;
    ASSERT_TRUE(large.reserve(48 * kMega));
    ASSERT_TRUE(small.reserve(100));
    large.release();
    small.release();
    go(1);
    reach(2);
    ASSERT_TRUE(small.reserve(100));
    ASSERT_TRUE(large.reserve(48 * kMega));
  });
  reach(1);
  empty_the_pool();
  go(2);
  hoarder.join();
}

namespace {

// Dies after the thread's cache, because it was made before.
struct Late {
  bool* survived;
  ~Late() {
    Staging first, second;
    *survived = first.reserve(3000) && second.reserve(3 * kMega);
    if (*survived) fill(second, 3 * kMega, 1);
  }
};

}  // namespace

TEST_F(StagingTest, serves_a_thread_without_its_own_variables) {
  std::int64_t most = 0;
  for (int k = 0; k < 100; ++k) {
    bool survived = false;
    std::thread([&] {
      static thread_local Late late{&survived};
      (void)late;
      Staging early;
      ASSERT_TRUE(early.reserve(3000));
    }).join();
    ASSERT_TRUE(survived);
    if (k == 0) most = staging_bytes();
  }
  EXPECT_EQ(staging_bytes(), most);
}

TEST_F(StagingTest, ten_million_pairs_stay_flat) {
  std::minstd_rand random(3);
  std::vector<Staging> held(64);
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 1; bytes <= 256 * kKilo; bytes = bytes * 3 / 2 + 1) sizes.push_back(bytes);
  std::int64_t most = 0;
  for (int k = 0; k < 10'000'000; ++k) {
    Staging& staging = held[random() % held.size()];
    if (!staging.reserve(sizes[random() % sizes.size()])) FAIL() << "after " << k;
    if (k < 2'000'000) most = std::max(most, staging_bytes());
  }
  EXPECT_LE(staging_bytes(), most + most / 4);
  EXPECT_LE(staging_bytes(), kCap);
}

TEST_F(StagingTest, threads_at_the_cap) {
  std::atomic<int> refused{0}, granted{0};
  std::vector<std::thread> threads;
  for (unsigned id = 1; id <= 4; ++id) {
    threads.emplace_back([&, id] {
      std::minstd_rand random(id);
      std::vector<Staging> held(8);
      std::vector<std::int64_t> bytes(8, 0);
      for (int k = 0; k < 20000; ++k) {
        const std::size_t which = random() % held.size();
        const std::int64_t ends = std::min<std::int64_t>(bytes[which], 64);
        EXPECT_TRUE(held[which].data() == nullptr || filled(held[which], ends, static_cast<int>(id)));
        bytes[which] = (std::int64_t{1} << (random() % 24)) + random() % 1000;
        if (held[which].reserve(bytes[which])) {
          ++granted;
          fill(held[which], std::min<std::int64_t>(bytes[which], 64), static_cast<int>(id));
        } else {
          ++refused;
        }
        EXPECT_LE(staging_bytes(), kCap);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(refused, 0);
  EXPECT_GT(granted, 1000);
  empty_the_pool();
}

TEST_F(StagingTest, works_in_a_forked_child) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; ++k) {
    threads.emplace_back([&] {
      while (!done) {
        std::vector<Staging> held(80);  // more than a thread keeps, so the lock is busy
        for (Staging& staging : held) ASSERT_TRUE(staging.reserve(3000));
      }
    });
  }
  Staging mine;
  ASSERT_TRUE(mine.reserve(100000));
  fill(mine, 100000, 5);
  for (int k = 0; k < 100; ++k) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(10);
      bool good = filled(mine, 100000, 5);
      Staging small[100], large;
      for (Staging& staging : small) good = good && staging.reserve(3000);
      good = good && large.reserve(3 * kMega);
      mine.release();
      _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status << " of child " << k;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gapless::mpi
