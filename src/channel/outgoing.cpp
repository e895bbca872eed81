// The sender's side of a message.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "channel/channel.hpp"

namespace gapless::channel {

namespace fabric = wire::fabric;

namespace {

// A write of contiguous memory to contiguous memory, at most: so that other messages have their turn, and that the
// receiver takes the first one in while the next one is sent.
constexpr std::int64_t kLongestWrite = 256 << 10;
constexpr int kMostInFlight = 128;  // writes of a message

std::int64_t left(const Outgoing& message) {
  return message.bytes - message.issued;
}

const Place* place_of(const Clear& clear, std::uint64_t here, std::uint64_t bytes) {
  const auto at = std::ranges::find_if(clear.places, [&](const Place& place) {
    return here >= place.here && here - place.here <= place.bytes && bytes <= place.bytes - (here - place.here);
  });
  return at == clear.places.end() ? nullptr : &*at;
}

}  // namespace

Transfer* Channel::send(const void* buffer, std::int64_t count, gapless_type type, int rank) {
  Peer& peer = peers_.at(rank);
  auto message = std::make_unique<Outgoing>();
  message->shape = layouts_.shape_of(type, count);
  message->peer = &peer;
  message->base = const_cast<char*>(static_cast<const char*>(buffer));
  message->bytes = message->shape->bytes;
  message->began_ns = base::now_ns();
  Outgoing* made = message.get();
  transfers_.insert(message.release());
  if (rank == settings_.rank) {
    own_sends_.push_back(made);
    match_own();
  } else if (peer.is_gone || peer.said_bye) {
    end(*made, fabric::Fault::kPeer, "rank " + std::to_string(rank) + " has ended or closed its channel");
  } else if (peer.messages_out - peer.matched_out < kWindow && peer.waiting.empty()) {
    start(*made);
  } else {
    peer.waiting.push_back(made);
  }
  return made;
}

void Channel::start(Outgoing& message) {
  Peer& peer = *message.peer;
  message.number = ++peer.messages_out;
  Letter* letter = mail_.blank();
  Header header;
  header.message = message.number;
  header.bytes = static_cast<std::uint64_t>(message.bytes);
  counters_.bytes += message.bytes;
  if (message.bytes <= settings_.eager) {
    std::int64_t moved = 0;
    must(gapless_pack(message.base, message.shape->count, message.shape->form->type.get(), 0, letter->body(),
                      message.bytes, &moved));
    header.kind = Kind::kEager;
    letter->message = &message;
    ++message.in_flight;
    ++counters_.eager;
    mail_.post(peer, letter, header, static_cast<std::size_t>(moved));
    return;
  }
  message.placement = layouts_.placement_of(message.shape, message.base);
  Placement& own = *message.placement;
  const bool pays = endpoint_->registers_local() || settings_.charge.ns + settings_.charge.ns_per_page > 0;
  bool may_go_by_lists = settings_.way != Way::kHost;
  if (settings_.way) {
    message.asked = *settings_.way;
    if (message.asked != Way::kHost && pays && own.state() == Placement::State::kUnknown) layouts_.make_ready(own);
    if (message.asked == Way::kLists && pays && !own.is_ready()) message.asked = Way::kHost;
  } else {
    message.choice = Ways::key(peer.rank, message.bytes, message.shape->average());
    Ways::Record& record = ways_.of(message.choice);
    may_go_by_lists = !ways_.is_hopeless(record, *message.shape);
    bool may_be_ready = !pays || own.is_ready();
    if (may_go_by_lists && pays && own.state() == Placement::State::kUnknown) {
      const double share = share_of_registering(own);
      if (share <= kNoMatter)
        layouts_.make_ready(own);
      else if (own.uses > 1)
        layouts_.make_ready_aside(message.placement);
      may_be_ready = own.is_ready() || (own.state() == Placement::State::kUnknown && share <= kTried);
    }
    if (may_go_by_lists) message.asked = Ways::ask(record, may_be_ready, message.began_ns);
    if (message.asked == Way::kLists && pays) {
      if (own.state() == Placement::State::kUnknown) layouts_.make_ready(own);
      if (!own.is_ready()) message.asked = Way::kHost;
    }
  }
  header.kind = Kind::kRequest;
  header.way = message.asked;
  header.is_ready = may_go_by_lists;
  sending_.push_back(&message);
  const Request request{static_cast<std::uint64_t>(message.shape->shortest)};
  mail_.post(peer, letter, header, write(request, letter->body()));
}

void Channel::matched(Peer& peer, std::uint32_t count) {
  peer.matched_out = count;
  while (!peer.waiting.empty() && peer.messages_out - peer.matched_out < kWindow) {
    Outgoing* next = peer.waiting.front();
    peer.waiting.pop_front();
    start(*next);
  }
}

Outgoing* Channel::outgoing(const Peer& peer, std::uint32_t number) noexcept {
  const auto at =
      std::ranges::find_if(sending_, [&](const Outgoing* one) { return one->peer == &peer && one->number == number; });
  return at == sending_.end() ? nullptr : *at;
}

void Channel::cleared(Peer& peer, const Header& header, std::span<const std::byte> body) {
  std::optional<Clear> clear = read_clear(body);
  Outgoing* message = outgoing(peer, header.message);
  if (!clear || message == nullptr || message->is_clear || header.bytes != static_cast<std::uint64_t>(message->bytes))
    return mail_.count_refused();
  const auto refuse = [&](const char* why) {
    mail_.count_refused();
    end(*message, fabric::Fault::kFabric,
        "rank " + std::to_string(peer.rank) + " answers what no receiver of this library does: " + why);
  };
  const Shape& shape = *message->shape;
  const bool is_registered = !endpoint_->registers_local() || message->placement->is_ready();
  message->way = header.way;
  message->is_packed = true;
  switch (clear->where) {
    case Clear::Where::kRing:
      message->is_packed = !(shape.is_contiguous && is_registered);
      message->credits = clear->parts;
      break;
    case Clear::Where::kMemory:
      if (clear->places[0].bytes < header.bytes) return refuse("too little memory");
      message->is_packed = !(is_registered && (shape.is_contiguous || header.way == Way::kLists));
      break;
    case Clear::Where::kLayout: {
      const ShownForm* form = clear->form < peer.forms.size() ? peer.forms[clear->form].get() : nullptr;
      if (form == nullptr || !form->type || form->generation != clear->form_generation)
        return refuse("a layout that it has not shown");
      std::int64_t bytes = 0;
      if (__builtin_mul_overflow(form->type->size(), clear->count, &bytes) || bytes < message->bytes)
        return refuse("a layout that is too short");
      message->is_packed = !is_registered;
      message->remote_form = form->type;
      message->remote = Runs(form->type->get(), clear->count, reinterpret_cast<char*>(clear->base), message->bytes);
      break;
    }
    case Clear::Where::kSegments: {
      // A chunk of no more than the shortest run times one less than there are entries is never in more runs than
      // there are entries: all between its first and its last one are whole.
      const std::int64_t safe = (endpoint_->most_local() - 1) * std::max<std::int64_t>(shape.shortest, 1);
      message->is_packed = !(is_registered && (shape.is_contiguous || static_cast<std::int64_t>(clear->part) <= safe));
      message->credits = clear->parts;
      break;
    }
  }
  if (message->is_packed && clear->part > static_cast<std::uint64_t>(kLongestPart) &&
      (clear->where == Clear::Where::kRing || clear->where == Clear::Where::kSegments))
    return refuse("parts that are too long");
  message->clear = std::move(*clear);
  message->is_clear = true;
  message->local = Runs(shape.form->type.get(), shape.count, message->base, message->bytes);
  if (message->choice != 0) ways_.of(message->choice).peer_is_ready = header.is_ready != 0;
  switch (message->way) {
    case Way::kHost:
      ++counters_.host;
      break;
    case Way::kLists:
      ++counters_.lists;
      break;
    case Way::kSegments:
      ++counters_.segments;
      break;
  }
  moving_.push_back(message);
  advance(*message);
}

void Channel::credited(const Header& header, Peer& peer) {
  Outgoing* message = outgoing(peer, header.message);
  const bool in_parts =
      message != nullptr && message->is_clear &&
      (message->clear.where == Clear::Where::kRing || message->clear.where == Clear::Where::kSegments);
  if (!in_parts || header.number > message->parts || header.number + message->clear.parts < message->credits)
    return mail_.count_refused();
  message->credits = header.number + message->clear.parts;
  advance(*message);
}

Stage* Channel::stage(std::int64_t bytes) {
  for (std::size_t k = free_stages_.size(); k-- > 0;) {
    if (free_stages_[k]->bytes < bytes) continue;
    Stage* found = free_stages_[k];
    free_stages_.erase(free_stages_.begin() + static_cast<std::ptrdiff_t>(k));
    return found;
  }
  auto made = std::make_unique<Stage>();
  made->bytes = std::max(bytes, settings_.part);
  made->memory = page_aligned(made->bytes);
  if (endpoint_->registers_local()) made->region = memory_.reach(made->memory.get(), made->bytes);
  stages_.push_back(std::move(made));
  return stages_.back().get();
}

// Fills `pending` with the next write. False: not now.
bool Channel::compose(Outgoing& message) {
  const Clear& clear = message.clear;
  Outgoing::Pending& next = message.pending;
  next.from.clear();
  next.to.clear();
  next.bytes = 0;
  const bool in_ring = clear.where == Clear::Where::kRing;
  if (in_ring && message.parts == message.credits) return false;
  std::int64_t most = std::min(left(message), in_ring ? static_cast<std::int64_t>(clear.part) : kLongestWrite);
  if (message.is_packed) {
    if (!in_ring) most = std::min(most, settings_.part);
    next.stage = stage(most);
    std::int64_t moved = 0;
    must(gapless_pack(message.base, message.shape->count, message.shape->form->type.get(), message.issued,
                      next.stage->memory.get(), most, &moved));
    void* descriptor = next.stage->region ? next.stage->region->registration.descriptor : nullptr;
    next.from.push_back({next.stage->memory.get(), static_cast<std::size_t>(most), descriptor});
  }
  const auto more_local = static_cast<std::size_t>(endpoint_->most_local());
  const auto more_remote = static_cast<std::size_t>(endpoint_->most_remote());
  const bool to_layout = clear.where == Clear::Where::kLayout;
  if (!to_layout) {
    const Place& place = clear.places[0];
    const std::uint64_t offset =
        in_ring ? (message.parts % clear.parts) * clear.part : static_cast<std::uint64_t>(message.issued);
    next.to.push_back({place.address + offset, 0, place.key});
  }
  char* local_end = nullptr;
  std::uint64_t remote_end = 0, remote_key = 0;
  while (next.bytes < most) {
    std::int64_t bytes = most - next.bytes;
    gapless_iov local{nullptr, 0};
    if (!message.is_packed) {
      local = message.local.rest();
      bytes = std::min(bytes, local.length);
      if (bytes == 0 || (local.base != local_end && next.from.size() == more_local)) break;
    }
    fabric::Remote target{};
    if (to_layout) {
      const gapless_iov run = message.remote.rest();
      bytes = std::min(bytes, run.length);
      if (bytes == 0) break;
      const auto here = reinterpret_cast<std::uint64_t>(run.base);
      const Place* place = place_of(clear, here, static_cast<std::uint64_t>(bytes));
      if (place == nullptr)
        throw fabric::Failure(fabric::Fault::kFabric, "a peer's layout lies outside of the memory that it names");
      target = {place->address + (here - place->here), 0, place->key};
      const bool goes_on = !next.to.empty() && target.address == remote_end && target.key == remote_key;
      if (!goes_on && next.to.size() == more_remote) break;
      if (!goes_on) next.to.push_back(target);
      remote_end = target.address + static_cast<std::uint64_t>(bytes);
      remote_key = target.key;
      message.remote.advance(bytes);
    }
    if (!message.is_packed) {
      if (local.base != local_end) next.from.push_back({local.base, 0, descriptor_of(message, local.base, bytes)});
      next.from.back().bytes += static_cast<std::size_t>(bytes);
      local_end = static_cast<char*>(local.base) + bytes;
      message.local.advance(bytes);
    }
    next.to.back().bytes += static_cast<std::uint64_t>(bytes);
    next.bytes += bytes;
  }
  if (message.is_packed && next.bytes < most) next.from[0].bytes = static_cast<std::size_t>(next.bytes);
  return next.bytes > 0;
}

// A piece lies in the region that the runs of a message were registered with.
void* Channel::descriptor_of(const Transfer& message, void* base, std::int64_t bytes) const noexcept {
  if (!endpoint_->registers_local()) return nullptr;
  const fabric::Region* region = message.placement->region_of(static_cast<char*>(base), bytes);
  return region != nullptr ? region->registration.descriptor : nullptr;
}

bool Channel::write_pending(Outgoing& message) {
  Outgoing::Pending& next = message.pending;
  const bool in_ring = message.clear.where == Clear::Where::kRing;
  const bool tells = in_ring || !endpoint_->is_ordered() || next.bytes == left(message);
  Issue* operation = issue(message, fabric::Operation::Kind::kWrite);
  const Immediate word{message.clear.target, message.clear.generation, in_ring ? message.parts : 0};
  const int error =
      endpoint_->write(message.peer->address, next.from, next.to, tells, word.word(), operation->operation);
  if (error != 0) {
    withdraw(operation);
    if (!fabric::Endpoint::is_busy(error)) lose(*message.peer, "libfabric: writing: " + fabric::Endpoint::text(error));
    return false;
  }
  operation->stage = next.stage;
  next.stage = nullptr;
  message.issued += next.bytes;
  next.bytes = 0;
  ++message.writes;
  ++counters_.writes;
  if (in_ring) ++message.parts;
  return true;
}

void Channel::advance(Outgoing& message) {
  if (message.is_done) return;
  if (message.clear.where == Clear::Where::kSegments) {
    if (!send_chunks(message)) return;
  } else {
    try {
      while (left(message) > 0 && message.in_flight < kMostInFlight) {
        if (message.pending.bytes == 0 && !compose(message)) break;
        if (!write_pending(message)) return;
      }
    } catch (const fabric::Failure& failure) {
      return end(message, failure.fault(), failure.what());
    }
    if (left(message) > 0) return;
    if (!endpoint_->is_ordered() && message.clear.where != Clear::Where::kRing && message.writes > 0) {
      Header header;
      header.kind = Kind::kWritten;
      header.message = message.number;
      header.bytes = static_cast<std::uint64_t>(message.bytes);
      header.number = message.writes;
      message.writes = 0;
      mail_.post(*message.peer, mail_.blank(), header, 0);
    }
  }
  if (left(message) == 0 && message.in_flight == 0) {
    if (message.choice != 0 && message.way == message.asked) {
      const std::int64_t runs =
          std::max<std::int64_t>(message.shape->runs, std::int64_t{message.writes} * endpoint_->most_remote());
      ways_.took(ways_.of(message.choice), message.way, base::now_ns() - message.began_ns, runs);
    }
    end(message);
  }
}

}  // namespace gapless::channel
