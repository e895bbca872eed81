#include "fabric/link.hpp"

#include <stdexcept>

namespace gapless::lab::fabric {

void must(int status, const char* what) {
  if (status != 0) throw std::runtime_error(std::string(what) + ": " + GAPLESS_Channel_last_error());
}

Link::Link(const Place& place, const std::string& way) : timeout_s_(place.timeout_s) {
  GAPLESS_Channel_options options = GAPLESS_CHANNEL_OPTIONS;
  options.rank = place.rank;
  options.processes = place.processes;
  options.meeting = place.meeting.c_str();
  options.provider = place.provider.c_str();
  options.domain = place.domain.c_str();
  options.way = way.c_str();
  options.timeout_s = place.timeout_s;
  must(GAPLESS_Channel_open(&options, &channel_), "opening a channel");
  if (gapless_type_parse("int64", &number_) != GAPLESS_SUCCESS) throw std::runtime_error(gapless_last_error());
}

Link::~Link() {
  gapless_type_free(&number_);
  if (channel_ != nullptr) GAPLESS_Channel_close(&channel_);
}

void Link::close() {
  must(GAPLESS_Channel_close(&channel_), "closing a channel");
}

void Link::wait(GAPLESS_Transfer& transfer, const char* what) {
  must(GAPLESS_Channel_wait(channel_, &transfer, timeout_s_, nullptr), what);
}

void Link::send(const void* buffer, std::int64_t count, gapless_type type, int peer) {
  GAPLESS_Transfer transfer = GAPLESS_TRANSFER_NULL;
  must(GAPLESS_Channel_send(channel_, buffer, count, type, peer, &transfer), "sending");
  wait(transfer, "sending");
}

void Link::receive(void* buffer, std::int64_t count, gapless_type type, int peer) {
  GAPLESS_Transfer transfer = GAPLESS_TRANSFER_NULL;
  must(GAPLESS_Channel_receive(channel_, buffer, count, type, peer, &transfer), "receiving");
  wait(transfer, "receiving");
}

void Link::send_receive(const void* from, int to_peer, void* to, int from_peer, std::int64_t count, gapless_type type) {
  GAPLESS_Transfer in = GAPLESS_TRANSFER_NULL, out = GAPLESS_TRANSFER_NULL;
  must(GAPLESS_Channel_receive(channel_, to, count, type, from_peer, &in), "receiving");
  must(GAPLESS_Channel_send(channel_, from, count, type, to_peer, &out), "sending");
  wait(out, "sending");
  wait(in, "receiving");
}

void Link::tell(std::int64_t number, int peer) {
  send(&number, 1, number_, peer);
}

std::int64_t Link::hear(int peer) {
  std::int64_t number = 0;
  receive(&number, 1, number_, peer);
  return number;
}

void Link::forget(void* base, std::int64_t bytes) {
  must(GAPLESS_Channel_forget(channel_, base, bytes), "forgetting memory");
}

GAPLESS_Channel_counters Link::count() const {
  GAPLESS_Channel_counters counters{};
  must(GAPLESS_Channel_count(channel_, &counters, sizeof counters), "counting");
  return counters;
}

Json since(const GAPLESS_Channel_counters& before, const GAPLESS_Channel_counters& now) {
  return {{"eager", now.eager - before.eager},
          {"host", now.host - before.host},
          {"lists", now.lists - before.lists},
          {"segments", now.segments - before.segments},
          {"bytes", now.bytes - before.bytes},
          {"writes", now.writes - before.writes},
          {"layouts_shown", now.layouts_shown - before.layouts_shown},
          {"layouts_known", now.layouts_known - before.layouts_known},
          {"registrations", now.registrations - before.registrations},
          {"registered_bytes", now.registered_bytes - before.registered_bytes},
          {"registration_ns", now.registration_ns - before.registration_ns},
          {"registered_aside", now.registered_aside - before.registered_aside},
          {"frames_refused", now.frames_refused - before.frames_refused},
          {"queued", now.queued - before.queued},
          {"endpoints", now.endpoints},
          {"memory_bytes", now.memory_bytes},
          {"peer_bytes", now.peer_bytes}};
}

}  // namespace gapless::lab::fabric
