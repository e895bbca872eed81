// A channel, and a peer that is this test: it knows the job's key, and sends what it likes.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "channel/channel.hpp"
#include "wire/fabric/proof.hpp"

namespace gapless::test {

class Lone {
 public:
  using Bytes = std::vector<std::byte>;

  explicit Lone(const channel::Settings& settings = of_rank_0(std::nullopt), int processes = 2)
      : other_(wanted(settings)),
        other_life_(std::make_unique<wire::fabric::Life>("127.0.0.1")),
        own_life_(std::make_unique<wire::fabric::Life>("127.0.0.1")) {
    auto endpoint = std::make_unique<wire::fabric::Endpoint>(wanted(settings));
    wire::fabric::Room::Outcome met;
    met.job = wire::fabric::secret_key("of a lone channel");
    met.members.push_back({endpoint->address(), "127.0.0.1", own_life_->port(), 1});
    for (int rank = 1; rank < processes; ++rank)
      met.members.push_back({other_.address(), "127.0.0.1", other_life_->port(), 2});
    to_channel_ = std::make_unique<wire::fabric::Seal>(met.job, 1, 0);
    from_channel_ = std::make_unique<wire::fabric::Seal>(met.job, 0, 1);
    channel_address_ = endpoint->address();
    address_ = other_.add(channel_address_);
    channel_ = channel::Channel::join(settings, std::move(endpoint), std::move(own_life_), std::move(met));
    // Of the channel to itself: what is waited for to let it look once.
    gapless_type_parse("byte", &byte_);
    never_ = channel_->receive(&place_, 1, byte_, 0);
    inbox_.resize(16);
    for (Slot& slot : inbox_) post(slot);
  }
  ~Lone() {
    channel_.reset();
    gapless_type_free(&byte_);
  }

  static channel::Settings of_rank_0(std::optional<channel::Way> way = std::nullopt) {
    channel::Settings settings;
    settings.way = way;
    settings.provider = "tcp";
    settings.processes = 2;
    settings.timeout_ns = 1'000'000'000;
    return settings;
  }

  channel::Channel& channel() { return *channel_; }
  wire::fabric::Endpoint& endpoint() { return other_; }
  const std::string& channel_address() const { return channel_address_; }
  std::uint64_t address() const { return address_; }  // of the channel
  gapless_type byte() const { return byte_; }

  // As if the peer's process had ended.
  void end_peer() { other_life_.reset(); }

  // Both sides look.
  void turn() {
    channel_->wait(never_, 0);
    wire::fabric::Completion done[8];
    const int got = other_.poll(done, 8);
    for (int k = 0; k < got; ++k) {
      if (done[k].operation == nullptr || done[k].operation->kind != wire::fabric::Operation::Kind::kFrameIn) continue;
      auto* slot = static_cast<Slot*>(done[k].operation->owner);
      if (done[k].error == 0)
        frames_.push_back({slot->bytes.begin(), slot->bytes.begin() + static_cast<std::ptrdiff_t>(done[k].bytes)});
      post(*slot);
    }
  }
  template <class Condition>
  bool turn_until(Condition condition, int limit = 20000) {
    for (int k = 0; k < limit && !condition(); ++k) turn();
    return condition();
  }

  // A frame as its bytes: `header` made whole, sealed as the next one of rank 1.
  Bytes frame(channel::Header header, std::span<const std::byte> body) {
    header.from = 1;
    header.sequence = ++sequence_;
    header.body = static_cast<std::uint32_t>(body.size());
    Bytes bytes(sizeof header + body.size());
    if (!body.empty()) std::memcpy(bytes.data() + sizeof header, body.data(), body.size());
    seal(bytes, header);
    return bytes;
  }
  void seal(Bytes& bytes, channel::Header header) const {
    header.seal = 0;
    std::memcpy(bytes.data(), &header, sizeof header);
    const std::size_t covered = header.kind == channel::Kind::kEager ? sizeof header : bytes.size();
    header.seal = to_channel_->tag(std::span(bytes).first(covered));
    std::memcpy(bytes.data(), &header, sizeof header);
  }
  static channel::Header header_of(const Bytes& bytes) {
    channel::Header header;
    std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
    return header;
  }
  static std::span<const std::byte> body_of(const Bytes& bytes) {
    return std::span(bytes).subspan(sizeof(channel::Header));
  }
  // Sends bytes as they are.
  void put(const Bytes& bytes) {
    auto out = std::make_unique<Slot>();
    out->bytes = bytes;
    out->operation.kind = wire::fabric::Operation::Kind::kFrameOut;
    while (other_.send(address_, {out->bytes.data(), out->bytes.size(), nullptr}, out->operation) != 0) turn();
    sent_.push_back(std::move(out));
    for (int k = 0; k < 50; ++k) turn();
  }
  void say(const channel::Header& header, std::span<const std::byte> body = {}) { put(frame(header, body)); }
  void eager(std::uint32_t message, const std::string& text) {
    channel::Header header;
    header.kind = channel::Kind::kEager;
    header.message = message;
    header.bytes = text.size();
    say(header, std::as_bytes(std::span(text)));
  }
  // The next frame of a kind that the channel has sent, skipping others.
  std::optional<Bytes> next(channel::Kind kind) {
    std::optional<Bytes> found;
    turn_until([&] {
      while (!frames_.empty() && !found) {
        if (header_of(frames_.front()).kind == kind) found = frames_.front();
        frames_.erase(frames_.begin());
      }
      return found.has_value();
    });
    return found;
  }
  const wire::fabric::Seal& from_channel() const { return *from_channel_; }
  std::int64_t refused() const { return channel_->counters().frames_refused; }
  std::uint32_t& sequence() { return sequence_; }

 private:
  struct Slot {
    wire::fabric::Operation operation;
    Bytes bytes;
  };
  static wire::fabric::Wanted wanted(const channel::Settings& settings) { return {settings.provider, "", "127.0.0.1"}; }
  void post(Slot& slot) {
    slot.bytes.resize(channel::kFrameBytes);
    slot.operation.kind = wire::fabric::Operation::Kind::kFrameIn;
    slot.operation.owner = &slot;
    other_.receive({slot.bytes.data(), slot.bytes.size(), nullptr}, slot.operation);
  }

  wire::fabric::Endpoint other_;
  std::unique_ptr<wire::fabric::Life> other_life_, own_life_;
  std::unique_ptr<wire::fabric::Seal> to_channel_, from_channel_;
  std::string channel_address_;
  std::uint64_t address_ = 0;
  std::unique_ptr<channel::Channel> channel_;
  gapless_type byte_ = nullptr;
  char place_ = 0;
  channel::Transfer* never_ = nullptr;
  std::vector<Slot> inbox_;
  std::vector<std::unique_ptr<Slot>> sent_;
  std::vector<Bytes> frames_;
  std::uint32_t sequence_ = 0;
};

}  // namespace gapless::test
