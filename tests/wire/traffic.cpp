#include "wire/traffic.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "support/random_number.hpp"
#include "wire/wait.hpp"

namespace gapless::wire::test {

namespace {

using gapless::test::mixed;
using gapless::test::Random;

// The byte of a message at a position: of words of 8 bytes, none of which is twice in one.
void fill(std::uint64_t message, std::int64_t position, char* to, std::int64_t bytes) {
  const auto word = [&](std::int64_t number) {
    return mixed(message, 0) + static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15;
  };
  while (bytes > 0) {
    const std::uint64_t value = word(position / 8);
    const std::int64_t begin = position % 8, n = std::min(bytes, 8 - begin);
    std::memcpy(to, reinterpret_cast<const char*>(&value) + begin, static_cast<std::size_t>(n));
    to += n;
    position += n;
    bytes -= n;
  }
}

class Sending {
 public:
  Sending(const std::vector<Message>& messages, Segment& segment, Pool& pool, Channel& channel, int self,
          const std::vector<int>& peers, std::uint64_t seed)
      : messages_(messages),
        segment_(segment),
        pool_(pool),
        channel_(channel),
        self_(self),
        peers_(peers),
        random_(seed) {
    next_mine();
  }

  bool is_done() const { return now_ == messages_.size() && outgoing_ == nullptr; }

  // True if something moved.
  bool advance() {
    if (is_done()) return false;
    if (outgoing_ == nullptr && !start()) return false;
    bool moved = false;
    for (int to = 0; to < static_cast<int>(peers_.size()); ++to) {
      if (!unposted_[static_cast<std::size_t>(to)]) continue;
      if (!channel_.post(to, {.ticket = outgoing_->ticket(), .word = static_cast<std::uint32_t>(now_)})) continue;
      unposted_[static_cast<std::size_t>(to)] = false;
      moved = true;
    }
    const Step step = outgoing_->advance(random_.chance(50), [&](std::int64_t position, char* to, std::int64_t bytes) {
      // In one access: the thread sanitizer reports a race only while it remembers what else the thread did since.
      packed_.resize(static_cast<std::size_t>(bytes));
      fill(now_, position, packed_.data(), bytes);
      std::memcpy(to, packed_.data(), packed_.size());
    });
    moved |= step == Step::kMoved;
    if (!outgoing_->is_done() || std::count(unposted_.begin(), unposted_.end(), true) > 0) return moved;
    pool_.lend(outgoing_->lease(), outgoing_->used_chunks());
    outgoing_ = nullptr;
    ++now_;
    next_mine();
    return true;
  }

 private:
  void next_mine() {
    while (now_ < messages_.size() && messages_[now_].from != self_) ++now_;
  }
  bool start() {
    const Message& message = messages_[now_];
    const std::int64_t part = part_bytes_of(message.bytes, gapless::wire::Sending::kAlone);
    const int peer = message.to < 0 ? Pool::kNoPeer : peers_[static_cast<std::size_t>(message.to)];
    Lease lease;
    if (!pool_.take(static_cast<std::uint32_t>(parts_of(message.bytes, part)), peer, lease)) return false;
    unposted_.assign(peers_.size(), false);
    for (int to = 0; to < static_cast<int>(peers_.size()); ++to) {
      unposted_[static_cast<std::size_t>(to)] = message.goes_to(to);
    }
    const Ticket ticket{.process = static_cast<std::uint32_t>(segment_.self()),
                        .record = lease.record,
                        .bytes = message.bytes,
                        .part_bytes = part};
    const auto readers = static_cast<std::uint32_t>(std::count(unposted_.begin(), unposted_.end(), true));
    outgoing_ = std::make_unique<Outgoing<Segment>>(segment_, std::move(lease), ticket, readers);
    return true;
  }

  const std::vector<Message>& messages_;
  Segment& segment_;
  Pool& pool_;
  Channel& channel_;
  int self_;
  const std::vector<int>& peers_;
  Random random_;
  std::size_t now_ = 0;
  std::vector<bool> unposted_;
  std::vector<char> packed_;
  std::unique_ptr<Outgoing<Segment>> outgoing_;
};

// What comes from one other member, in order.
class Receiving {
 public:
  Receiving(const std::vector<Message>& messages, Segment& segment, Channel& channel, int self, int from)
      : messages_(messages), segment_(segment), channel_(channel), self_(self), from_(from) {
    next_mine();
  }

  bool is_done() const { return now_ == messages_.size(); }
  const std::string& wrong() const { return wrong_; }

  bool advance() {
    if (is_done()) return false;
    if (!is_open_) {
      Letter letter;
      if (!channel_.fetch(from_, letter)) return false;
      if (letter.word != now_ || letter.ticket.bytes != messages_[now_].bytes) wrong_ = "another letter";
      if (!segment_.is_known(static_cast<int>(letter.ticket.process), 0)) wrong_ = "an unknown sender";
      if (!wrong_.empty()) return false;
      incoming_ = Incoming<Segment>(segment_, letter.ticket);
      is_open_ = true;
      position_ = 0;
    }
    const Step step = incoming_.advance([&](std::int64_t position, const char* from, std::int64_t bytes) {
      expected_.resize(static_cast<std::size_t>(bytes));
      fill(now_, position, expected_.data(), bytes);
      if (position != position_) wrong_ = "another part";
      if (std::memcmp(expected_.data(), from, static_cast<std::size_t>(bytes)) != 0) wrong_ = "other bytes";
      position_ += bytes;
    });
    if (step == Step::kBroken || step == Step::kDone) wrong_ = "broken";
    if (incoming_.is_done()) {
      if (position_ != messages_[now_].bytes) wrong_ = "not all parts";
      is_open_ = false;
      ++now_;
      next_mine();
    }
    return step == Step::kMoved;
  }

 private:
  void next_mine() {
    while (now_ < messages_.size() && !(messages_[now_].from == from_ && messages_[now_].goes_to(self_))) ++now_;
  }

  const std::vector<Message>& messages_;
  Segment& segment_;
  Channel& channel_;
  int self_, from_;
  std::size_t now_ = 0;
  bool is_open_ = false;
  Incoming<Segment> incoming_;
  std::int64_t position_ = 0;
  std::vector<char> expected_;
  std::string wrong_;
};

}  // namespace

std::vector<Message> random_messages(std::uint64_t seed, int members, int messages, std::int64_t most_bytes) {
  Random random(seed);
  std::vector<Message> drawn(static_cast<std::size_t>(messages));
  for (Message& message : drawn) {
    message.from = static_cast<int>(random.between(0, members - 1));
    message.to = (message.from + static_cast<int>(random.between(1, members - 1))) % members;
    if (random.chance(30)) message.to = -1;
    message.bytes = random.mostly_small(1, most_bytes);
  }
  return drawn;
}

std::string exchange(Segment& segment, Pool& pool, Channel& channel, int self, const std::vector<int>& peers,
                     const std::vector<Message>& messages, std::uint64_t seed) {
  Sending sending(messages, segment, pool, channel, self, peers, seed);
  std::vector<Receiving> receiving;
  for (int from = 0; from < static_cast<int>(peers.size()); ++from) {
    if (from != self) receiving.emplace_back(messages, segment, channel, self, from);
  }
  Wait wait(segment, nullptr);
  for (;;) {
    bool moved = sending.advance(), is_done = sending.is_done();
    for (Receiving& from : receiving) {
      moved = from.advance() || moved;
      is_done = is_done && from.is_done();
      if (!from.wrong().empty()) return from.wrong();
    }
    if (is_done) return "";
    if (moved) wait.restart();
    if (!moved) wait.again(segment.self());
  }
}

}  // namespace gapless::wire::test
