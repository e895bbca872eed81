// Every transfer, for random types: what arrives, what stays untouched and what the status says must not depend on
// whether the layer is on at the sender, at the receiver, at both or at neither. usage: equivalence_test TYPES SEED
#include <cinttypes>
#include <functional>
#include <vector>

#include "random_mpi_type.hpp"
#include "support.hpp"

namespace {

constexpr std::int64_t kLongest = 1 << 20;
test::Layer layer;
int rank;

struct Outcome {
  test::Field field;
  MPI_Status status;
  int code;
};

// What the case does; returns the code of the call that receives.
using Transfer = std::function<int(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status)>;

int partner() {
  return 1 - rank;
}

int by_send(int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm), MPI_Datatype type, int count, void* from,
            void* to, MPI_Status* status) {
  // Rank 1 receives into the type; rank 0 sends it.
  if (rank == 0) return send(from, count, type, 1, 5, MPI_COMM_WORLD);
  return MPI_Recv(to, count, type, 0, 5, MPI_COMM_WORLD, status);
}

int bsend(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  int bytes;
  // As tight as MPI allows.
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  std::vector<char> room(static_cast<std::size_t>(bytes + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  const int code = by_send(MPI_Bsend, type, count, from, to, status);
  void* address;
  MPI_Buffer_detach(&address, &bytes);
  return code;
}

int rsend(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  // The empty message says that the receive is posted.
  if (rank == 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Rsend(from, count, type, 1, 5, MPI_COMM_WORLD);
  }
  MPI_Request request;
  MPI_Irecv(to, count, type, 0, 5, MPI_COMM_WORLD, &request);
  MPI_Send(nullptr, 0, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
  return MPI_Wait(&request, status);
}

int mrecv(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  if (rank == 0) return MPI_Send(from, count, type, 1, 5, MPI_COMM_WORLD);
  MPI_Message message;
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  return MPI_Mrecv(to, count, type, &message, status);
}

int to_bytes(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  // The description differs on the two sides: the type's data travel as packed bytes and come back into the type.
  int bytes;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  std::vector<char> packed(static_cast<std::size_t>(bytes));
  if (rank == 0) {
    MPI_Send(from, count, type, 1, 5, MPI_COMM_WORLD);
    int position = 0;
    MPI_Recv(packed.data(), bytes, MPI_PACKED, 1, 5, MPI_COMM_WORLD, status);
    return MPI_Unpack(packed.data(), bytes, &position, to, count, type, MPI_COMM_WORLD);
  }
  MPI_Recv(packed.data(), bytes, MPI_PACKED, 0, 5, MPI_COMM_WORLD, status);
  MPI_Send(packed.data(), bytes, MPI_PACKED, 0, 5, MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

int sendrecv(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  return MPI_Sendrecv(from, count, type, partner(), 5, to, count, type, partner(), 5, MPI_COMM_WORLD, status);
}

int with_self(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  return MPI_Sendrecv(from, count, type, 0, 5, to, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, status);
}

int half_contiguous(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  int bytes;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  std::vector<char> packed(static_cast<std::size_t>(bytes));
  MPI_Sendrecv(from, count, type, partner(), 5, packed.data(), bytes, MPI_PACKED, partner(), 5, MPI_COMM_WORLD, status);
  return MPI_Sendrecv(packed.data(), bytes, MPI_PACKED, partner(), 5, to, count, type, partner(), 5, MPI_COMM_WORLD,
                      status);
}

int replace(MPI_Datatype type, int count, void*, void* to, MPI_Status* status) {
  return MPI_Sendrecv_replace(to, count, type, partner(), 5, partner(), 5, MPI_COMM_WORLD, status);
}

int partial(MPI_Datatype type, int count, void* from, void* to, MPI_Status* status) {
  // One element less than the receiver has room for.
  if (rank == 0) return MPI_Send(from, count - 1, type, 1, 5, MPI_COMM_WORLD);
  return MPI_Recv(to, count, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
}

int no_status(MPI_Datatype type, int count, void* from, void* to, MPI_Status*) {
  if (rank == 0) return MPI_Send(from, count, type, 1, 5, MPI_COMM_WORLD);
  return MPI_Recv(to, count, type, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int pack_unpack(MPI_Datatype type, int count, void* from, void* to, MPI_Status*) {
  int bytes, position = 3;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  std::vector<char> packed(static_cast<std::size_t>(bytes) + 3);
  MPI_Pack(from, count, type, packed.data(), bytes + 3, &position, MPI_COMM_WORLD);
  int again = 3;
  const int code = MPI_Unpack(packed.data(), bytes + 3, &again, to, count, type, MPI_COMM_WORLD);
  CHECK(position == again, "positions %d and %d", position, again);
  return code;
}

const struct {
  const char* name;
  const char* counted;  // the procedure that the layer must have accelerated
  int at;               // at this rank, or -1: both
  Transfer transfer;
} kTransfers[] = {
    {"send", "MPI_Send", 0, [](auto... a) { return by_send(MPI_Send, a...); }},
    {"ssend", "MPI_Ssend", 0, [](auto... a) { return by_send(MPI_Ssend, a...); }},
    {"bsend", "MPI_Bsend", 0, bsend},
    {"rsend", "MPI_Rsend", 0, rsend},
    {"recv", "MPI_Recv", 1, [](auto... a) { return by_send(MPI_Send, a...); }},
    {"mrecv", "MPI_Mrecv", 1, mrecv},
    {"to bytes", "MPI_Send", 0, to_bytes},
    {"sendrecv", "MPI_Sendrecv", -1, sendrecv},
    {"with self", "MPI_Sendrecv", -1, with_self},
    {"half contiguous", "MPI_Sendrecv", -1, half_contiguous},
    {"replace", "MPI_Sendrecv_replace", -1, replace},
    {"partial", "MPI_Recv", 1, partial},
    {"no status", "MPI_Recv", 1, no_status},
    {"pack", "MPI_Pack", -1, pack_unpack},
    {"unpack", "MPI_Unpack", -1, pack_unpack},
};

Outcome run(const Transfer& transfer, MPI_Datatype type, int count, const test::Span& span, std::uint64_t seed, bool on,
            bool absolute) {
  test::Field from(span, 2 * seed + static_cast<std::uint64_t>(rank));
  Outcome outcome{test::Field(span, 1000 + seed + static_cast<std::uint64_t>(rank)), {}, 0};
  // Everything in the status that a call leaves alone must stay as it is, MPI_ERROR among it.
  std::memset(&outcome.status, 0x77, sizeof outcome.status);
  layer.set(on);
  if (absolute) {
    // The same message from absolute addresses.
    MPI_Datatype out, in;
    const int one = 1;
    MPI_Aint address;
    MPI_Datatype whole;
    MPI_Type_contiguous(count, type, &whole);
    MPI_Get_address(from.buffer(), &address);
    MPI_Type_create_hindexed(1, &one, &address, whole, &out);
    MPI_Get_address(outcome.field.buffer(), &address);
    MPI_Type_create_hindexed(1, &one, &address, whole, &in);
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    outcome.code = MPI_Sendrecv(MPI_BOTTOM, 1, out, partner(), 5, MPI_BOTTOM, 1, in, partner(), 5, MPI_COMM_WORLD,
                                &outcome.status);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
    MPI_Type_free(&whole);
  } else {
    outcome.code = transfer(type, count, from.buffer(), outcome.field.buffer(), &outcome.status);
  }
  layer.set(true);
  return outcome;
}

void compare(const Outcome& plain, const Outcome& other, const char* name, std::uint64_t seed, int mode) {
  CHECK(plain.code == other.code, "%s, seed %" PRIu64 ", mode %d", name, seed, mode);
  CHECK(std::memcmp(&plain.status, &other.status, sizeof plain.status) == 0,
        "%s, seed %" PRIu64 ", mode %d: statuses: source %d %d, tag %d %d, error %d %d", name, seed, mode,
        plain.status.MPI_SOURCE, other.status.MPI_SOURCE, plain.status.MPI_TAG, other.status.MPI_TAG,
        plain.status.MPI_ERROR, other.status.MPI_ERROR);
  CHECK(plain.field == other.field, "%s, seed %" PRIu64 ", mode %d: bytes differ from %zu on", name, seed, mode,
        plain.field.first_difference(other.field));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  layer = test::layer();
  CHECK(layer.counts(), "GAPLESS_STATS=1 is needed");
  const long types = argc > 1 ? std::atol(argv[1]) : 100;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  long long compared = 0;
  for (long k = 0; k < types; ++k) {
    const std::uint64_t seed = first * 100000 + static_cast<std::uint64_t>(k);
    test::Random random(seed);
    test::RandomType made = test::random_type(random, true);
    const int count = 1 + random.below(3);
    const test::Span span = test::span_of(made.type, count);
    if (span.size <= kLongest && span.high - span.low <= kLongest) {
      for (const auto& one : kTransfers) {
        // MPICH 5.0.2 itself divides by zero here.
        if (span.size == 0 && std::strcmp(one.name, "partial") == 0) continue;
        // Bit 0: on at rank 0; bit 1: on at rank 1.
        const Outcome plain = run(one.transfer, made.type, count, span, seed, false, false);
        for (int mode = 1; mode < 4; ++mode) {
          compare(plain, run(one.transfer, made.type, count, span, seed, (mode >> rank & 1) != 0, false), one.name,
                  seed, mode);
          ++compared;
        }
      }
      if (span.size > 0) {
        const Outcome plain = run({}, made.type, count, span, seed, false, true);
        compare(plain, run({}, made.type, count, span, seed, true, true), "absolute", seed, 3);
      }
    }
    MPI_Type_free(&made.type);
  }
  for (const auto& one : kTransfers) {
    if (one.at >= 0 && one.at != rank) continue;
    CHECK(layer.accelerated(one.counted) > types / 2, "%s: %lld of %s accelerated", one.name,
          layer.accelerated(one.counted), one.counted);
  }
  if (rank == 0)
    std::printf("equivalence_test: %ld types from seed %" PRIu64 ", %lld comparisons\n", types, first, compared);
  MPI_Finalize();
  return 0;
}
