// One collective operation as one rank sees it: what it sends and receives, how it describes that, and what must have
// come. Every choice that the ranks share follows from the seed, every other from the seed and the rank.
#pragma once

#include <functional>
#include <string>

#include "coll_places.hpp"
#include "coll_types.hpp"

namespace conformance {

enum Procedure {
  kBcast,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
  kProcedures
};
const char* name_of(Procedure procedure);
bool is_neighborhood(Procedure procedure);
bool is_w(Procedure procedure);

enum Mode { kBlocking, kNonblocking, kPersistent, kModes };
const char* name_of(Mode mode);

enum class Size {
  kRandom,
  kSome,
  kEager,
  kLarge
};  // kRandom: small, nothing among it; kSome: small, at least a little

struct Shape {
  std::uint64_t seed = 0;
  Size size = Size::kRandom;
  bool is_unmapped = false;  // of the library's type maps: one random type for all ranks
  int signature = -1;        // -1: any
  bool may_be_in_place = true;
  // Whether nothing may be described by some elements without data here and by no elements there. Without the layer
  // MPICH, and so Intel MPI, waits for ever: a gather's or scatter's end with a count of zero neither sends nor
  // receives.
  bool mixes_empty = false;
  bool may_be_deep = true;     // Kind::kTower
  bool may_be_nothing = true;  // nothing at all to or from some rank
  // The kind of the type by rank in the communicator and by direction; none: any.
  std::function<Kind(int rank, bool is_out)> kind;
};

struct Block {
  long long key = -1;  // of its data; -1: nobody's
  long long units = 0;
  std::size_t type = 0;
  long long count = 0;
  MPI_Aint displacement = 0;  // as the call has it: in extents or in bytes
  MPI_Aint base = 0;          // in bytes
};

class Memory {
 public:
  void allocate(MPI_Aint low, MPI_Aint high);
  unsigned char* buffer() { return bytes_.data() + kGuard - low_; }
  std::vector<unsigned char>& bytes() { return bytes_; }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  static constexpr MPI_Aint kGuard = 64;
  MPI_Aint low_ = 0;
  std::vector<unsigned char> bytes_;
};

// Either buffer of a call.
struct Side {
  bool is_there = false;
  bool is_absolute = false;  // described from MPI_BOTTOM
  std::vector<Block> blocks;
  std::vector<Described> types;  // one, or one a block
  Memory memory;
  std::vector<unsigned char> before;
  void* address() { return is_absolute ? MPI_BOTTOM : memory.buffer(); }
};

// What can be compared between two ways of doing it.
struct Outcome {
  std::vector<int> codes;
  std::vector<std::uint64_t> received;  // a hash for each round
};

class Operation {
 public:
  Operation(const Place& place, Procedure procedure, const Shape& shape);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // Writes what is to be sent in this round, and marks in what is to be received into.
  void fill(int round);
  // An empty text, or what is wrong with what came, or that the send buffer changed. Notes what came.
  std::string check(int round, Outcome& outcome);
  // As early as MPI allows.
  void free_types();

  const Place& place() const { return place_; }
  Procedure procedure() const { return procedure_; }
  int root() const { return root_; }
  bool is_root() const { return place_.rank == root_; }
  bool is_in_place() const { return is_in_place_; }
  // MPI does not look at the arguments that are insignificant here: they may be nonsense.
  bool is_careless() const { return is_careless_; }
  Side& out() { return out_; }
  Side& in() { return in_; }

 private:
  void plan_blocks();
  long long units_of(long long key) const;
  bool is_empty_type(const Side& side, const Block& block);
  void describe(Side& side, bool is_out);
  void make_absolute(Side& side);
  void deposit(Side& side, std::vector<unsigned char>& bytes, const Block& block, long long key, int round) const;

  const Place& place_;
  const Procedure procedure_;
  const Shape shape_;
  test::Random own_;
  Signature signature_;
  long long quantum_ = 12;  // units; whatever a rank takes together divides it
  long long uniform_ = 0;   // units of each block where all are equal
  long long scale_ = 1;
  int root_ = 0;
  bool is_in_place_ = false, is_careless_ = false;
  bool has_empty_types_ = false;  // wherever there is nothing
  Side out_, in_;
};

}  // namespace conformance
