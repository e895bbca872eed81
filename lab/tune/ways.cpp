#include "ways.hpp"

#include <chrono>

namespace gapless::lab::tune {
namespace {

constexpr int kTag = 7;
// Shorter messages [bytes] go several in a row. Of a lone one most of the time is waking up, whatever moves it, and
// programs that are sensitive to short messages send many. Beyond, the data lie in memory that the peer has read, and
// must be new for each message; and a library's own way may take so long (MPICH 5.0.2) that eight fill the time.
constexpr int kLone = 8192, kInARow = 8;
using Clock = std::chrono::steady_clock;

bool is_typed_out(Kind kind) {
  return kind != Kind::kReceive && kind != Kind::kUnpack;
}
bool is_typed_in(Kind kind) {
  return kind != Kind::kSend && kind != Kind::kPack;
}

bool is_to_and_fro(Kind kind) {
  return kind == Kind::kBoth || kind == Kind::kSend || kind == Kind::kReceive;
}

}  // namespace

const std::vector<Way>& ways() {
  // The letters of a name: what the sender and the receiver do with their types. n: native, p: packed by the layer, s:
  // packed by it past the caches.
  static const std::vector<Way> all = [] {
    std::vector<Way> made;
    constexpr std::pair<char, Deed> kSent[] = {{'n', Deed::kNative}, {'p', Deed::kPacked}, {'s', Deed::kPackedPast}};
    constexpr std::pair<char, Deed> kReceived[] = {{'n', Deed::kNative}, {'p', Deed::kPacked}};
    for (const auto& [s, sent] : kSent) {
      for (const auto& [r, received] : kReceived) {
        made.push_back({std::string("both/") + s + r, Kind::kBoth, sent, received});
        made.push_back({std::string("exchange/") + s + r, Kind::kExchange, sent, received});
      }
      made.push_back({std::string("send/") + s, Kind::kSend, sent, Deed::kNative});
    }
    for (const auto& [r, received] : kReceived) {
      made.push_back({std::string("receive/") + r, Kind::kReceive, Deed::kNative, received});
      made.push_back({std::string("pack/") + r, Kind::kPack, received, Deed::kNative});
      made.push_back({std::string("unpack/") + r, Kind::kUnpack, Deed::kNative, received});
    }
    return made;
  }();
  return all;
}

const std::vector<Way>& paired_ways() {
  static const std::vector<Way> all = [] {
    std::vector<Way> made;
    constexpr std::pair<const char*, Kind> kKinds[] = {
        {"both", Kind::kBoth}, {"exchange", Kind::kExchange}, {"send", Kind::kSend}};
    for (const auto& [name, kind] : kKinds) {
      made.push_back({std::string(name) + "/local", kind, Deed::kByRules, Deed::kByRules});
      made.push_back({std::string(name) + "/paired", kind, Deed::kPaired, Deed::kPaired});
    }
    return made;
  }();
  return all;
}

void Mover::become(Deed deed) const {
  layer_.set_paired(deed == Deed::kPaired);
  if (deed == Deed::kPackedPast) {
    layer_.set_past();
  } else {
    layer_.set(deed != Deed::kNative);
  }
}

void Mover::send(Cell& cell, const Way& way) {
  become(way.sent);
  if (is_typed_out(way.kind)) {
    MPI_Send(cell.typed_out(), cell.count(), cell.type(), peer_, kTag, MPI_COMM_WORLD);
  } else {
    MPI_Send(cell.plain_out(), cell.bytes(), MPI_BYTE, peer_, kTag, MPI_COMM_WORLD);
  }
}

void Mover::receive(Cell& cell, const Way& way) {
  become(way.received);
  if (is_typed_in(way.kind)) {
    MPI_Recv(cell.typed_in(), cell.count(), cell.type(), peer_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(cell.plain_in(), cell.bytes(), MPI_BYTE, peer_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void Mover::exchange(Cell& cell, const Way& way) {
  MPI_Request requests[2];
  become(way.received);
  MPI_Irecv(cell.typed_in(), cell.count(), cell.type(), peer_, kTag, MPI_COMM_WORLD, &requests[0]);
  become(way.sent);
  MPI_Isend(cell.typed_out(), cell.count(), cell.type(), peer_, kTag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void Mover::check(Cell& cell, const Way& way, unsigned char value) const {
  bool right;
  switch (way.kind) {
    case Kind::kPack:
      right = cell.plain_in_is(value);
      break;
    case Kind::kSend:
      right = cell.plain_in_is(value);
      break;
    default:
      right = cell.typed_in_is(value);
  }
  if (!right) throw WrongData(way.name + ": other data arrived than were sent");
}

void Mover::move(Cell& cell, const Way& way) {
  int position = 0;
  switch (way.kind) {
    case Kind::kPack:
      become(way.sent);
      MPI_Pack(cell.typed_out(), cell.count(), cell.type(), cell.plain_in(), cell.bytes(), &position, MPI_COMM_WORLD);
      break;
    case Kind::kUnpack:
      become(way.received);
      MPI_Unpack(cell.plain_out(), cell.bytes(), &position, cell.typed_in(), cell.count(), cell.type(), MPI_COMM_WORLD);
      break;
    case Kind::kExchange:
      exchange(cell, way);
      break;
    default:
      if (rank_ == 0) {
        send(cell, way);
        receive(cell, way);
      } else {
        receive(cell, way);
        send(cell, way);
      }
  }
}

double Mover::time(Cell& cell, const Way& way) {
  if (fresh_) {
    ++round_;
    if (is_typed_out(way.kind)) {
      cell.write_out(round_);
    } else {
      cell.write_plain(round_);
    }
  }
  // Rank 1 is ready first; then it waits in its receive, or does as rank 0 does.
  layer_.set(false);
  char token = 0;
  if (rank_ == 1) MPI_Send(&token, 1, MPI_BYTE, peer_, kTag, MPI_COMM_WORLD);
  if (rank_ == 0) MPI_Recv(&token, 1, MPI_BYTE, peer_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int in_a_row = cell.bytes() < kLone ? kInARow : 1;
  const auto begin = Clock::now();
  for (int k = 0; k < in_a_row; ++k) move(cell, way);
  const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
  check(cell, way, fresh_ ? round_ : kConstant);
  return ns / in_a_row / (is_to_and_fro(way.kind) ? 2 : 1);
}

}  // namespace gapless::lab::tune
