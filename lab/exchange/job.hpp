// The job file: what to send how, in which groups. docs: exchange --help.
#pragma once

#include "hand_loops.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace gapless::lab::exchange {

enum class Pattern {
  kPingPong,
  kBcast,
  kAllgather,
  kAlltoallw,
  kNeighborAlltoallw,
  kIalltoallw,
  kIneighborAlltoallw,
  kNeighborAlltoall,
  kGatherv,
  kScatterv,
  kSendrecv,
  kWaitall,
  kAlltoall
};

// Whether ranks send and receive at once, as in a halo exchange.
constexpr bool is_halo(Pattern pattern) {
  return pattern == Pattern::kSendrecv || pattern == Pattern::kWaitall;
}

// How a message is sent: by a typed call with the layer off, on, or on but for memory that processes share; with
// MPI_Pack and MPI_Unpack around MPI_PACKED at both ends or at one; packed and unpacked by loops, by the engine in the
// program (at both ends, or by the sender alone), or by the loops of an application as a compiler makes them; by the
// other typed calls that MPI has: MPI_Bsend, persistent requests, MPI_Put between two fences; or packed number by
// number. The engine's two parts send nothing: one rank packs or unpacks.
enum class MethodKind {
  kNative,
  kGapless,
  kLocal,
  kPack,
  kPackSend,
  kUnpackReceive,
  kManual,
  kEngine,
  kEnginePack,
  kEngineUnpack,
  kHandC,
  kHandClang,
  kHandFortran,
  kEngineSend,
  kBuffered,
  kPersistent,
  kPut,
  kPackElement
};

constexpr bool is_by_hand(MethodKind method) {
  return method == MethodKind::kHandC || method == MethodKind::kHandClang || method == MethodKind::kHandFortran;
}

struct EndSpec {
  std::int64_t count = 0;
  std::string type;         // in the text notation
  std::int64_t origin = 0;  // [bytes] from a cache line to the buffer's address
};

struct MessageSpec {
  std::string name;
  EndSpec send;
  std::optional<EndSpec> receive;  // where it differs from what is sent
  std::string layout;              // messages of one label have equal type maps
  LoopsSpec loops;                 // of the application that sends it
};

struct MemberSpec {
  std::string name;
  std::size_t message = 0;  // index into the group's messages
  MethodKind method = MethodKind::kNative;
  bool planted = false;
  bool layer = false;         // on, whatever the method
  bool fresh_type = false;    // constructed, committed and freed within each run
  bool fresh_buffer = false;  // each run has the next one of several
  std::optional<int> way;     // of the layer between two processes of a node: GAPLESS_WAY_*
};

struct Repetitions {
  int least = 0;
  int most = 0;
  int inner = 1;
  double precision = 0;
  double budget_ms = 0;
  int warmup = 0;        // rounds of all members
  int layer_warmup = 0;  // operations with the layer on, which tries its ways first; of a fixed way 250 ms at most
  double member_limit_ms = 0;  // a member whose first message takes longer is left out
};

// Where the buffers of a group lie: in the heap, in a window of MPI_Win_allocate_shared, in memory of MPI_Alloc_mem.
enum class Buffers { kHeap, kWindow, kAlloc };

struct GroupSpec {
  std::string id;
  Pattern pattern = Pattern::kPingPong;
  int root = 0;
  bool cold = false;
  bool sender_cold = false;  // that of rank 0 alone
  bool fresh = false;        // the sender writes its data before each message
  bool phases = false;       // also say how long making the type, packing, sending, unpacking and freeing take
  bool pairs = false;        // a ping-pong of each rank of the first half with one of the second, all at once
  bool in_order = false;     // a repetition is one round trip, from the first one on; all of a member in a row
  bool empty_pong = false;   // who gets a message answers with an empty one
  Buffers buffers = Buffers::kHeap;
  std::vector<MessageSpec> messages;
  std::vector<MemberSpec> members;
  Repetitions reps;
};

struct Job {
  std::uint64_t seed = 0;
  double plant = 1;
  bool asks_eager_limit = false;
  std::vector<GroupSpec> groups;
};

// What is wrong with a job file, and where in it.
struct JobError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// As the job file has it.
const char* method_name(MethodKind method);

// Throws JobError.
Job read_job(const std::string& path);

}  // namespace gapless::lab::exchange
