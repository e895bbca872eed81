#include "channel/channel.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "base/clock.hpp"
#include "wire/fabric/proof.hpp"

namespace gapless::channel {

namespace fabric = wire::fabric;

Pages page_aligned(std::int64_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole = (static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage;
  Pages memory(static_cast<char*>(std::aligned_alloc(kPage, whole)), &std::free);
  if (!memory) throw std::bad_alloc();
  return memory;
}

std::unique_ptr<Channel> Channel::open(const Settings& settings) {
  fabric::Meeting meeting;
  meeting.where = settings.meeting;
  meeting.rank = settings.rank;
  meeting.processes = settings.processes;
  meeting.secret = fabric::secret_key(settings.secret);
  meeting.until_ns = settings.timeout_ns < 0 ? -1 : base::now_ns() + settings.timeout_ns;
  fabric::Room room(meeting);
  const std::string host = room.own_host().empty() ? "127.0.0.1" : room.own_host();
  fabric::Wanted wanted{settings.provider, settings.domain, settings.address};
  if (wanted.address.empty() && wanted.domain.empty()) wanted.address = host;
  auto endpoint = std::make_unique<fabric::Endpoint>(wanted);
  auto life = std::make_unique<fabric::Life>(host);
  fabric::Member own{endpoint->address(), host, life->port(), static_cast<std::uint64_t>(getpid())};
  fabric::Room::Outcome met = room.exchange(std::move(own));
  for (const fabric::Member& member : met.members) endpoint->check(member.fabric_address);
  return join(settings, std::move(endpoint), std::move(life), std::move(met));
}

std::unique_ptr<Channel> Channel::join(const Settings& settings, std::unique_ptr<fabric::Endpoint> endpoint,
                                       std::unique_ptr<fabric::Life> life, fabric::Room::Outcome met) {
  return std::unique_ptr<Channel>(new Channel(settings, std::move(endpoint), std::move(life), std::move(met)));
}

Channel::Channel(const Settings& settings, std::unique_ptr<fabric::Endpoint> endpoint,
                 std::unique_ptr<fabric::Life> life, fabric::Room::Outcome met)
    : settings_(settings),
      mail_(*endpoint, memory_, static_cast<std::uint32_t>(settings.rank)),
      targets_(settings.targets),
      endpoint_(std::move(endpoint)),
      memory_(*endpoint_, settings.charge),
      life_(std::move(life)),
      peers_(*endpoint_, *life_, std::move(met), settings.rank),
      layouts_(memory_) {
  for (std::uint32_t k = 0; k < settings.targets; ++k) {
    targets_[k].index = k;
    free_targets_.push_back(&targets_[settings.targets - 1 - k]);
  }
  try {
    mail_.listen();
  } catch (...) {
    mail_.withdraw();
    throw;
  }
}

// Registrations end before the endpoint does, the memory that they are of after it.
Channel::~Channel() {
  for (Transfer* transfer : transfers_) delete transfer;
  mail_.withdraw();
  for (const auto& stage : stages_) stage->region.reset();
  for (Target& target : targets_) target.region.reset();
}

Issue* Channel::issue(Transfer& transfer, fabric::Operation::Kind kind) {
  if (free_issues_.empty()) {
    issues_.push_back(std::make_unique<Issue>());
    issues_.back()->operation.owner = issues_.back().get();
    free_issues_.push_back(issues_.back().get());
  }
  Issue* made = free_issues_.back();
  free_issues_.pop_back();
  made->operation.kind = kind;
  made->transfer = &transfer;
  made->stage = nullptr;
  ++transfer.in_flight;
  return made;
}

void Channel::withdraw(Issue* issue) noexcept {
  if (issue->transfer != nullptr) --issue->transfer->in_flight;
  if (issue->stage != nullptr) free_stages_.push_back(issue->stage);
  issue->transfer = nullptr;
  issue->stage = nullptr;
  free_issues_.push_back(issue);
}

void Channel::complete(const fabric::Completion& completion) {
  if (completion.operation == nullptr) {
    if (completion.error == 0) written(completion.data);
    return;
  }
  using Kind = fabric::Operation::Kind;
  switch (completion.operation->kind) {
    case Kind::kFrameIn: {
      // Even if there is no memory for what it says, its buffer is used again.
      struct Done {
        Mail& mail;
        const fabric::Completion& completion;
        ~Done() { mail.done_with(completion); }
      } const done{mail_, completion};
      Mail::Opened frame;
      if (completion.error != 0)
        mail_.count_refused();  // longer than any frame
      else if (mail_.open(completion, peers_, &frame))
        take(frame.header, frame.body);
      return;
    }
    case Kind::kFrameOut: {
      auto* letter = static_cast<Letter*>(completion.operation->owner);
      Peer& peer = *letter->peer;
      Outgoing* message = letter->message;
      mail_.sent(letter);
      if (completion.error != 0) return lose(peer, "libfabric: sending: " + fabric::Endpoint::text(completion.error));
      if (message != nullptr) {
        --message->in_flight;
        end(*message);
      }
      return;
    }
    case Kind::kWrite:
    case Kind::kChunkOut:
    case Kind::kChunkIn: {
      auto* done = static_cast<Issue*>(completion.operation->owner);
      Transfer* transfer = done->transfer;
      const bool is_in = completion.operation->kind == Kind::kChunkIn;
      withdraw(done);
      if (transfer == nullptr || transfer->is_done) return;
      if (completion.error != 0)
        return lose(*transfer->peer, "libfabric: moving data: " + fabric::Endpoint::text(completion.error));
      if (is_in)
        receive_chunks(static_cast<Incoming&>(*transfer));
      else
        advance(static_cast<Outgoing&>(*transfer));
    }
  }
}

void Channel::take(const Header& header, std::span<const std::byte> body) {
  Peer& peer = peers_.at(static_cast<int>(header.from));
  if (header.matched != peer.matched_out) matched(peer, header.matched);
  switch (header.kind) {
    case Kind::kEager:
    case Kind::kRequest:
      // Messages come in their order, each once, and no more than are allowed without a receive.
      if (header.message != peer.messages_in + 1 || peer.arrived.size() >= kWindow) return mail_.count_refused();
      ++peer.messages_in;
      peer.arrived.push_back({header, {body.begin(), body.end()}});
      return match(peer);
    case Kind::kForm:
      return keep_form(peer, body);
    case Kind::kClear:
      return cleared(peer, header, body);
    case Kind::kCredit:
      return credited(header, peer);
    case Kind::kWritten:
      for (Target& target : targets_) {
        Incoming* message = target.user;
        if (message == nullptr || message->peer != &peer || message->message.header.message != header.message) continue;
        const bool by_writes = message->where == Clear::Where::kMemory || message->where == Clear::Where::kLayout;
        if (!by_writes || message->knows_writes) break;
        message->knows_writes = true;
        message->expected_writes = header.number;
        if (message->writes == message->expected_writes) finish(*message);
        return;
      }
      return mail_.count_refused();
    case Kind::kRefuse:
      if (Outgoing* message = outgoing(peer, header.message); message != nullptr && !message->is_clear)
        return end(*message, fabric::Fault::kTruncated,
                   "rank " + std::to_string(peer.rank) + " has room for " + std::to_string(header.bytes) +
                       " bytes, and the message has " + std::to_string(message->bytes));
      return mail_.count_refused();
    case Kind::kMatched:
      return;
    case Kind::kBye: {
      peer.said_bye = true;
      // What is moving goes on: its other end moves it while it closes. Nothing else will be received or come.
      const std::string why = "rank " + std::to_string(peer.rank) + " has closed its channel";
      while (!peer.posted.empty()) end(*peer.posted.front(), fabric::Fault::kPeer, why);
      while (!peer.waiting.empty()) end(*peer.waiting.front(), fabric::Fault::kPeer, why);
      const std::vector<Outgoing*> asked = sending_;
      for (Outgoing* message : asked)
        if (message->peer == &peer && !message->is_clear) end(*message, fabric::Fault::kPeer, why);
      return;
    }
  }
}

void Channel::note_rate(std::int64_t ns, std::int64_t bytes) noexcept {
  const double now = static_cast<double>(ns) / static_cast<double>(std::max<std::int64_t>(bytes, 1));
  ns_per_byte_ = ns_per_byte_ == 0 ? now : ns_per_byte_ * 0.875 + now * 0.125;
}

void Channel::end(Transfer& transfer, fabric::Fault fault, std::string text) {
  if (transfer.is_done) return;
  transfer.is_done = true;
  transfer.fault = fault;
  transfer.text = std::move(text);
  if (transfer.placement && --transfer.placement->in_use == 0 && settings_.registers_again)
    transfer.placement->release();
  // What libfabric still has of it is nobody's.
  if (transfer.in_flight > 0) {
    for (const auto& issue : issues_)
      if (issue->transfer == &transfer) {
        if (issue->operation.kind == fabric::Operation::Kind::kChunkIn) endpoint_->cancel(issue->operation);
        issue->transfer = nullptr;
      }
    mail_.forget(transfer);
    transfer.in_flight = 0;
  }
  Peer& peer = *transfer.peer;
  if (auto* out = dynamic_cast<Outgoing*>(&transfer)) {
    std::erase(moving_, out);
    std::erase(sending_, out);
    std::erase(peer.waiting, out);
    std::erase(own_sends_, out);
    if (out->pending.stage != nullptr) free_stages_.push_back(std::exchange(out->pending.stage, nullptr));
  } else {
    auto* in = static_cast<Incoming*>(&transfer);
    std::erase(receiving_, in);
    std::erase(peer.posted, in);
    std::erase(without_target_, in);
    std::erase(own_receives_, in);
    in->message.data = {};
    if (Target* target = std::exchange(in->target, nullptr)) release(*target);
  }
}

void Channel::lose(Peer& peer, const std::string& why) {
  if (peer.is_gone) return;
  peer.is_gone = true;
  const std::vector<Transfer*> all(transfers_.begin(), transfers_.end());
  for (Transfer* transfer : all)
    if (transfer->peer == &peer && !transfer->is_done)
      end(*transfer, fabric::Fault::kPeer, "rank " + std::to_string(peer.rank) + ": " + why);
}

bool Channel::progress() {
  constexpr int kBatch = 16;
  std::array<fabric::Completion, kBatch> completions;
  bool moved = false;
  int got = 0;
  do {
    got = endpoint_->poll(completions.data(), kBatch);
    for (int k = 0; k < got; ++k) complete(completions[static_cast<std::size_t>(k)]);
    moved |= got > 0;
  } while (got == kBatch);
  if (moved) mail_.listen();
  for (Peer* peer : peers_.known()) {
    if (!peer->outbox.empty()) moved |= mail_.push(*peer);
    if (peer->send_error != 0) lose(*peer, "libfabric: sending: " + fabric::Endpoint::text(peer->send_error));
  }
  // Each may end, and leave the list.
  for (std::size_t k = moving_.size(); k-- > 0;)
    if (k < moving_.size()) advance(*moving_[k]);
  for (std::size_t k = receiving_.size(); k-- > 0;)
    if (k < receiving_.size()) receive_chunks(*receiving_[k]);
  return moved;
}

bool Channel::wait_for(std::int64_t timeout_ns, Peer* peer, bool (*is_over)(const void*), const void* what) {
  constexpr std::int64_t kSpinNs = 20'000, kLookNs = 20'000'000;
  const std::int64_t begin = base::now_ns();
  std::int64_t idle_since = begin, looked = begin;
  for (std::uint32_t round = 0; !is_over(what); ++round) {
    const bool moved = progress();
    if (is_over(what)) return true;
    if (timeout_ns == 0) return false;
    if (moved) {
      idle_since = 0;
      // Others' messages are no reason to forget the time.
      if (round % 64 != 0) continue;
    }
    const std::int64_t now = base::now_ns();
    if (idle_since == 0) idle_since = now;
    if (timeout_ns > 0 && now - begin >= timeout_ns) return false;
    if (now - looked >= kLookNs) {
      looked = now;
      if (peer != nullptr) look_after(*peer);
      // Who has a target that others wait for must not have ended.
      for (std::size_t k = 0; k < targets_.size() && !without_target_.empty(); ++k)
        if (targets_[k].user != nullptr) look_after(*targets_[k].user->peer);
    }
    // Never asleep: parts of a write arrive without a sign, and each look takes only some of them in.
    if (!moved && now - idle_since > kSpinNs) std::this_thread::yield();
  }
  return true;
}

bool Channel::wait(Transfer* transfer, std::int64_t timeout_ns) {
  return wait_for(
      timeout_ns < 0 ? settings_.timeout_ns : timeout_ns,
      transfer->peer->rank == settings_.rank ? nullptr : transfer->peer,
      [](const void* one) { return static_cast<const Transfer*>(one)->is_done; }, transfer);
}

void Channel::look_after(Peer& peer) {
  if (peer.is_gone || !peers_.has_ended(peer)) return;
  // Its last frames and writes may have come to this machine, and not been read yet. What were read later would be
  // written to memory that its owner has been told to be free again.
  constexpr std::int64_t kQuietNs = 5'000'000;
  for (std::int64_t since = base::now_ns(); base::now_ns() - since < kQuietNs;)
    if (progress()) since = base::now_ns();
  lose(peer, "its process has ended");
}

void Channel::free(Transfer* transfer) noexcept {
  transfers_.erase(transfer);
  delete transfer;
}

bool Channel::close() {
  const std::int64_t until = settings_.timeout_ns < 0 ? -1 : base::now_ns() + settings_.timeout_ns;
  const std::vector<Peer*> peers = peers_.known();
  // Nobody waits for them any more, and their memory may be gone: no message is let in after the goodbye.
  for (Peer* peer : peers)
    while (!peer->posted.empty()) end(*peer->posted.front(), fabric::Fault::kPeer, "closed");
  while (!without_target_.empty()) end(*without_target_.front(), fabric::Fault::kPeer, "closed");
  for (Peer* peer : peers) {
    if (!peer->is_used || peer->is_gone) continue;
    Header header;
    header.kind = Kind::kBye;
    mail_.post(*peer, mail_.blank(), header, 0);
  }
  bool all = true;
  for (Peer* peer : peers) {
    if (!peer->is_used) continue;
    const std::int64_t left = until < 0 ? -1 : std::max<std::int64_t>(until - base::now_ns(), 1);
    all &= wait_for(
        left, peer,
        [](const void* one) {
          const auto* other = static_cast<const Peer*>(one);
          return other->is_gone || (other->said_bye && other->letters == 0);
        },
        peer);
  }
  return all;
}

void Channel::hear(int from, std::span<const std::byte> frame) {
  std::vector<std::byte> bytes(frame.begin(),
                               frame.begin() + static_cast<std::ptrdiff_t>(std::min(frame.size(), kFrameBytes)));
  if (bytes.size() < sizeof(Header)) return;
  Header header;
  std::memcpy(static_cast<void*>(&header), bytes.data(), sizeof header);
  header.magic = Header::kMagic;
  header.from = static_cast<std::uint32_t>(from);
  header.body = static_cast<std::uint32_t>(bytes.size() - sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  if (const std::optional<Header> read = read_header(bytes)) {
    const Peer& peer = peers_.at(from);
    if (!Mail::is_plausible(peer, *read)) return mail_.count_refused();
    take(*read, std::span<const std::byte>(bytes).subspan(sizeof(Header)));
  }
}

GAPLESS_Channel_counters Channel::counters() const {
  GAPLESS_Channel_counters now = counters_;
  const fabric::Memory::Counters memory = memory_.counters();
  now.registrations = memory.regions;
  now.registered_bytes = memory.bytes;
  now.registration_ns = memory.ns;
  now.registered_aside = memory.aside;
  now.frames_refused = mail_.refused();
  now.endpoints = 1;
  now.peer_bytes = static_cast<std::int64_t>(sizeof(Peer) + sizeof(std::unique_ptr<Peer>));
  std::int64_t bytes = static_cast<std::int64_t>(sizeof *this) + mail_.memory_bytes() + layouts_.memory_bytes();
  bytes += static_cast<std::int64_t>(peers_.size() * (sizeof(std::unique_ptr<Peer>) + sizeof(fabric::Member)));
  bytes += static_cast<std::int64_t>(peers_.known().size() * sizeof(Peer));
  for (const auto& one : stages_) bytes += one->bytes;
  for (const Target& target : targets_) bytes += target.ring ? settings_.part * settings_.parts : 0;
  now.memory_bytes = bytes;
  return now;
}

}  // namespace gapless::channel
