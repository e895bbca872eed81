#include "wire/fabric/meeting_seat.hpp"

#include <poll.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "wire/fabric/failure.hpp"

namespace gapless::wire::fabric {

namespace {

// One member's message: what all are sent, and the MAC of its own behind it.
struct Letter {
  Descriptor& socket;
  int rank;
  Key proof;
  std::size_t sent = 0;
};

// Closes the connection at the end.
void send_some(Letter& letter, View common) noexcept {
  while (letter.socket) {
    const std::size_t of_common = std::min(letter.sent, common.size()), of_proof = letter.sent - of_common;
    iovec parts[] = {{const_cast<std::uint8_t*>(common.data()) + of_common, common.size() - of_common},
                     {letter.proof.data() + of_proof, letter.proof.size() - of_proof}};
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    const ssize_t sent = sendmsg(letter.socket.number(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent >= 0) letter.sent += static_cast<std::size_t>(sent);
    if (sent < 0 || letter.sent == common.size() + letter.proof.size()) letter.socket.close();
  }
}

}  // namespace

bool has_left(const Seat& seat) noexcept {
  return seat.socket && wait_for(seat.socket.number(), POLLIN | POLLRDHUP, 0);
}

void hand_out(const Meeting& meeting, std::span<Seat> seats, View table) {
  const Key digest = table_digest(meeting.secret, table);
  Bytes common = frame_of(Kind::kTable, {table, Key{}});
  common.resize(common.size() - sizeof(Key));
  std::vector<Letter> letters;
  for (std::size_t rank = 0; rank < seats.size(); ++rank) {
    Seat& seat = seats[rank];
    if (!seat.socket) continue;
    letters.push_back(
        {seat.socket, static_cast<int>(rank), table_proof(meeting.secret, seat.hello, seat.challenge, digest)});
  }
  std::vector<Letter*> open;
  for (Letter& letter : letters) {
    send_some(letter, common);
    open.push_back(&letter);
  }
  std::vector<pollfd> asked;
  for (;;) {
    std::erase_if(open, [](const Letter* letter) { return !letter->socket; });
    if (open.empty()) return;
    if (is_over(meeting.until_ns)) {
      std::vector<int> ranks;
      for (const Letter* letter : open) ranks.push_back(letter->rank);
      throw Failure(Fault::kTimeout, "ranks " + ranks_text(ranks) + " have not taken the table of members in time");
    }
    asked.clear();
    for (const Letter* letter : open) asked.push_back({letter->socket.number(), POLLOUT, 0});
    if (poll(asked.data(), asked.size(), milliseconds_until(meeting.until_ns)) < 0) continue;
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (asked[k].revents != 0) send_some(*open[k], common);
    }
  }
}

}  // namespace gapless::wire::fabric
