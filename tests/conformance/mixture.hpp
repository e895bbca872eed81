// A list of requests of all kinds, exchanged with the other rank, and what is observed when they complete.
#pragma once

#include <map>

#include "twin.hpp"

namespace conformance {

class Mixture {
 public:
  Mixture(Twin& twin, const Message& message);
  ~Mixture();
  Mixture(const Mixture&) = delete;
  Mixture& operator=(const Mixture&) = delete;

  int size() const { return static_cast<int>(requests_.size()); }
  MPI_Request* list() { return requests_.data(); }
  MPI_Request& operator[](int k) { return requests_.at(static_cast<std::size_t>(k)); }
  // All places, in an order that is not that of the list.
  std::vector<int> shuffled() const;

  // What the completing procedure returned.
  void code(int code);
  // The operation at `k` is over, once, with a status or with the status ignored.
  void completed(int k, const MPI_Status* status);
  // Its data are said to be there, and the request still exists.
  void delivered(int k, const MPI_Status* status);
  // The procedure found no request to complete.
  void nothing_left(const MPI_Status* status);
  // Writes all that was observed into the transcript, in the order of the list.
  void finish(Transcript& seen);

 private:
  struct Slot {
    std::string name;
    MPI_Datatype type;  // of its receive; null: none
    int field;          // what it receives into; -1: nothing
    bool persistent;
  };
  void add(const std::string& name, MPI_Request request, MPI_Datatype type, int field, bool persistent);
  void observe(const std::string& what, int k, const MPI_Status* status);

  Twin& twin_;
  const Message& message_;
  std::vector<test::Field> out_, in_;
  std::vector<double> contiguous_out_, contiguous_in_;
  std::vector<MPI_Request> requests_;
  std::vector<Slot> slots_;
  std::map<int, Transcript> seen_;
  int worst_code_ = MPI_SUCCESS;
};

}  // namespace conformance
