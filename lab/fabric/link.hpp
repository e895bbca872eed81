// A channel of the job, opened with one way, and what it has counted.
#pragma once

#include <cstdint>
#include <string>

#include "gapless/gapless_channel.h"
#include "json_line.hpp"

namespace gapless::lab::fabric {

struct Place {
  int rank = 0, processes = 2;
  std::string meeting, provider = "tcp", domain;
  double timeout_s = 60;
};

void must(int status, const char* what);

class Link {
 public:
  Link(const Place& place, const std::string& way);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(const void* buffer, std::int64_t count, gapless_type type, int peer);
  void receive(void* buffer, std::int64_t count, gapless_type type, int peer);
  // Both begin before either is waited for.
  void send_receive(const void* from, int to_peer, void* to, int from_peer, std::int64_t count, gapless_type type);
  // A number that both must have: sent by one, received by the other.
  void tell(std::int64_t number, int peer);
  std::int64_t hear(int peer);
  void forget(void* base, std::int64_t bytes);
  // Collective, and only once; the destructor closes what was not closed.
  void close();

  GAPLESS_Channel_counters count() const;
  std::string provider() const { return GAPLESS_Channel_provider(channel_); }

 private:
  void wait(GAPLESS_Transfer& transfer, const char* what);

  double timeout_s_;
  GAPLESS_Channel channel_ = nullptr;
  gapless_type number_ = nullptr;
};

// What was counted in between; memory as it is now.
Json since(const GAPLESS_Channel_counters& before, const GAPLESS_Channel_counters& now);

}  // namespace gapless::lab::fabric
