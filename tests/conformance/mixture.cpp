#include "mixture.hpp"

#include "counted.hpp"

namespace conformance {

namespace {

constexpr int kTag = 40, kFields = 6, kDoubles = 37;

int query(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 17);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 3;
  status->MPI_TAG = 4;
  return MPI_SUCCESS;
}
int free_nothing(void*) {
  return MPI_SUCCESS;
}
int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

Mixture::Mixture(Twin& twin, const Message& m)
    : twin_(twin), message_(m), contiguous_out_(kDoubles), contiguous_in_(3 * kDoubles, -1) {
  const int peer = twin.peer();
  for (int k = 0; k < kFields; ++k) out_.push_back(m.field(20 * twin.rank() + k)), in_.push_back(m.field(40 + k));
  for (int k = 0; k < kDoubles; ++k) contiguous_out_[static_cast<std::size_t>(k)] = 100 * twin.rank() + k;
  MPI_Request r;
  MPI_Irecv(in_[0].buffer(), m.count, m.type, peer, kTag, MPI_COMM_WORLD, &r);
  add("a staged receive", r, m.type, 0, false);
  MPI_Irecv(contiguous_in_.data(), kDoubles, MPI_DOUBLE, peer, kTag + 1, MPI_COMM_WORLD, &r);
  add("a contiguous receive", r, MPI_DOUBLE, -1, false);
  add("null", MPI_REQUEST_NULL, MPI_BYTE, -1, false);
  MPI_Irecv(in_[1].buffer(), m.count, m.type, MPI_ANY_SOURCE, kTag + 2, MPI_COMM_WORLD, &r);
  add("a staged receive of less", r, m.type, 1, false);
  MPI_Irecv(in_[2].buffer(), m.count, m.type, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &r);
  add("a receive from nobody", r, m.type, 2, false);
  MPI_Recv_init(contiguous_in_.data() + kDoubles, kDoubles, MPI_DOUBLE, peer, kTag + 3, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  add("a persistent receive", r, MPI_DOUBLE, -1, true);
  MPI_Recv_init(contiguous_in_.data(), kDoubles, MPI_DOUBLE, peer, kTag + 9, MPI_COMM_WORLD, &r);
  add("an inactive one", r, MPI_BYTE, -1, true);
  MPI_Grequest_start(query, free_nothing, cancel_nothing, nullptr, &r);
  MPI_Grequest_complete(r);
  add("a generalised request", r, MPI_BYTE, -1, false);
  MPI_Recv_init(in_[3].buffer(), m.count, m.type, peer, kTag + 4, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  add("a persistent receive of the type", r, m.type, 3, true);
  // Two receives on the same communicator, source and tag: the order of matching shows in the data.
  for (int k = 4; k < 6; ++k) {
    MPI_Irecv(in_[static_cast<std::size_t>(k)].buffer(), m.count, m.type, peer, kTag + 5, MPI_COMM_WORLD, &r);
    add("a receive in order", r, m.type, k, false);
  }

  MPI_Isend(out_[0].buffer(), m.count, m.type, peer, kTag, MPI_COMM_WORLD, &r);
  add("a staged send", r, MPI_DATATYPE_NULL, -1, false);
  MPI_Isend(contiguous_out_.data(), kDoubles, MPI_DOUBLE, peer, kTag + 1, MPI_COMM_WORLD, &r);
  add("a contiguous send", r, MPI_DATATYPE_NULL, -1, false);
  MPI_Issend(out_[1].buffer(), m.count - 1, m.type, peer, kTag + 2, MPI_COMM_WORLD, &r);
  add("a staged synchronous send", r, MPI_DATATYPE_NULL, -1, false);
  MPI_Isend(out_[2].buffer(), m.count, m.type, MPI_PROC_NULL, kTag, MPI_COMM_WORLD, &r);
  add("a send to nobody", r, MPI_DATATYPE_NULL, -1, false);
  MPI_Send_init(contiguous_out_.data(), kDoubles - 5, MPI_DOUBLE, peer, kTag + 3, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  add("a persistent send", r, MPI_DATATYPE_NULL, -1, true);
  MPI_Send_init(out_[3].buffer(), m.count, m.type, peer, kTag + 4, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  add("a persistent send of the type", r, MPI_DATATYPE_NULL, -1, true);
  for (std::size_t k = 4; k < 6; ++k) {
    MPI_Isend(out_[k].buffer(), m.count, m.type, peer, kTag + 5, MPI_COMM_WORLD, &r);
    add("a send in order", r, MPI_DATATYPE_NULL, -1, false);
  }
}

Mixture::~Mixture() {
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    if (slots_[k].persistent) MPI_Request_free(&requests_[k]);
  }
}

void Mixture::add(const std::string& name, MPI_Request request, MPI_Datatype type, int field, bool persistent) {
  slots_.push_back({name, type, field, persistent});
  requests_.push_back(request);
}

std::vector<int> Mixture::shuffled() const {
  std::vector<int> order;
  for (int k = 0; k < size(); ++k) order.push_back(k * 7 % size());
  return order;
}

void Mixture::code(int code) {
  if (code != MPI_SUCCESS) worst_code_ = code;
}

void Mixture::observe(const std::string& what, int k, const MPI_Status* status) {
  const Slot& slot = slots_.at(static_cast<std::size_t>(k));
  Transcript& seen = seen_[k];
  const std::string name = slot.name + ": " + what;
  if (status != nullptr) seen.note_status(name, *status, slot.type);
  seen.note(name + ": the request is null", requests_[static_cast<std::size_t>(k)] == MPI_REQUEST_NULL);
  if (slot.field >= 0) seen.note_bytes(name + ": field", in_[static_cast<std::size_t>(slot.field)]);
}

void Mixture::completed(int k, const MPI_Status* status) {
  observe("completed", k, status);
}

void Mixture::delivered(int k, const MPI_Status* status) {
  observe("delivered", k, status);
}

void Mixture::nothing_left(const MPI_Status* status) {
  // What is left is null or inactive, and the status is the empty one.
  if (status != nullptr) seen_[size()].note_status("nothing left", *status, MPI_BYTE);
}

void Mixture::finish(Transcript& seen) {
  seen.note("code", worst_code_);
  for (const auto& [k, part] : seen_) seen.append(part);
  for (int k = 0; k < size(); ++k) {
    const Slot& slot = slots_[static_cast<std::size_t>(k)];
    seen.note(slot.name + ": null at the end", requests_[static_cast<std::size_t>(k)] == MPI_REQUEST_NULL);
  }
  for (const test::Field& field : in_) seen.note_bytes("what came", field);
  for (const double value : contiguous_in_) seen.note("contiguous", static_cast<long long>(value));
}

}  // namespace conformance
