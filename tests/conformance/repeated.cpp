// Short messages of blocking calls that are like one before, of which the layer decides nothing anew; and those that
// look like it and are not: other types under the same handle, shorter and longer messages, other memory.
// usage: repeated [INTS]
#include <array>
#include <cstdlib>
#include <vector>

#include "../preload/support.hpp"

namespace {

int rank = 0, ints_of_each = 96;
int room() {
  return 3 * ints_of_each + 8;
}

// `ints_of_each` ints, each `kind` apart in another way.
MPI_Datatype type_of(int kind) {
  MPI_Datatype type;
  std::vector<int> places(ints_of_each);
  for (int k = 0; k < ints_of_each; ++k) places[static_cast<std::size_t>(k)] = 2 * k + (k * (kind + 1)) % 3 % 2;
  if (kind < 2) {
    MPI_Type_vector(ints_of_each, 1, 2 + kind, MPI_INT, &type);
  } else {
    MPI_Type_create_indexed_block(ints_of_each, 1, places.data(), MPI_INT, &type);
  }
  MPI_Type_commit(&type);
  return type;
}
int place_of(int kind, int k) {
  return kind < 2 ? k * (2 + kind) : 2 * k + (k * (kind + 1)) % 3 % 2;
}

using Ints = std::vector<int>;

Ints empty() {
  return Ints(static_cast<std::size_t>(room()), -1);
}
void fill(Ints& ints, int kind, int salt) {
  ints = empty();
  for (int k = 0; k < ints_of_each; ++k) ints[static_cast<std::size_t>(place_of(kind, k))] = salt + k;
}

// The first `came` ints of a message are there, and nothing else.
void expect(const Ints& ints, int kind, int salt, int came, const char* what) {
  Ints wanted;
  fill(wanted, kind, salt);
  for (int k = came; k < ints_of_each; ++k) wanted[static_cast<std::size_t>(place_of(kind, k))] = -1;
  for (int k = 0; k < room(); ++k) {
    const int seen = ints[static_cast<std::size_t>(k)];
    CHECK(seen == wanted[static_cast<std::size_t>(k)], "%s, kind %d: %d at %d", what, kind, seen, k);
  }
}

void send(MPI_Datatype type, int kind, int salt) {
  Ints out;
  fill(out, kind, salt);
  MPI_Send(out.data(), 1, type, 1, 3, MPI_COMM_WORLD);
}
void receive(MPI_Datatype type, int kind, int salt, const char* what) {
  Ints in = empty();
  MPI_Status status;
  MPI_Recv(in.data(), 1, type, 0, 3, MPI_COMM_WORLD, &status);
  int count = -1;
  MPI_Get_elements(&status, type, &count);
  CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == 3 && count == ints_of_each, "%s: %d elements", what, count);
  expect(in, kind, salt, ints_of_each, what);
}

// The library gives the handle of a type that was freed to the next one.
void reused_handles() {
  for (int round = 0; round < 300; ++round) {
    const int kind = round % 4;
    MPI_Datatype type = type_of(kind);
    for (int again = 0; again < 3; ++again)
      rank == 0 ? send(type, kind, 100 * round) : receive(type, kind, 100 * round, "handles used again");
    MPI_Type_free(&type);
  }
}

// One handle, several kinds at a time, and absolute addresses.
void in_turn() {
  std::array<MPI_Datatype, 4> types;
  for (int kind = 0; kind < 4; ++kind) types[static_cast<std::size_t>(kind)] = type_of(kind);
  for (int round = 0; round < 40; ++round) {
    const int kind = round % 4;
    const MPI_Datatype type = types[static_cast<std::size_t>(kind)];
    rank == 0 ? send(type, kind, round) : receive(type, kind, round, "in turn");
    Ints data;
    rank == 0 ? fill(data, kind, 7 * round) : void(data = empty());
    MPI_Aint address;
    MPI_Get_address(data.data(), &address);
    MPI_Datatype absolute;
    MPI_Type_create_hindexed_block(1, 1, &address, type, &absolute);
    MPI_Type_commit(&absolute);
    if (rank == 0) {
      MPI_Send(MPI_BOTTOM, 1, absolute, 1, 4, MPI_COMM_WORLD);
      MPI_Send(data.data(), 1, type, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
    } else {
      MPI_Recv(MPI_BOTTOM, 1, absolute, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      expect(data, kind, 7 * round, ints_of_each, "absolute");
      MPI_Status status;
      MPI_Recv(data.data(), 1, type, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_SOURCE == MPI_PROC_NULL, "from nobody: source %d", status.MPI_SOURCE);
      expect(data, kind, 7 * round, ints_of_each, "from nobody");
    }
    MPI_Type_free(&absolute);
  }
  for (MPI_Datatype& type : types) MPI_Type_free(&type);
}

MPI_Datatype strided;
int handled = 0;
// It receives a message like the one that has failed, and makes the layer decide of others.
void handler(MPI_Comm*, int* code, ...) {
  ++handled;
  CHECK(test::error_class(*code) == MPI_ERR_TRUNCATE, "class %d", test::error_class(*code));
  for (int kind = 1; kind < 4; ++kind) {
    MPI_Datatype other = type_of(kind);
    receive(other, kind, 40 + kind, "in the handler");
    MPI_Type_free(&other);
  }
}

// A header may come in place of one that is like those before, of a message that is too long.
void too_long_through_shared_memory() {
  constexpr int kLong = 50'000;
  MPI_Datatype column;
  MPI_Type_vector(kLong, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  const std::vector<int> out(2 * kLong, 5);
  for (int round = 0; round < 4; ++round) {
    rank == 0 ? send(strided, 0, round) : receive(strided, 0, round, "before one that is too long");
    if (rank == 0) {
      MPI_Send(out.data(), 1, column, 1, 3, MPI_COMM_WORLD);
      for (int kind = 1; kind < 4; ++kind) {
        MPI_Datatype other = type_of(kind);
        send(other, kind, 40 + kind);
        MPI_Type_free(&other);
      }
    } else {
      Ints in = empty();
      MPI_Recv(in.data(), 1, strided, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(handled == 1, "too long: the handler ran %d times", handled);
      handled = 0;
    }
  }
  MPI_Type_free(&column);
}

// What comes is shorter than what there is room for, or longer.
void other_lengths() {
  strided = type_of(0);
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  for (int round = 0; round < 12; ++round) {
    rank == 0 ? send(strided, 0, round) : receive(strided, 0, round, "before another length");
    const int sent = round % 2 == 0 ? round * 7 : ints_of_each + 4 * round;
    if (rank == 0) {
      std::vector<int> out(static_cast<std::size_t>(sent));
      for (int k = 0; k < sent; ++k) out[static_cast<std::size_t>(k)] = 500 + k;
      MPI_Send(out.data(), sent, MPI_INT, 1, 3, MPI_COMM_WORLD);
      for (int kind = 1; kind < 4 && sent > ints_of_each; ++kind) {
        MPI_Datatype other = type_of(kind);
        send(other, kind, 40 + kind);
        MPI_Type_free(&other);
      }
      continue;
    }
    Ints in = empty();
    MPI_Status status;
    MPI_Recv(in.data(), 1, strided, 0, 3, MPI_COMM_WORLD, &status);
    CHECK(handled == (sent > ints_of_each ? 1 : 0), "%d ints: the handler ran %d times", sent, handled);
    handled = 0;
    int count = -1;
    MPI_Get_elements(&status, strided, &count);
    if (sent <= ints_of_each) CHECK(count == sent, "%d ints: %d elements", sent, count);
    if (sent <= ints_of_each) expect(in, 0, 500, sent, "shorter");
    for (int k = 0; k < room(); ++k)
      CHECK(k % 2 == 0 || in[static_cast<std::size_t>(k)] == -1, "%d ints: the gap at %d", sent, k);
  }
  too_long_through_shared_memory();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&mine);
  MPI_Type_free(&strided);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1) ints_of_each = std::atoi(argv[1]);
  reused_handles();
  in_turn();
  other_lengths();
  MPI_Finalize();
  if (rank == 0) std::puts("passed");
  return 0;
}
