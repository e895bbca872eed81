// A channel of this process to all others of its job: what docs/fabric.md describes. One thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "channel/layouts.hpp"
#include "channel/mail.hpp"
#include "channel/peers.hpp"
#include "channel/settings.hpp"
#include "channel/transfer.hpp"
#include "channel/way.hpp"
#include "gapless/gapless_channel.h"
#include "wire/fabric/life.hpp"
#include "wire/fabric/memory.hpp"

namespace gapless::channel {

class Channel {
 public:
  // Meets the others. Throws Failure.
  static std::unique_ptr<Channel> open(const Settings& settings);
  ~Channel();

  Transfer* send(const void* buffer, std::int64_t count, gapless_type type, int peer);
  Transfer* receive(void* buffer, std::int64_t count, gapless_type type, int peer);
  // Whether it has ended, well or not, within the time [ns] (negative: the channel's).
  bool wait(Transfer* transfer, std::int64_t timeout_ns);
  void free(Transfer* transfer) noexcept;
  bool knows(Transfer* transfer) const noexcept { return transfers_.contains(transfer); }
  // Whether all that were talked to have said goodbye, or ended, within the channel's time.
  bool close();
  void forget(void* base, std::int64_t bytes) { layouts_.forget(static_cast<char*>(base), bytes); }

  GAPLESS_Channel_counters counters() const;
  const char* provider() const noexcept { return endpoint_->provider().c_str(); }

  // For tests: a frame's bytes as if they had come from a peer, seal and sequence made right.
  void hear(int from, std::span<const std::byte> frame);
  // The same without a meeting.
  static std::unique_ptr<Channel> join(const Settings& settings, std::unique_ptr<wire::fabric::Endpoint> endpoint,
                                       std::unique_ptr<wire::fabric::Life> life, wire::fabric::Room::Outcome met);

 private:
  friend struct ChannelProbe;  // tests look inside
  Channel(const Settings& settings, std::unique_ptr<wire::fabric::Endpoint> endpoint,
          std::unique_ptr<wire::fabric::Life> life, wire::fabric::Room::Outcome met);

  // channel.cpp: what all messages need.
  bool progress();
  void complete(const wire::fabric::Completion& completion);
  void end(Transfer& transfer, wire::fabric::Fault fault = wire::fabric::Fault::kNone, std::string text = {});
  void lose(Peer& peer, const std::string& why);
  void look_after(Peer& peer);
  bool wait_for(std::int64_t timeout_ns, Peer* peer, bool (*is_over)(const void*), const void* what);
  void note_rate(std::int64_t ns, std::int64_t bytes) noexcept;
  void withdraw(Issue* issue) noexcept;
  Issue* issue(Transfer& transfer, wire::fabric::Operation::Kind kind);
  void take(const Header& header, std::span<const std::byte> body);

  // outgoing.cpp
  void start(Outgoing& message);
  void cleared(Peer& peer, const Header& header, std::span<const std::byte> body);
  void credited(const Header& header, Peer& peer);
  void advance(Outgoing& message);
  bool compose(Outgoing& message);
  bool write_pending(Outgoing& message);
  void matched(Peer& peer, std::uint32_t count);
  Stage* stage(std::int64_t bytes);
  void* descriptor_of(const Transfer& message, void* base, std::int64_t bytes) const noexcept;
  Outgoing* outgoing(const Peer& peer, std::uint32_t number) noexcept;

  // segments.cpp
  bool send_chunks(Outgoing& message);
  void receive_chunks(Incoming& message);

  // incoming.cpp
  void match(Peer& peer);
  void accept(Incoming& message);
  void clear(Incoming& message, Target& target);
  void show(Peer& peer, const OwnForm& form);
  void keep_form(Peer& peer, std::span<const std::byte> body);
  void written(std::uint32_t word);
  void unpack(Incoming& message, std::uint32_t part);
  void finish(Incoming& message);
  void release(Target& target);
  static Place place(const wire::fabric::Region& region, char* base, std::int64_t bytes);
  // What it takes to register a message's memory, in parts of what the message takes.
  double share_of_registering(const Placement& placement) const;
  // Up to the first one it is done whenever it may be of use; up to the second one for a message that goes by lists:
  // what it costs is in the cycles by which the choice is made. What costs more is done aside, for memory that is used
  // again.
  static constexpr double kNoMatter = 0.02, kTried = 0.25;

  // self.cpp
  void match_own();

  Settings settings_;
  // libfabric still writes to what it was given while it closes its endpoint: these go after it.
  Mail mail_;
  std::deque<std::unique_ptr<Issue>> issues_;
  std::deque<std::unique_ptr<Stage>> stages_;
  std::vector<Target> targets_;
  std::unique_ptr<wire::fabric::Endpoint> endpoint_;
  wire::fabric::Memory memory_;
  std::unique_ptr<wire::fabric::Life> life_;
  Peers peers_;
  Layouts layouts_;
  Ways ways_;
  std::unordered_set<Transfer*> transfers_;
  std::vector<Issue*> free_issues_;
  std::vector<Stage*> free_stages_;
  std::vector<Outgoing*> moving_;     // that may write
  std::vector<Outgoing*> sending_;    // asked for, or moving
  std::vector<Incoming*> receiving_;  // by chunks
  std::vector<Target*> free_targets_;
  std::deque<Incoming*> without_target_;
  std::deque<Outgoing*> own_sends_;
  std::deque<Incoming*> own_receives_;
  double ns_per_byte_ = 0;  // of messages so far; 0: there was none
  GAPLESS_Channel_counters counters_{};
};

}  // namespace gapless::channel
