// Looks into a channel, and hands it what a peer's writes would.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include "channel/channel.hpp"

namespace gapless::channel {

struct ChannelProbe {
  static void written(Channel& channel, std::uint32_t word) { channel.written(word); }
  static std::uint32_t generation(const Channel& channel, std::uint32_t target) {
    return target < channel.targets_.size() ? channel.targets_[target].generation : 0;
  }

  static bool has_lost(Channel& channel, int rank) {
    const Peer& peer = channel.peers_.at(rank);
    return peer.is_gone || peer.said_bye;
  }

  // What is wrong with its lists; nullptr: nothing is.
  static const char* fault(Channel& channel) {
    const auto ended = [&](const Transfer* one) {
      return !channel.transfers_.contains(const_cast<Transfer*>(one)) || one->is_done;
    };
    const auto any_ended = [&](const auto& list) { return std::ranges::any_of(list, ended); };
    if (any_ended(channel.moving_)) return "a message that has ended may write";
    if (any_ended(channel.sending_)) return "a message that has ended is asked for";
    if (any_ended(channel.receiving_)) return "a message that has ended receives chunks";
    if (any_ended(channel.without_target_)) return "a message that has ended waits for a target";
    if (any_ended(channel.own_sends_) || any_ended(channel.own_receives_)) return "a message to itself has ended";
    for (const Peer* peer : channel.peers_.known()) {
      if (any_ended(peer->waiting)) return "a message that has ended waits for the window";
      if (any_ended(peer->posted)) return "a receive that has ended waits for a message";
      if (peer->arrived.size() > kWindow) return "more messages have come than the window lets through";
    }
    std::set<const Target*> free(channel.free_targets_.begin(), channel.free_targets_.end());
    if (free.size() != channel.free_targets_.size()) return "a target is free twice";
    for (const Target& target : channel.targets_) {
      if ((target.user == nullptr) != free.contains(&target)) return "a target is free and in use, or neither";
      if (target.user != nullptr && (ended(target.user) || target.user->target != &target))
        return "a target is another message's, or of one that has ended";
    }
    if (!channel.without_target_.empty() && !free.empty()) return "a message waits for a target, and one is free";
    const std::set<const Stage*> stages(channel.free_stages_.begin(), channel.free_stages_.end());
    if (stages.size() != channel.free_stages_.size()) return "a buffer is free twice";
    const std::set<const Issue*> issues(channel.free_issues_.begin(), channel.free_issues_.end());
    if (issues.size() != channel.free_issues_.size()) return "an operation is free twice";
    for (const auto& issue : channel.issues_) {
      if (issues.contains(issue.get()) && issue->transfer != nullptr) return "an operation that is free has a message";
      if (issue->transfer != nullptr && ended(issue->transfer)) return "an operation is of a message that has ended";
      if (issue->stage != nullptr && stages.contains(issue->stage)) return "a buffer is free and being sent";
    }
    return nullptr;
  }
};

}  // namespace gapless::channel
