// The peers of a channel, each made when it is first heard of: a job of many processes costs a pointer for each.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "channel/peer.hpp"
#include "wire/fabric/endpoint.hpp"
#include "wire/fabric/life.hpp"
#include "wire/fabric/meeting.hpp"

namespace gapless::channel {

class Peers {
 public:
  Peers(wire::fabric::Endpoint& endpoint, wire::fabric::Life& life, wire::fabric::Room::Outcome met, int own)
      : endpoint_(endpoint), life_(life), met_(std::move(met)), own_(own), peers_(met_.members.size()) {}

  std::size_t size() const noexcept { return peers_.size(); }
  Peer& at(int rank) {
    std::unique_ptr<Peer>& peer = peers_[static_cast<std::size_t>(rank)];
    if (peer) return *peer;
    const wire::fabric::Member& member = met_.members[static_cast<std::size_t>(rank)];
    auto made = std::make_unique<Peer>(rank, endpoint_.add(member.fabric_address), met_.job, own_);
    if (rank != own_) life_.watch(rank, member);
    peer = std::move(made);
    known_.push_back(peer.get());
    return *peer;
  }
  // Whether this is a frame of that rank: asked before it is made, for strangers may name anybody.
  bool is_of(int rank, std::span<const std::byte> frame, std::uint64_t tag) const {
    const std::unique_ptr<Peer>& peer = peers_[static_cast<std::size_t>(rank)];
    return peer ? peer->in.is_right(frame, tag) : wire::fabric::Seal(met_.job, rank, own_).is_right(frame, tag);
  }
  // Those that were heard of.
  const std::vector<Peer*>& known() const noexcept { return known_; }
  bool has_ended(const Peer& peer) noexcept { return life_.is_gone(peer.rank); }

 private:
  wire::fabric::Endpoint& endpoint_;
  wire::fabric::Life& life_;
  wire::fabric::Room::Outcome met_;
  int own_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<Peer*> known_;
};

}  // namespace gapless::channel
