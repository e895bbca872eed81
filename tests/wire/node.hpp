// Processes of a node for the tests: children of fork, and what they tell each other beside the memory under test.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "wire/segment.hpp"

namespace gapless::wire::test {

inline constexpr std::int64_t kMega = 1 << 20;

// Runs `body` in a child, which may fail by EXPECT; returns its number.
template <class Body>
pid_t begin(Body&& body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child != 0) return child;
  alarm(60);
  body();
  std::fflush(stdout);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

inline void expect_good_end(pid_t child) {
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "status " << status;
}

template <class Body>
void in_child(Body&& body) {
  expect_good_end(begin(body));
}

inline int made(int processes, std::int64_t cap) {
  std::string why;
  const int file = Segment::make(processes, cap, why);
  EXPECT_GE(file, 0) << why;
  return file;
}

inline void attach(Segment& segment, int file, int self) {
  std::string why;
  ASSERT_TRUE(segment.attach(file, self, why)) << why;
}

// [bytes] of memory that a file has.
inline std::int64_t bytes_behind(int descriptor) {
  struct stat file{};
  EXPECT_EQ(fstat(descriptor, &file), 0);
  return file.st_blocks * 512;
}

// Shared by the parent and its children.
struct Board {
  std::atomic<int> arrived{0};
  std::atomic<int> number{-1};

  // Until all of them are here for the `round`th time, counted from 1.
  void meet(int processes, int round) {
    arrived.fetch_add(1);
    while (arrived.load() < processes * round) usleep(200);
  }
};

class SharedBoard {
 public:
  SharedBoard() {
    void* const place = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) std::abort();
    board_ = new (place) Board;
  }
  ~SharedBoard() { munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board& operator*() const { return *board_; }
  Board* operator->() const { return board_; }

 private:
  Board* board_;
};

// Runs body(segment, self) in as many processes, each attached.
template <class Body>
void on_node(int processes, std::int64_t cap, Body&& body) {
  const int file = made(processes, cap);
  std::vector<pid_t> children;
  for (int self = 0; self < processes; ++self) {
    children.push_back(begin([&] {
      Segment segment;
      attach(segment, file, self);
      if (!testing::Test::HasFailure()) body(segment, self);
    }));
  }
  close(file);
  // Who waits for one that has failed would wait until its alarm.
  for (std::size_t k = 0; k < children.size(); ++k) {
    int status = 0;
    const pid_t child = waitpid(-1, &status, 0);
    const bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(is_good) << "process " << std::find(children.begin(), children.end(), child) - children.begin()
                         << ", status " << status;
    if (is_good) continue;
    for (const pid_t other : children) {
      if (other != child) kill(other, SIGKILL);
    }
  }
}

}  // namespace gapless::wire::test
