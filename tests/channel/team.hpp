// The processes of a job, each forked, none of them this one: so that it may kill, stop and judge them.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "channel/job.hpp"
#include "gapless/gapless_channel.h"

namespace gapless::test {

inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the processes tell each other beside the channel.
struct Board {
  std::atomic<int> steps[16];
  void tell(int step, int value = 1) { steps[step] = value; }
  bool is_told(int step) const { return steps[step] != 0; }
  void await(int step, double limit_s = 30) const {
    for (const double until = seconds() + limit_s; !is_told(step); usleep(500))
      if (seconds() > until) throw std::runtime_error("step " + std::to_string(step) + " was never told");
  }
};

// What libfabric's shm has of a process in /dev/shm: the names begin with its number and a colon. A name that merely
// contains the number may be another job's (mpich_shm_d3f87933_0).
inline std::vector<std::filesystem::path> shared_memory_of(pid_t process) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error))
    if (entry.path().filename().string().starts_with(std::to_string(process) + ":")) paths.push_back(entry.path());
  return paths;
}
// libfabric's shm leaves it where a process is killed.
inline void remove_shared_memory_of(pid_t process) {
  std::error_code error;
  for (const std::filesystem::path& path : shared_memory_of(process)) std::filesystem::remove(path, error);
}

class Team {
 public:
  Team(int processes, const std::function<void(int, Board&)>& body)
      : board_(new (mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board{}) {
    std::fflush(nullptr);
    for (int rank = 0; rank < processes; ++rank) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int status = 0;
        try {
          body(rank, *board_);
        } catch (const std::exception& error) {
          std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
          status = 1;
        }
        std::fflush(nullptr);
        _exit(status);
      }
      children_.push_back(child);
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    for (std::size_t rank = 0; rank < children_.size(); ++rank) end(static_cast<int>(rank));
    munmap(board_, sizeof(Board));
  }
  Board& board() { return *board_; }
  void send(int rank, int signal) const { kill(children_[static_cast<std::size_t>(rank)], signal); }
  void end(int rank) {
    const pid_t child = std::exchange(children_[static_cast<std::size_t>(rank)], -1);
    if (child <= 0) return;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    remove_shared_memory_of(child);
  }
  // Whether it comes to a good end.
  bool is_good(int rank, double limit_s = 60) {
    int status = -1;
    pid_t& child = children_[static_cast<std::size_t>(rank)];
    for (const double until = seconds() + limit_s; waitpid(child, &status, WNOHANG) == 0; usleep(1000)) {
      if (seconds() <= until) continue;
      std::fprintf(stderr, "rank %d hangs\n", rank);
      return false;
    }
    child = -1;
    return status == 0;
  }
  bool all_good() {
    bool good = true;
    for (std::size_t rank = 0; rank < children_.size(); ++rank)
      if (children_[rank] > 0) good &= is_good(static_cast<int>(rank));
    return good;
  }

 private:
  Board* board_;
  std::vector<pid_t> children_;
};

inline void claim(bool condition, const std::string& text) {
  if (!condition) throw std::runtime_error(text);
}

// A type of the notation.
class Made {
 public:
  explicit Made(const std::string& text) {
    claim(gapless_type_parse(text.c_str(), &type_) == GAPLESS_SUCCESS, gapless_last_error());
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { gapless_type_free(&type_); }
  operator gapless_type() const { return type_; }

 private:
  gapless_type type_ = nullptr;
};

// Calls that must end with a status.
inline void expect(int status, int wanted, const std::string& what) {
  claim(status == wanted, what + " ended with " + std::to_string(status) + ", not " + std::to_string(wanted) + ": " +
                              (status != 0 ? GAPLESS_Channel_last_error() : ""));
}
inline GAPLESS_Transfer send(const ChannelHandle& channel, const void* buffer, std::int64_t count, gapless_type type,
                             int peer) {
  GAPLESS_Transfer transfer = nullptr;
  expect(GAPLESS_Channel_send(channel.get(), buffer, count, type, peer, &transfer), 0, "send");
  return transfer;
}
inline GAPLESS_Transfer receive(const ChannelHandle& channel, void* buffer, std::int64_t count, gapless_type type,
                                int peer) {
  GAPLESS_Transfer transfer = nullptr;
  expect(GAPLESS_Channel_receive(channel.get(), buffer, count, type, peer, &transfer), 0, "receive");
  return transfer;
}
// Returns how many bytes were moved, -1 unless `wanted` is success.
inline std::int64_t wait(const ChannelHandle& channel, GAPLESS_Transfer& transfer, int wanted = 0,
                         double timeout_s = -1) {
  std::int64_t bytes = -1;
  expect(GAPLESS_Channel_wait(channel.get(), &transfer, timeout_s, &bytes), wanted, "wait");
  claim((transfer == nullptr) == (wanted != GAPLESS_CHANNEL_ERR_TIMEOUT), "a transfer ends unless it goes on");
  claim(wanted == 0 || bytes == -1, "outputs are set on success only");
  return bytes;
}
inline std::string error_text() {
  return GAPLESS_Channel_last_error();
}
inline void claim_text(const std::string& part) {
  claim(error_text().find(part) != std::string::npos, "'" + error_text() + "' does not say '" + part + "'");
}
inline GAPLESS_Channel_counters count(const ChannelHandle& channel) {
  GAPLESS_Channel_counters counters;
  expect(GAPLESS_Channel_count(channel.get(), &counters, sizeof counters), 0, "count");
  return counters;
}
inline void close(ChannelHandle& channel, int wanted = 0) {
  GAPLESS_Channel closing = channel.release();
  expect(GAPLESS_Channel_close(&closing), wanted, "close");
  claim(closing == nullptr, "a channel that is closed is NULL");
}

inline unsigned char data(std::uint64_t seed, std::size_t k) {
  return static_cast<unsigned char>((seed * 0xBF58476D1CE4E5B9ULL + k * 0x9E3779B97F4A7C15ULL) >> 41);
}
using Memory = std::vector<unsigned char>;
inline Memory filled(std::size_t bytes, std::uint64_t seed) {
  Memory memory(bytes);
  for (std::size_t k = 0; k < bytes; ++k) memory[k] = data(seed, k);
  return memory;
}

}  // namespace gapless::test
