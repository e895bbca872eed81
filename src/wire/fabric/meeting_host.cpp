// Rank 0 of a meeting (meeting.hpp): serves whoever connects until all members have proven themselves.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"
#include "wire/fabric/meeting.hpp"
#include "wire/fabric/meeting_message.hpp"
#include "wire/fabric/meeting_seat.hpp"

namespace gapless::wire::fabric {

namespace {

// What one who has proven nothing may cost: this time, these bytes, and a place among so many, of which the one that
// has been there longest is closed for the next. A member needs two round trips, and comes again if it was closed.
constexpr std::int64_t kUnprovenNs = 5'000'000'000;
constexpr std::size_t kMaxUnprovenBytes = kHelloBytes + kFrameBytes + kMaxProofBytes;
constexpr std::size_t kMaxGuests = 1024;
constexpr int kMaxAcceptedAtOnce = 64;

struct Guest {
  enum class State : std::uint8_t { kHello, kProof, kRefused, kSeated, kGone };
  Descriptor socket;
  std::int64_t until_ns = 0;
  State state = State::kHello;
  Hello hello;
  Nonce challenge{};
  Bytes received;  // since HELLO
};

// A new connection takes far more than the few hundred bytes that it is sent here, if its peer lives.
bool send_at_once(const Descriptor& socket, const Bytes& bytes) noexcept {
  ssize_t sent;
  while ((sent = send(socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 &&
         errno == EINTR) {
  }
  return sent == static_cast<ssize_t>(bytes.size());
}

class Host {
 public:
  Host(const Meeting& meeting, int listener, std::string where, Member own, std::int64_t& turned_away)
      : meeting_(meeting),
        listener_(listener),
        where_(std::move(where)),
        turned_away_(turned_away),
        seats_(static_cast<std::size_t>(meeting.processes)),
        members_(seats_.size()),
        nonces_(seats_.size()) {
    members_[0] = std::move(own);
    nonces_[0] = draw_nonce();
    seats_[0].is_taken = true;
  }

  Room::Outcome run() {
    while (taken_ < seats_.size() || (leave_empty_seats(), taken_ < seats_.size())) {
      if (is_over(meeting_.until_ns)) give_up();
      serve();
    }
    guests_.clear();
    hand_out(meeting_, seats_, table_of(members_, nonces_));
    return {std::move(members_), job_key(meeting_.secret, nonces_)};
  }

 private:
  void serve();
  void accept_some();
  bool close_oldest() noexcept;
  void hear(Guest& guest);
  void read_hello(Guest& guest);
  void read_proof(Guest& guest);
  void refuse(Guest& guest, const Refusal& refusal);
  void leave_empty_seats();
  [[noreturn]] void give_up();

  const Meeting& meeting_;
  const int listener_;
  const std::string where_;
  std::int64_t& turned_away_;
  std::int64_t wrong_secrets_ = 0;
  std::vector<Guest> guests_;  // by when they came
  std::vector<Seat> seats_;
  std::size_t taken_ = 1;
  std::vector<Member> members_;
  std::vector<Nonce> nonces_;
};

// Members who have proven themselves wait for the table, and are not polled: a turn costs by who is still unproven.
void Host::serve() {
  std::vector<pollfd> asked{{listener_, POLLIN, 0}};
  std::int64_t until_ns = meeting_.until_ns;
  for (const Guest& guest : guests_) {
    asked.push_back({guest.socket.number(), POLLIN, 0});
    until_ns = earlier(until_ns, guest.until_ns);
  }
  if (poll(asked.data(), asked.size(), milliseconds_until(until_ns)) < 0) {
    if (errno != EINTR) poll(nullptr, 0, 1);
    return;
  }
  for (std::size_t k = 0; k < guests_.size(); ++k) {
    Guest& guest = guests_[k];
    if (asked[k + 1].revents != 0) hear(guest);
    if (guest.state != Guest::State::kSeated && is_over(guest.until_ns)) guest.state = Guest::State::kGone;
  }
  turned_away_ += static_cast<std::int64_t>(
      std::erase_if(guests_, [](const Guest& guest) { return guest.state == Guest::State::kGone; }));
  std::erase_if(guests_, [](const Guest& guest) { return guest.state == Guest::State::kSeated; });
  if (asked[0].revents != 0) accept_some();
}

void Host::accept_some() {
  for (int k = 0; k < kMaxAcceptedAtOnce; ++k) {
    Descriptor socket(accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int error = errno;
    if (!socket && (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM)) {
      if (close_oldest()) continue;
      throw Failure(Fault::kNoMemory, "rank 0 needs a descriptor for each of " + std::to_string(meeting_.processes) +
                                          " processes while they meet, and has none left after " +
                                          std::to_string(taken_) + ": " + error_text(error) + " (ulimit -n)");
    }
    if (!socket && (error == EAGAIN || error == EWOULDBLOCK)) return;
    if (!socket) continue;  // who connected has gone again
    if (guests_.size() >= kMaxGuests) close_oldest();
    const int on = 1;
    setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // the table is not to wait for an answer
    Guest guest;
    guest.socket = std::move(socket);
    guest.until_ns = base::now_ns() + kUnprovenNs;
    guests_.push_back(std::move(guest));
  }
}

bool Host::close_oldest() noexcept {
  if (guests_.empty()) return false;
  guests_.erase(guests_.begin());
  ++turned_away_;
  return true;
}

void Host::hear(Guest& guest) {
  std::uint8_t bytes[kMaxUnprovenBytes];
  // As much as a member may have sent, and no more: who sends on is read no further.
  const std::size_t room = kMaxUnprovenBytes - guest.received.size();
  const ssize_t received = recv(guest.socket.number(), bytes, room, MSG_DONTWAIT);
  if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
  if (received <= 0) {
    guest.state = Guest::State::kGone;
    return;
  }
  guest.received.insert(guest.received.end(), bytes, bytes + received);
  if (guest.state == Guest::State::kHello) read_hello(guest);
  if (guest.state == Guest::State::kProof) read_proof(guest);
  if (guest.state != Guest::State::kSeated && guest.received.size() >= kMaxUnprovenBytes) {
    guest.state = Guest::State::kGone;
  }
}

void Host::read_hello(Guest& guest) {
  const Reading reading = parse(guest.received, guest.hello);
  if (reading == Reading::kRubbish) guest.state = Guest::State::kGone;
  if (reading != Reading::kGood) return;
  if (guest.hello.format != kFormat) return refuse(guest, {Reason::kFormat, kFormat, 0});
  guest.challenge = draw_nonce();
  guest.received.erase(guest.received.begin(), guest.received.begin() + kHelloBytes);
  const bool is_sent = send_at_once(guest.socket, frame_of(Kind::kChallenge, {guest.challenge}));
  guest.state = is_sent ? Guest::State::kProof : Guest::State::kGone;
}

void Host::read_proof(Guest& guest) {
  Frame frame;
  const Reading reading = parse(guest.received, kMaxProofBytes, frame);
  if (reading == Reading::kMore) return;
  Key mac;
  if (reading == Reading::kRubbish || frame.kind != Kind::kProof || frame.body.size() < sizeof mac) {
    guest.state = Guest::State::kGone;
    return;
  }
  const View data = frame.body.first(frame.body.size() - sizeof mac);
  std::copy(frame.body.end() - sizeof mac, frame.body.end(), mac.begin());
  if (!are_equal(mac, member_proof(meeting_.secret, guest.hello, guest.challenge, data))) {
    ++wrong_secrets_;
    return refuse(guest, {Reason::kSecret, 0, 0});
  }
  // Only who knows the secret is told of the job, and can take a rank from another.
  const std::size_t rank = guest.hello.rank;
  if (guest.hello.processes != seats_.size() || rank >= seats_.size()) {
    return refuse(guest, {Reason::kProcesses, static_cast<std::uint32_t>(seats_.size()), 0});
  }
  // A member that has ended meanwhile may have been started again.
  if (seats_[rank].is_taken && !has_left(seats_[rank])) return refuse(guest, {Reason::kRank, 0, 0});
  Member member;
  if (!parse(data, member) ||
      !send_at_once(guest.socket,
                    frame_of(Kind::kWelcome, {host_proof(meeting_.secret, guest.hello, guest.challenge)}))) {
    guest.state = Guest::State::kGone;
    return;
  }
  if (!seats_[rank].is_taken) ++taken_;
  seats_[rank] = {std::move(guest.socket), guest.hello, guest.challenge, true};
  members_[rank] = std::move(member);
  nonces_[rank] = guest.hello.nonce;
  guest.state = Guest::State::kSeated;
}

// Closing with bytes unread would make the kernel throw away what was sent, so the other side closes first, within its
// time and bytes.
void Host::refuse(Guest& guest, const Refusal& refusal) {
  guest.state = Guest::State::kRefused;
  if (!send_at_once(guest.socket, frame_of(refusal))) guest.state = Guest::State::kGone;
  shutdown(guest.socket.number(), SHUT_WR);
}

void Host::leave_empty_seats() {
  for (Seat& seat : seats_) {
    if (!has_left(seat)) continue;
    seat = {};
    --taken_;
  }
}

void Host::give_up() {
  leave_empty_seats();
  std::vector<int> missing;
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) {
    if (!seats_[rank].is_taken) missing.push_back(static_cast<int>(rank));
  }
  const auto first = missing.empty() ? 0 : static_cast<std::uint32_t>(missing[0]);
  const Bytes refusal = frame_of(Refusal{Reason::kMissing, static_cast<std::uint32_t>(missing.size()), first});
  for (const Seat& seat : seats_) {
    if (seat.socket) send_at_once(seat.socket, refusal);
  }
  std::string text = "ranks " + ranks_text(missing) + " of " + std::to_string(seats_.size()) + " have not come to " +
                     meeting_.where + " (" + where_ + ") in time";
  if (turned_away_ > 0) text += "; " + std::to_string(turned_away_) + " connections proved nothing";
  if (wrong_secrets_ > 0) text += "; " + std::to_string(wrong_secrets_) + " times somebody had another secret";
  throw Failure(Fault::kTimeout, text);
}

}  // namespace

Room::Outcome Room::host(Member own) {
  const auto port = meeting_.processes > 1 ? port_of(own_address(socket_.number())) : 0;
  return Host(meeting_, socket_.number(), own_host_ + ":" + std::to_string(port), std::move(own), turned_away_).run();
}

}  // namespace gapless::wire::fabric
