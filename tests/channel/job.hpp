// A job of several processes of one machine, for tests of channels.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gapless/gapless_channel.h"

namespace gapless::test {

struct CloseChannel {
  void operator()(GAPLESS_Channel channel) const noexcept {
    if (GAPLESS_Channel_close(&channel) != 0) std::fprintf(stderr, "close: %s\n", GAPLESS_Channel_last_error());
  }
};
using ChannelHandle = std::unique_ptr<GAPLESS_Channel_s, CloseChannel>;

// A port that nobody listens at; the kernel hands out others for a while.
inline std::string free_place() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    throw std::runtime_error("no free port");
  close(listener);
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

struct Job {
  std::string place = free_place();
  std::string secret = "of a test";

  // The texts are to live as long as the options.
  GAPLESS_Channel_options options(int rank, int processes, const char* provider, const char* way) const {
    GAPLESS_Channel_options made = GAPLESS_CHANNEL_OPTIONS;
    made.rank = rank;
    made.processes = processes;
    made.meeting = place.c_str();
    made.secret = secret.c_str();
    made.provider = provider;
    made.way = way;
    made.timeout_s = 100;
    return made;
  }
  ChannelHandle open(int rank, int processes, const std::string& provider = "tcp",
                     const std::string& way = "adaptive") const {
    const GAPLESS_Channel_options made = options(rank, processes, provider.c_str(), way.c_str());
    GAPLESS_Channel channel = nullptr;
    if (GAPLESS_Channel_open(&made, &channel) != 0)
      throw std::runtime_error(std::string("open: ") + GAPLESS_Channel_last_error());
    return ChannelHandle(channel);
  }
};

// Runs `body` in a process of its own for each rank but the last one, which runs here. 0 if none failed.
inline int run_ranks(int processes, const std::function<void(int)>& body) {
  std::fflush(nullptr);
  const auto guarded = [&](int rank) {
    try {
      body(rank);
      return 0;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      return 1;
    }
  };
  std::vector<pid_t> children;
  for (int rank = 0; rank + 1 < processes; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      const int status = guarded(rank);
      std::fflush(nullptr);
      _exit(status);
    }
    children.push_back(child);
  }
  int status = guarded(processes - 1);
  for (const pid_t child : children) {
    int how = 0;
    waitpid(child, &how, 0);
    if (how != 0) status = 1;
  }
  return status;
}

}  // namespace gapless::test
