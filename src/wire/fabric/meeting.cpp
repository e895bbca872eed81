// The meeting of a job (meeting.hpp): its place, and what a member does. Rank 0: meeting_host.cpp.
#include "wire/fabric/meeting.hpp"

#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "base/clock.hpp"
#include "wire/fabric/failure.hpp"
#include "wire/fabric/meeting_message.hpp"

namespace gapless::wire::fabric {

namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kFirstPauseNs = 2 * kMillisecond, kLongestPauseNs = 500 * kMillisecond;
// Of one try to connect: longer than a lost packet takes to be sent again, short enough for a host's next address.
constexpr std::int64_t kTryNs = 5'000 * kMillisecond;

enum class Moved { kAll, kClosed, kLate };

Moved send_all(int socket, View bytes, std::int64_t until_ns) noexcept {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(socket, POLLOUT, until_ns)) return Moved::kLate;
    } else if (errno != EINTR) {
      return Moved::kClosed;
    }
  }
  return Moved::kAll;
}

Moved receive_all(int socket, std::span<std::uint8_t> bytes, std::int64_t until_ns) noexcept {
  while (!bytes.empty()) {
    const ssize_t received = recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(received));
    } else if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait_for(socket, POLLIN, until_ns)) return Moved::kLate;
    } else if (received == 0 || errno != EINTR) {
      return Moved::kClosed;
    }
  }
  return Moved::kAll;
}

std::string who(const Meeting& meeting) {
  return "rank " + std::to_string(meeting.rank) + ": ";
}

Failure late(const Meeting& meeting, const char* what) {
  return {Fault::kTimeout, who(meeting) + "rank 0 at " + meeting.where + " " + what};
}

Failure strange(const Meeting& meeting) {
  return {Fault::kArgument, who(meeting) + "who answers at " + meeting.where +
                                " is not rank 0 of a job: is another service there, or a newer version of Gapless?"};
}

Failure unproven(const Meeting& meeting) {
  return {Fault::kSecret,
          who(meeting) + "who answers at " + meeting.where + " as rank 0 does not know this process's secret"};
}

Failure refused(const Meeting& meeting, const Refusal& refusal) {
  const std::string host = who(meeting) + "rank 0 at " + meeting.where + " ";
  switch (refusal.reason) {
    case Reason::kFormat:
      return {Fault::kArgument, host + "is of another version of Gapless: it meets by format " +
                                    std::to_string(refusal.a) + ", this process by " + std::to_string(kFormat)};
    case Reason::kSecret:
      return {Fault::kSecret, host + "has another secret than this process: all of a job need the same"};
    case Reason::kRank:
      return {Fault::kArgument,
              host + "has a rank " + std::to_string(meeting.rank) + " already: each process needs a rank of its own"};
    case Reason::kProcesses:
      return {Fault::kArgument, host + "waits for " + std::to_string(refusal.a) + " processes, but this one says " +
                                    std::to_string(meeting.processes)};
    case Reason::kMissing:
      break;
  }
  return {Fault::kTimeout, host + "has given up waiting: " + std::to_string(refusal.a) +
                               " processes have not come, the first of them rank " + std::to_string(refusal.b)};
}

// The body of the next message; empty if rank 0 has closed. Only as much memory as has arrived is taken, twice at most.
Bytes next_body(const Meeting& meeting, int socket, Kind wanted, std::size_t max_body) {
  std::uint8_t head[kFrameBytes];
  Kind kind = wanted;
  std::size_t body_bytes = 0;
  Bytes body;
  Moved moved = receive_all(socket, head, meeting.until_ns);
  if (moved == Moved::kAll) {
    if (read_head(head, std::max(max_body, kRefusalBytes), kind, body_bytes) != Reading::kGood) throw strange(meeting);
    if ((kind != wanted && kind != Kind::kRefused) || body_bytes == 0) throw strange(meeting);
    while (moved == Moved::kAll && body.size() < body_bytes) {
      const std::size_t before = body.size();
      body.resize(std::min(body_bytes, before + std::max<std::size_t>(before, 4096)));
      moved = receive_all(socket, std::span(body).subspan(before), meeting.until_ns);
    }
  }
  if (moved == Moved::kLate) throw late(meeting, "has not answered in time: does it wait for others?");
  if (moved == Moved::kClosed) return {};
  if (kind == Kind::kRefused) {
    Refusal refusal;
    if (!parse(body, refusal)) throw strange(meeting);
    throw refused(meeting, refusal);
  }
  return body;
}

bool take(const Bytes& body, Key& key) noexcept {
  if (body.size() != key.size()) return false;
  std::copy(body.begin(), body.end(), key.begin());
  return true;
}

}  // namespace

Room::Room(const Meeting& meeting) : meeting_(meeting), pause_ns_(kFirstPauseNs) {
  if (meeting.processes < 1 || meeting.processes > 65536 || meeting.rank < 0 || meeting.rank >= meeting.processes) {
    throw Failure(Fault::kArgument, "rank " + std::to_string(meeting.rank) + " of " +
                                        std::to_string(meeting.processes) +
                                        " processes: a job has 1 to 65536, and ranks from 0 on");
  }
  if (meeting.processes == 1 && meeting.where.empty()) {
    own_host_ = "127.0.0.1";
    return;
  }
  const Place place = place_in(meeting.where);
  addresses_ = addresses_of(place.host, place.port);
  if (is_wildcard(addresses_.front())) {
    throw Failure(Fault::kArgument,
                  "the meeting is " + meeting.where + ": it takes the address by which the others reach rank 0");
  }
  if (meeting.processes == 1) {
    own_host_ = host_of(addresses_.front());
  } else if (meeting.rank == 0) {
    listen_there();
  } else {
    connect();
    own_host_ = host_of(own_address(socket_.number()));
  }
}

void Room::listen_there() {
  int error = 0;
  for (const Address& address : addresses_) {
    socket_ = Descriptor(socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    // As many as the kernel keeps, so that no stranger fills the places of members: who finds none waits for a second.
    // Connections of an earlier meeting at this place may still be ending. Two that listen are refused all the same.
    if (socket_) setsockopt(socket_.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (socket_ && bind(socket_.number(), address.get(), address.bytes) == 0 &&
        listen(socket_.number(), INT_MAX) == 0) {
      own_host_ = host_of(address);
      return;
    }
    // Of a host's addresses one may be of no interface; that another process is there says more.
    if (error != EADDRINUSE) error = errno;
    socket_.close();
  }
  std::string why = error_text(error);
  if (error == EADDRINUSE) why = "the port is in use, by another job or service: choose another";
  if (error == EADDRNOTAVAIL) why = "this is no address of this machine: rank 0 has to run there";
  throw Failure(Fault::kArgument, "rank 0 cannot listen at " + meeting_.where + ": " + why);
}

void Room::connect() {
  int error = ETIMEDOUT;
  do {
    for (const Address& address : addresses_) {
      socket_ = connect_to(address, earlier(meeting_.until_ns, base::now_ns() + kTryNs));
      if (socket_) return;
      error = errno;
      if (error == EMFILE || error == ENFILE) {
        throw Failure(Fault::kNoMemory, who(meeting_) + "no socket to connect by: " + error_text(error));
      }
    }
    // Twice as long each time, so that thousands who wait for rank 0 do not keep its machine busy.
    sleep_until(earlier(meeting_.until_ns, base::now_ns() + pause_ns_));
    pause_ns_ = std::min(2 * pause_ns_, kLongestPauseNs);
  } while (!is_over(meeting_.until_ns));
  throw late(meeting_, ("has not come: connecting ends with '" + error_text(error) + "'").c_str());
}

Room::Outcome Room::exchange(Member own) {
  if (own.host.empty()) own.host = own_host_;
  if (!is_sound(own)) {
    throw Failure(Fault::kArgument, "a member has an address of at most " + std::to_string(kMaxAddressBytes) +
                                        " bytes, a numeric host and a port: not '" + own.host + "'");
  }
  Outcome outcome = meeting_.rank == 0 ? host(std::move(own)) : join(own);
  socket_.close();
  return outcome;
}

Room::Outcome Room::join(const Member& own) {
  Outcome outcome;
  const Nonce nonce = draw_nonce();
  while (!be_admitted(own, nonce, outcome)) {
    // Rank 0 closes a connection that has said nothing for seconds, or the oldest of very many: this process may have
    // taken long to open its endpoint since it connected. No member's fault, so it comes again.
    socket_.close();
    if (is_over(meeting_.until_ns)) throw late(meeting_, "closes each connection without an answer");
    sleep_until(earlier(meeting_.until_ns, base::now_ns() + pause_ns_));
    pause_ns_ = std::min(2 * pause_ns_, kLongestPauseNs);
    connect();
  }
  return outcome;
}

// False if rank 0 has closed the connection before it welcomed this member: nothing has come of it.
bool Room::be_admitted(const Member& own, const Nonce& nonce, Outcome& outcome) {
  const int socket = socket_.number();
  const Hello hello{kFormat, static_cast<std::uint32_t>(meeting_.rank), static_cast<std::uint32_t>(meeting_.processes),
                    nonce};
  if (send_all(socket, bytes_of(hello), meeting_.until_ns) != Moved::kAll) return false;
  Nonce challenge;
  Bytes body = next_body(meeting_, socket, Kind::kChallenge, sizeof challenge);
  if (body.empty()) return false;
  if (!take(body, challenge)) throw strange(meeting_);

  const Bytes data = bytes_of(own);
  const Bytes proof = frame_of(Kind::kProof, {data, member_proof(meeting_.secret, hello, challenge, data)});
  if (send_all(socket, proof, meeting_.until_ns) != Moved::kAll) return false;
  Key mac;
  body = next_body(meeting_, socket, Kind::kWelcome, sizeof mac);
  if (body.empty()) return false;
  if (!take(body, mac) || !are_equal(mac, host_proof(meeting_.secret, hello, challenge))) throw unproven(meeting_);

  const auto processes = static_cast<std::size_t>(meeting_.processes);
  body = next_body(meeting_, socket, Kind::kTable, max_table_bytes(processes) + sizeof mac);
  if (body.empty()) {
    throw Failure(Fault::kPeer, who(meeting_) + "rank 0 at " + meeting_.where + " has ended before all had come");
  }
  if (body.size() < sizeof mac) throw unproven(meeting_);
  const View table = View(body).first(body.size() - sizeof mac);
  std::copy(body.end() - sizeof mac, body.end(), mac.begin());
  const Key right = table_proof(meeting_.secret, hello, challenge, table_digest(meeting_.secret, table));
  if (!are_equal(mac, right)) throw unproven(meeting_);
  std::vector<Nonce> nonces;
  const auto self = static_cast<std::size_t>(meeting_.rank);
  // That its own nonce is among them makes the job's key a new one for this member, whatever the others drew.
  if (!parse(table, processes, outcome.members, nonces) || nonces[self] != nonce || outcome.members[self] != own) {
    throw strange(meeting_);
  }
  outcome.job = job_key(meeting_.secret, nonces);
  return true;
}

}  // namespace gapless::wire::fabric
