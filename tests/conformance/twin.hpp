// Twins: a scenario is run with the layer off and then with it on at either rank or at both, and everything that it
// observed must be the same, bit for bit.
#pragma once

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

#include "../preload/random_mpi_type.hpp"
#include "../preload/support.hpp"

namespace conformance {

// What a program returns that cannot run on its MPI library, having printed why.
inline constexpr int kSkipped = 77;

// Whether the library under the layer lacks a procedure (the front defines all): run.py says so.
bool lacks(const char* procedure);

// Everything that a scenario observed, in its order.
class Transcript {
 public:
  void note(const std::string& what, long long value);
  // Envelope, error field, and what the counting procedures make of it. `type`: that of the receive; MPI_DATATYPE_NULL
  // for a status of which MPI defines only whether it was cancelled (a send's). `has_elements`: MPI_Get_elements can be
  // asked too.
  void note_status(const std::string& what, const MPI_Status& status, MPI_Datatype type, bool has_elements = false);
  void note_bytes(const std::string& what, const test::Field& field);
  void append(const Transcript& part);
  // An empty text, or the first difference.
  std::string difference(const Transcript& other) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string what;
    long long value;
    std::vector<test::Field> bytes;  // one or none
  };
  std::vector<Entry> entries_;
};

// A status that shows what a call leaves alone.
MPI_Status marked_status();

// (count, type) and memory for it. The same on every rank, but for what lies in memory.
struct Message {
  MPI_Datatype type;
  int count;
  test::Span span;
  std::uint64_t seed;
  test::Field field(int salt) const;
};

class Twin {
 public:
  // Initialises MPI; the layer must be there and count.
  Twin(int* argc, char*** argv, int threads = MPI_THREAD_SINGLE);
  // Finalises it.
  ~Twin();

  using Scenario = std::function<void(Transcript&)>;
  // Runs the scenario on every rank, once for each way in which the layer can be on. A scenario leaves no message
  // behind.
  void compare(const std::string& name, const Scenario& scenario);
  // With `count` random messages, and every eighth a large one, each freed afterwards. Without those few that the
  // library gets wrong by itself.
  void for_each_message(int count, std::uint64_t seed, const std::function<void(const Message&)>& use);
  // In the middle of a scenario: some ways of compare() switch the layer over here.
  void half_time();
  bool is_on_at_first() const;

  const test::Layer& layer() const { return layer_; }
  int rank() const { return rank_; }
  int peer() const { return 1 - rank_; }

 private:
  // False if what the library itself receives is not what it packs: Open MPI 5.0.11 does so with some gaps between
  // elements of MPI_C_DOUBLE_COMPLEX, 6 of 20000 random types.
  bool library_moves(const Message& message);
  test::Layer layer_;
  int rank_ = 0;
  int way_ = 0;
  int has_half_time_ = 0;  // at one of the ranks
  long long compared_ = 0, noted_ = 0;
};

}  // namespace conformance
