// Messages without data, to nobody, from absolute addresses, between two groups; types that are freed in use and handles
// that are used again at once.
#include "counted.hpp"
#include "twin.hpp"

using namespace conformance;

namespace {

void without_data(Twin& twin, Transcript& seen) {
  const int lengths[] = {0, 0}, places[] = {3, 9};
  MPI_Datatype types[3];
  MPI_Type_contiguous(0, MPI_INT, &types[0]);
  MPI_Type_vector(5, 0, 3, MPI_DOUBLE, &types[1]);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &types[2]);
  for (MPI_Datatype& type : types) {
    MPI_Type_commit(&type);
    for (const int count : {0, 1, 7}) {
      double field[64];
      std::fill_n(field, 64, twin.rank() + 0.5);
      MPI_Status status = marked_status();
      seen.note("code", MPI_Sendrecv(field, count, type, twin.peer(), 3, field + 32, count, type, twin.peer(), 3,
                                     MPI_COMM_WORLD, &status));
      seen.note_status("blocking", status, type);
      MPI_Request requests[2];
      MPI_Status statuses[2] = {marked_status(), marked_status()};
      MPI_Irecv(field, count, type, twin.peer(), 4, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(field + 32, count, type, twin.peer(), 4, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, statuses);
      seen.note_status("nonblocking", statuses[0], type);
      for (const double value : field) seen.note("field", static_cast<long long>(10 * value));
    }
    MPI_Type_free(&type);
  }
}

// A count of zero elements of a type that has data.
void no_elements(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1), to = m.field(2);
  MPI_Request requests[2];
  MPI_Status statuses[2] = {marked_status(), marked_status()};
  MPI_Irecv(to.buffer(), m.count, m.type, twin.peer(), 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from.buffer(), 0, m.type, twin.peer(), 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  seen.note_status("status", statuses[0], m.type);
  seen.note_bytes("nothing came", to);
}

void to_nobody(Twin&, const Message& m, Transcript& seen) {
  test::Field field = m.field(1);
  MPI_Status status = marked_status();
  MPI_Recv(field.buffer(), m.count, m.type, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  seen.note_status("recv", status, m.type);
  seen.note("send", MPI_Send(field.buffer(), m.count, m.type, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
  MPI_Request requests[2];
  MPI_Status statuses[2] = {marked_status(), marked_status()};
  MPI_Irecv(field.buffer(), m.count, m.type, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(field.buffer(), m.count, m.type, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[1]);
  seen.note("waitall", MPI_Waitall(2, requests, statuses));
  seen.note_status("irecv", statuses[0], m.type);
  seen.note_bytes("nothing came", field);
}

void from_bottom(Twin& twin, const Message& m, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3);
  const auto absolute = [&](void* buffer) {
    const int one = 1;
    MPI_Aint address;
    MPI_Datatype whole, type;
    MPI_Type_contiguous(m.count, m.type, &whole);
    MPI_Get_address(buffer, &address);
    MPI_Type_create_hindexed(1, &one, &address, whole, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&whole);
    return type;
  };
  MPI_Datatype out = absolute(from.buffer()), in = absolute(to.buffer());
  MPI_Request requests[2];
  MPI_Status statuses[2] = {marked_status(), marked_status()};
  MPI_Irecv(MPI_BOTTOM, 1, in, twin.peer(), 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(MPI_BOTTOM, 1, out, twin.peer(), 5, MPI_COMM_WORLD, &requests[1]);
  // Freed in use; the next types may get their handles.
  MPI_Type_free(&in);
  MPI_Type_free(&out);
  MPI_Datatype others[4];
  for (int k = 0; k < 4; ++k) {
    MPI_Type_vector(3 + k, 1, 2, MPI_CHAR, &others[k]);
    MPI_Type_commit(&others[k]);
  }
  twin.half_time();
  MPI_Waitall(2, requests, statuses);
  seen.note_status("status", statuses[0], MPI_BYTE);
  seen.note_bytes("what came", to);
  for (MPI_Datatype& other : others) MPI_Type_free(&other);
}

void between_groups(Twin& twin, MPI_Comm inter, const Message& m, Transcript& seen) {
  test::Field from = m.field(1 + twin.rank()), to = m.field(3);
  // The remote group has one process.
  MPI_Status status = marked_status();
  MPI_Sendrecv(from.buffer(), m.count, m.type, 0, 5, to.buffer(), m.count, m.type, MPI_ANY_SOURCE, MPI_ANY_TAG, inter,
               &status);
  seen.note_status("sendrecv", status, m.type);
  seen.note_bytes("what came", to);
  MPI_Request requests[2];
  MPI_Irecv(to.buffer(), m.count, m.type, MPI_ANY_SOURCE, 6, inter, &requests[0]);
  MPI_Isend(from.buffer(), m.count, m.type, 0, 6, inter, &requests[1]);
  for (int left = 2; left > 0; --left) {
    int index;
    status = marked_status();
    MPI_Waitany(2, requests, &index, &status);
    if (index == 0) seen.note_status("irecv", status, m.type);
  }
  seen.note_bytes("what came", to);
}

// The same handles again and again, for types of other layouts and for other requests: against arithmetic.
void handles_again(Twin& twin) {
  int recycled = 0;
  MPI_Datatype before = MPI_DATATYPE_NULL;
  for (int round = 0; round < 300; ++round) {
    const int stride = 2 + round % 5, length = 50 + round % 3;
    std::vector<int> from(static_cast<std::size_t>(length * stride)), to(from.size(), -1);
    for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int>(k) + 1000 * twin.rank() + round;
    MPI_Datatype type;
    MPI_Type_vector(length, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    recycled += type == before;
    before = type;
    MPI_Request requests[2];
    MPI_Irecv(to.data(), 1, type, twin.peer(), 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(from.data(), 1, type, twin.peer(), 5, MPI_COMM_WORLD, &requests[1]);
    if (round % 2 == 0) MPI_Type_free(&type);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (round % 2 != 0) MPI_Type_free(&type);
    for (int k = 0; k < length * stride; ++k) {
      const int expected = k % stride == 0 ? k + 1000 * twin.peer() + round : -1;
      CHECK(to[static_cast<std::size_t>(k)] == expected, "round %d, element %d: %d", round, k, to[static_cast<std::size_t>(k)]);
    }
  }
  if (twin.rank() == 0) std::printf("%d of 300 type handles used again\n", recycled);
}

}  // namespace

int main(int argc, char** argv) {
  Twin twin(&argc, &argv);
  MPI_Comm inter;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, twin.peer(), 77, &inter);
  twin.compare("without data", [&](Transcript& seen) { without_data(twin, seen); });
  handles_again(twin);
  twin.for_each_message(argc > 1 ? std::atoi(argv[1]) : 16, 6, [&](const Message& m) {
    const std::string s = " seed " + std::to_string(m.seed);
    twin.compare("no elements" + s, [&](Transcript& seen) { no_elements(twin, m, seen); });
    twin.compare("to nobody" + s, [&](Transcript& seen) { to_nobody(twin, m, seen); });
    twin.compare("from bottom" + s, [&](Transcript& seen) { from_bottom(twin, m, seen); });
    twin.compare("between groups" + s, [&](Transcript& seen) { between_groups(twin, inter, m, seen); });
  });
  MPI_Comm_free(&inter);
  return 0;
}
