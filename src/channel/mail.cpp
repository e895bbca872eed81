#include "channel/mail.hpp"

#include <cstring>

namespace gapless::channel {

namespace fabric = wire::fabric;

Mail::Mail(fabric::Endpoint& endpoint, fabric::Memory& memory, std::uint32_t rank)
    : endpoint_(endpoint), memory_(memory), rank_(rank) {}

Mail::~Mail() = default;

void Mail::add_letters(fabric::Operation::Kind kind, std::size_t count, std::vector<std::unique_ptr<Letter>>& all,
                       std::vector<Letter*>& unused) {
  auto sheet = std::make_unique<Sheet>();
  sheet->bytes = std::make_unique<std::byte[]>(count * kFrameBytes);
  void* descriptor = nullptr;
  if (endpoint_.registers_local()) {
    sheet->region =
        memory_.reach(reinterpret_cast<char*>(sheet->bytes.get()), static_cast<std::int64_t>(count * kFrameBytes));
    descriptor = sheet->region->registration.descriptor;
  }
  for (std::size_t k = 0; k < count; ++k) {
    auto letter = std::make_unique<Letter>();
    letter->operation.kind = kind;
    letter->operation.owner = letter.get();
    letter->frame = sheet->bytes.get() + k * kFrameBytes;
    letter->descriptor = descriptor;
    unused.push_back(letter.get());
    all.push_back(std::move(letter));
  }
  sheets_.push_back(std::move(sheet));
}

void Mail::listen() {
  if (inbox_.empty()) add_letters(fabric::Operation::Kind::kFrameIn, kInbox, inbox_, unposted_);
  while (!unposted_.empty()) {
    Letter* letter = unposted_.back();
    const int error = endpoint_.receive({letter->frame, kFrameBytes, letter->descriptor}, letter->operation);
    if (fabric::Endpoint::is_busy(error)) return;
    if (error != 0)
      throw fabric::Failure(fabric::Fault::kFabric, "libfabric: receiving a frame: " + fabric::Endpoint::text(error));
    unposted_.pop_back();
  }
}

Letter* Mail::blank() {
  if (free_.empty()) add_letters(fabric::Operation::Kind::kFrameOut, kLetters, letters_, free_);
  Letter* letter = free_.back();
  free_.pop_back();
  letter->message = nullptr;
  return letter;
}

namespace {

// What a seal covers: the seal's own place counts as 0. Of eager messages it is the header alone, so the copy is short.
struct Sealed {
  std::array<std::byte, kFrameBytes> copy;
  std::size_t bytes;
  Sealed(Header header, std::span<const std::byte> frame) noexcept
      : bytes(header.kind == Kind::kEager ? sizeof header : sizeof header + header.body) {
    header.seal = 0;
    std::memcpy(copy.data(), &header, sizeof header);
    if (bytes > sizeof header)
      std::memcpy(copy.data() + sizeof header, frame.data() + sizeof header, bytes - sizeof header);
  }
  std::span<const std::byte> view() const noexcept { return {copy.data(), bytes}; }
};

}  // namespace

void Mail::post(Peer& peer, Letter* letter, Header header, std::size_t body) {
  header.from = rank_;
  header.sequence = ++peer.frames_out;
  header.matched = peer.matched_told = peer.matched_in;
  header.body = static_cast<std::uint32_t>(body);
  header.seal = peer.out.tag(Sealed(header, {letter->frame, kFrameBytes}).view());
  std::memcpy(letter->frame, &header, sizeof header);
  letter->bytes = sizeof header + body;
  letter->peer = &peer;
  peer.is_used = true;
  ++peer.letters;
  peer.outbox.push_back(letter);
  push(peer);
}

int Mail::try_send(Letter* letter) noexcept {
  return endpoint_.send(letter->peer->address, {letter->frame, letter->bytes, letter->descriptor}, letter->operation);
}

bool Mail::push(Peer& peer) {
  bool moved = false;
  while (!peer.outbox.empty() && !peer.is_gone && peer.send_error == 0) {
    const int error = try_send(peer.outbox.front());
    if (fabric::Endpoint::is_busy(error)) break;
    if (error != 0) {
      peer.send_error = error;
      break;
    }
    peer.outbox.pop_front();
    moved = true;
  }
  return moved;
}

bool Mail::open(const fabric::Completion& completion, Peers& peers, Opened* opened) {
  const Letter* letter = static_cast<const Letter*>(completion.operation->owner);
  const std::span<const std::byte> frame(letter->frame, std::min(completion.bytes, kFrameBytes));
  const std::optional<Header> header = read_header(frame);
  const bool is_known = header && header->from < peers.size() && header->from != rank_ &&
                        peers.is_of(static_cast<int>(header->from), Sealed(*header, frame).view(), header->seal);
  Peer* peer = is_known ? &peers.at(static_cast<int>(header->from)) : nullptr;
  if (peer == nullptr || header->sequence != peer->frames_in + 1 || !is_plausible(*peer, *header)) {
    ++refused_;
    return false;
  }
  ++peer->frames_in;
  peer->is_used = true;
  *opened = {*header, frame.subspan(sizeof(Header))};
  return true;
}

void Mail::done_with(const fabric::Completion& completion) {
  unposted_.push_back(static_cast<Letter*>(completion.operation->owner));
}

void Mail::sent(Letter* letter) noexcept {
  --letter->peer->letters;
  free_.push_back(letter);
}

void Mail::forget(const Transfer& transfer) noexcept {
  for (const auto& letter : letters_)
    if (letter->message == &transfer) letter->message = nullptr;
}

std::int64_t Mail::memory_bytes() const noexcept {
  return static_cast<std::int64_t>((letters_.size() + inbox_.size()) * (kFrameBytes + sizeof(Letter)));
}

}  // namespace gapless::channel
