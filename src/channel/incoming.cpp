// The receiver's side of a message.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clock.hpp"
#include "channel/channel.hpp"

namespace gapless::channel {

namespace fabric = wire::fabric;

Transfer* Channel::receive(void* buffer, std::int64_t count, gapless_type type, int rank) {
  Peer& peer = peers_.at(rank);
  auto message = std::make_unique<Incoming>();
  message->shape = layouts_.shape_of(type, count);
  message->peer = &peer;
  message->base = static_cast<char*>(buffer);
  message->capacity = message->shape->bytes;
  Incoming* made = message.get();
  transfers_.insert(message.release());
  if (rank == settings_.rank) {
    own_receives_.push_back(made);
    match_own();
    return made;
  }
  peer.posted.push_back(made);
  match(peer);
  if (!made->is_done && (peer.is_gone || peer.said_bye) && !peer.posted.empty() && peer.posted.back() == made)
    end(*made, fabric::Fault::kPeer, "rank " + std::to_string(rank) + " has ended or closed its channel");
  return made;
}

void Channel::match(Peer& peer) {
  while (!peer.posted.empty() && !peer.arrived.empty()) {
    Incoming* message = peer.posted.front();
    peer.posted.pop_front();
    message->message = std::move(peer.arrived.front());
    peer.arrived.pop_front();
    ++peer.matched_in;
    accept(*message);
  }
  if (peer.matched_in - peer.matched_told < kWindow / 2 || peer.is_gone) return;
  Header header;
  header.kind = Kind::kMatched;
  mail_.post(peer, mail_.blank(), header, 0);
}

void Channel::accept(Incoming& message) {
  const Header& header = message.message.header;
  message.bytes = static_cast<std::int64_t>(header.bytes);
  if (message.bytes > message.capacity) {
    if (header.kind == Kind::kRequest) {
      Header answer;
      answer.kind = Kind::kRefuse;
      answer.message = header.message;
      answer.bytes = static_cast<std::uint64_t>(message.capacity);
      mail_.post(*message.peer, mail_.blank(), answer, 0);
    }
    return end(message, fabric::Fault::kTruncated,
               "rank " + std::to_string(message.peer->rank) + " sends " + std::to_string(message.bytes) +
                   " bytes, and there is room for " + std::to_string(message.capacity));
  }
  if (header.kind == Kind::kEager) {
    std::int64_t moved = 0;
    if (message.bytes > 0)
      must(gapless_unpack(message.message.data.data(), message.bytes, 0, message.base, message.shape->count,
                          message.shape->form->type.get(), &moved));
    return end(message);
  }
  if (message.peer->is_gone)
    return end(message, fabric::Fault::kPeer,
               "rank " + std::to_string(message.peer->rank) + " has ended, and its message has not come");
  if (free_targets_.empty()) {
    ++counters_.queued;
    return without_target_.push_back(&message);
  }
  Target* target = free_targets_.back();
  free_targets_.pop_back();
  clear(message, *target);
}

// By what both cost here so far. Where little is known, a message that goes by lists finds it out.
double Channel::share_of_registering(const Placement& placement) const {
  constexpr std::int64_t kFew = 16;
  if (ns_per_byte_ == 0) return INFINITY;
  const auto ranges = static_cast<std::int64_t>(placement.shape().ranges.size());
  const std::int64_t bytes = placement.shape().bytes;
  const std::int64_t each = memory_.expected_ns(bytes / std::max<std::int64_t>(ranges, 1));
  const double share = static_cast<double>(each * ranges) / (ns_per_byte_ * static_cast<double>(bytes));
  return memory_.counters().regions < kFew ? std::min(share, kTried) : share;
}

void Channel::clear(Incoming& message, Target& target) {
  Peer& peer = *message.peer;
  const Header& asked = message.message.header;
  message.target = &target;
  message.began_ns = base::now_ns();
  target.user = &message;
  target.generation = (target.generation + 1) % Immediate::kGenerations;
  message.placement = layouts_.placement_of(message.shape, message.base);
  Placement& own = *message.placement;
  const bool only_host = settings_.way && *settings_.way == Way::kHost;
  const bool must_register = settings_.way && *settings_.way != Way::kHost && asked.way != Way::kHost;
  const bool is_useful = (!only_host && asked.is_ready != 0) || message.shape->is_contiguous;
  bool may_be_ready = false;
  if (own.state() == Placement::State::kUnknown && (must_register || is_useful)) {
    const double share = must_register ? 0 : share_of_registering(own);
    if (share <= (asked.way == Way::kLists && !only_host ? kTried : kNoMatter))
      layouts_.make_ready(own);
    else if (own.uses > 1)
      layouts_.make_ready_aside(message.placement);
    else
      may_be_ready = share <= kTried;
  }
  Header header;
  header.kind = Kind::kClear;
  header.message = asked.message;
  header.bytes = asked.bytes;
  header.is_ready = may_be_ready || own.is_ready();
  Clear clear;
  clear.target = target.index;
  clear.generation = target.generation;
  if (asked.way == Way::kSegments && !only_host && endpoint_->most_local() > 1 &&
      (own.is_ready() || !endpoint_->registers_local())) {
    const std::optional<Request> request = read_request(message.message.data);
    const std::int64_t shortest = std::clamp<std::int64_t>(
        std::min(message.shape->shortest,
                 static_cast<std::int64_t>(std::min<std::uint64_t>(request ? request->shortest : 1, INT32_MAX))),
        1, INT32_MAX);
    message.way = header.way = Way::kSegments;
    message.where = clear.where = Clear::Where::kSegments;
    message.chunk = std::min(shortest * (endpoint_->most_local() - 1), kLongestPart);
    clear.part = static_cast<std::uint64_t>(message.chunk);
  } else if (own.is_ready() && message.shape->is_contiguous) {
    message.way = header.way = asked.way == Way::kLists && !only_host ? Way::kLists : Way::kHost;
    message.where = clear.where = Clear::Where::kMemory;
    const gapless_iov run =
        Runs(message.shape->form->type.get(), message.shape->count, message.base, message.capacity).rest();
    clear.places.push_back(place(*own.regions()[0], static_cast<char*>(run.base), message.bytes));
  } else if (own.is_ready() && asked.way == Way::kLists && !only_host &&
             message.shape->form->bytes.size() <= kMostFormBytes) {
    message.way = header.way = Way::kLists;
    message.where = clear.where = Clear::Where::kLayout;
    show(peer, *message.shape->form);
    clear.form = message.shape->form->number;
    clear.form_generation = message.shape->form->generation;
    clear.count = message.shape->count;
    clear.base = reinterpret_cast<std::uint64_t>(message.base);
    for (std::size_t k = 0; k < own.regions().size(); ++k) {
      const Range& range = message.shape->ranges[k];
      clear.places.push_back(place(*own.regions()[k], message.base + range.offset, range.bytes));
    }
  } else {
    message.way = header.way = Way::kHost;
    message.where = clear.where = Clear::Where::kRing;
    if (!target.ring) {
      const std::int64_t bytes = settings_.part * settings_.parts;
      target.ring = page_aligned(bytes);
      target.region = memory_.reach(target.ring.get(), bytes);
    }
    clear.part = static_cast<std::uint64_t>(settings_.part);
    clear.parts = settings_.parts;
    clear.places.push_back(place(*target.region, target.ring.get(), settings_.part * settings_.parts));
  }
  // Receives of chunks are there before the sender knows that it may send.
  if (message.where == Clear::Where::kSegments) {
    message.local = Runs(message.shape->form->type.get(), message.shape->count, message.base, message.bytes);
    receiving_.push_back(&message);
    receive_chunks(message);
    if (message.is_done) return;
    clear.parts = message.window = std::max(message.posted, 1U);
  }
  Letter* letter = mail_.blank();
  mail_.post(peer, letter, header, write(clear, letter->body()));
}

Place Channel::place(const fabric::Region& region, char* base, std::int64_t bytes) {
  const auto offset = static_cast<std::uint64_t>(base - region.base);
  return {region.registration.base + offset, region.registration.key, reinterpret_cast<std::uint64_t>(base),
          static_cast<std::uint64_t>(bytes)};
}

void Channel::show(Peer& peer, const OwnForm& form) {
  if (peer.shown.size() <= form.number) peer.shown.resize(form.number + 1);
  std::uint32_t& known = peer.shown[form.number];
  if (known == form.generation + 1) {
    ++counters_.layouts_known;
    return;
  }
  known = form.generation + 1;
  ++counters_.layouts_shown;
  const std::span<const std::byte> bytes = std::as_bytes(std::span(form.bytes));
  for (std::size_t offset = 0; offset < bytes.size(); offset += kFormPart) {
    Header header;
    header.kind = Kind::kForm;
    Form part{form.number, form.generation, static_cast<std::uint32_t>(bytes.size()),
              static_cast<std::uint32_t>(offset), bytes.subspan(offset, std::min(kFormPart, bytes.size() - offset))};
    Letter* letter = mail_.blank();
    mail_.post(peer, letter, header, write(part, letter->body()));
  }
}

void Channel::keep_form(Peer& peer, std::span<const std::byte> body) {
  const std::optional<Form> part = read_form(body);
  if (!part) return mail_.count_refused();
  if (peer.forms.size() <= part->number) peer.forms.resize(part->number + 1);
  std::unique_ptr<ShownForm>& form = peer.forms[part->number];
  if (part->offset == 0) {
    // Messages that are being written by it keep the type alive by the transfer's own handle.
    form = std::make_unique<ShownForm>();
    form->generation = part->generation;
    form->total = part->total;
  }
  if (!form || form->generation != part->generation || form->total != part->total ||
      form->bytes.size() != part->offset) {
    form.reset();
    return mail_.count_refused();
  }
  form->bytes.insert(form->bytes.end(), part->part.begin(), part->part.end());
  if (form->bytes.size() < form->total) return;
  try {
    form->type = std::make_shared<const Type>(form->bytes);
    form->bytes = {};
  } catch (const fabric::Failure&) {
    form.reset();
    mail_.count_refused();
  }
}

void Channel::written(std::uint32_t word) {
  const Immediate immediate = Immediate::of(word);
  if (immediate.target >= targets_.size()) return mail_.count_refused();
  Target& target = targets_[immediate.target];
  if (target.user == nullptr || target.generation != immediate.generation) return mail_.count_refused();
  Incoming& message = *target.user;
  if (message.where == Clear::Where::kRing) return unpack(message, immediate.part);
  if (message.where == Clear::Where::kSegments) return mail_.count_refused();
  ++message.writes;
  if (endpoint_->is_ordered() || (message.knows_writes && message.writes == message.expected_writes)) finish(message);
}

void Channel::unpack(Incoming& message, std::uint32_t part) {
  const std::uint32_t ahead = (part - message.freed) % Immediate::kParts;
  const std::int64_t position = (static_cast<std::int64_t>(message.freed) + ahead) * settings_.part;
  if (ahead >= settings_.parts || position >= message.bytes || (message.unpacked >> ahead & 1) != 0)
    return mail_.count_refused();
  const std::int64_t bytes = std::min(settings_.part, message.bytes - position);
  std::int64_t moved = 0;
  must(gapless_unpack(message.target->ring.get() + (message.freed + ahead) % settings_.parts * settings_.part, bytes,
                      position, message.base, message.shape->count, message.shape->form->type.get(), &moved));
  message.unpacked |= std::uint64_t{1} << ahead;
  for (; (message.unpacked & 1) != 0; message.unpacked >>= 1) ++message.freed;
  if (message.freed * settings_.part >= message.bytes) return finish(message);
  // The sender may write all of it already, or enough for now.
  const bool may_all = static_cast<std::int64_t>(message.told + settings_.parts) * settings_.part >= message.bytes;
  if (may_all || message.freed - message.told < std::max(1U, settings_.parts / 2)) return;
  message.told = message.freed;
  Header header;
  header.kind = Kind::kCredit;
  header.message = message.message.header.message;
  header.number = message.freed;
  mail_.post(*message.peer, mail_.blank(), header, 0);
}

void Channel::finish(Incoming& message) {
  note_rate(base::now_ns() - message.began_ns, message.bytes);
  end(message);
}

// A target is free: the next message that waits for one has it.
void Channel::release(Target& target) {
  target.user = nullptr;
  if (without_target_.empty()) return free_targets_.push_back(&target);
  Incoming* next = without_target_.front();
  without_target_.pop_front();
  clear(*next, target);
}

}  // namespace gapless::channel
