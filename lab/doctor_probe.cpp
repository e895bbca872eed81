// What `gapless doctor` runs on two ranks of every MPI library that it finds: does the layer convert a transfer and are
// the data right; can ranks of one node share memory, and read each other's. Prints one JSON line. Only MPI's C
// interface is used, so the program can be built for every ABI.
#include <dlfcn.h>
#ifdef GAPLESS_ABI_STANDARD
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "gapless/gapless_layer.h"

namespace {

constexpr int kRows = 4096, kColumns = 64, kBlock = 16;  // a quarter of each row: 256 KiB in 4096 runs
constexpr int kTag = 7;
constexpr std::size_t kSharedBytes = 4096;

// Whether a facility works; `tried` is false where it cannot be tried at all.
struct Finding {
  bool tried = true, works = false;
  std::string reason;
};

int expected(int direction, int row, int column) {
  return direction * 100'000'000 + row * kColumns + column;
}

// One transfer of a quarter of each row from `source` to the other of ranks 0 and 1. True if this rank saw right data.
bool transfer(int rank, int source, MPI_Datatype type) {
  std::vector<int> field(kRows * kColumns, -1);
  if (rank == source) {
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kColumns; ++j) field[i * kColumns + j] = expected(source, i, j);
    }
    return MPI_Send(field.data(), 1, type, 1 - source, kTag, MPI_COMM_WORLD) == MPI_SUCCESS;
  }
  MPI_Status status;
  if (MPI_Recv(field.data(), 1, type, source, kTag, MPI_COMM_WORLD, &status) != MPI_SUCCESS) return false;
  int elements = 0;
  MPI_Get_count(&status, type, &elements);
  bool right = elements == 1;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      right = right && field[i * kColumns + j] == (j < kBlock ? expected(source, i, j) : -1);
    }
  }
  return right;
}

bool transfers(int rank) {
  MPI_Datatype type;
  MPI_Type_vector(kRows, kBlock, kColumns, MPI_INT, &type);
  MPI_Type_commit(&type);
  const bool there = transfer(rank, 0, type), back = transfer(rank, 1, type);
  MPI_Type_free(&type);
  return there && back;
}

// The same quarter from rank 0 to all.
bool broadcast(int rank) {
  MPI_Datatype type;
  MPI_Type_vector(kRows, kBlock, kColumns, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> field(kRows * kColumns, -1);
  for (int i = 0; rank == 0 && i < kRows; ++i) {
    for (int j = 0; j < kBlock; ++j) field[i * kColumns + j] = expected(0, i, j);
  }
  bool right = MPI_Bcast(field.data(), 1, type, 0, MPI_COMM_WORLD) == MPI_SUCCESS;
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      right = right && field[i * kColumns + j] == (j < kBlock ? expected(0, i, j) : -1);
    }
  }
  MPI_Type_free(&type);
  return right;
}

long long accelerated(std::initializer_list<const char*> procedures) {
  using Count = int (*)(const char*, GAPLESS_Counters*);
  const auto count = reinterpret_cast<Count>(dlsym(RTLD_DEFAULT, "GAPLESS_Count"));
  long long sum = 0;
  for (const char* const procedure : procedures) {
    GAPLESS_Counters counters{};
    if (count != nullptr && count(procedure, &counters) == 0) sum += counters.accelerated;
  }
  return sum;
}

std::string error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  return MPI_Error_string(code, text.data(), &length) == MPI_SUCCESS ? text.data() : "error " + std::to_string(code);
}

// Each rank writes its own part of a window and reads its neighbour's.
Finding shared_memory(MPI_Comm node, int rank, int size) {
  if (size < 2) return {false, false, "the ranks are on different nodes"};
  unsigned char* own = nullptr;
  MPI_Win window;
  const int code = MPI_Win_allocate_shared(kSharedBytes, 1, MPI_INFO_NULL, node, &own, &window);
  if (code != MPI_SUCCESS) return {true, false, "MPI_Win_allocate_shared: " + error_text(code)};
  const int neighbour = (rank + 1) % size;
  unsigned char* theirs = nullptr;
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(window, neighbour, &bytes, &unit, &theirs);
  MPI_Win_fence(0, window);
  std::memset(own, 'a' + rank, kSharedBytes);
  MPI_Win_fence(0, window);
  bool right = theirs != nullptr && bytes == static_cast<MPI_Aint>(kSharedBytes);
  for (std::size_t i = 0; right && i < kSharedBytes; ++i) right = theirs[i] == 'a' + neighbour;
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  return {true, right, right ? "" : "a rank does not see what its neighbour wrote"};
}

// Each rank reads its neighbour's memory with process_vm_readv, which moves data between processes in one copy.
Finding cross_memory_attach(MPI_Comm node, int rank, int size) {
  if (size < 2) return {false, false, "the ranks are on different nodes"};
  std::vector<unsigned char> own(kSharedBytes, static_cast<unsigned char>('a' + rank)), copy(kSharedBytes);
  const int before = (rank + size - 1) % size, neighbour = (rank + 1) % size;
  std::array<long long, 2> mine{getpid(), reinterpret_cast<long long>(own.data())}, theirs{};
  MPI_Sendrecv(mine.data(), 2, MPI_LONG_LONG, before, kTag, theirs.data(), 2, MPI_LONG_LONG, neighbour, kTag, node,
               MPI_STATUS_IGNORE);
  const iovec to{copy.data(), copy.size()}, from{reinterpret_cast<void*>(theirs[1]), kSharedBytes};
  errno = 0;
  const ssize_t got = process_vm_readv(static_cast<pid_t>(theirs[0]), &to, 1, &from, 1, 0);
  const int error = errno;
  MPI_Barrier(node);
  if (got < 0) return {true, false, std::string("process_vm_readv: ") + std::strerror(error)};
  bool right = got == static_cast<ssize_t>(kSharedBytes);
  for (const unsigned char byte : copy) right = right && byte == 'a' + neighbour;
  return {true, right, right ? "" : "process_vm_readv: other data than were there"};
}

// True on every rank if it is on all.
bool on_all(bool here) {
  int mine = here ? 1 : 0, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all != 0;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

const char* yes_or_no(bool value) {
  return value ? "true" : "false";
}

std::string json(const Finding& finding, bool all_work) {
  const bool works = finding.works && all_work;
  const std::string reason = works || !finding.reason.empty() ? finding.reason : "it failed on another rank";
  return std::string("{\"works\":") + (finding.tried ? yes_or_no(works) : "null") + ",\"reason\":" + quoted(reason) +
         "}";
}

std::string library_version() {
  static std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data());
  return all.substr(0, all.find('\n'));
}

}  // namespace

// What a Python calls that has loaded this as an object, and an MPI library before it.
extern "C" [[gnu::visibility("default")]] int gapless_doctor_probe() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) std::fprintf(stderr, "doctor_probe: 2 ranks are needed, not %d\n", size);
    MPI_Finalize();
    return 2;
  }
  const bool verified = on_all(transfers(rank) && broadcast(rank));
  long long mine = accelerated({"MPI_Send", "MPI_Recv"}), sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  Finding collectives;
  collectives.works = on_all(accelerated({"MPI_Bcast"}) > 0);
  collectives.reason =
      collectives.works ? "" : "not proved that all processes have the layer: docs/wrappers.md, \"Collectives\"";

  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int node_rank = 0, node_size = 0;
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_size);
  const Finding shared = shared_memory(node, node_rank, node_size);
  const Finding attach = cross_memory_attach(node, node_rank, node_size);
  const bool shared_on_all = on_all(shared.works), attach_on_all = on_all(attach.works);
  MPI_Comm_free(&node);

  if (rank == 0) {
    const bool layer = dlsym(RTLD_DEFAULT, "GAPLESS_Switch") != nullptr;
    std::printf(
        "{\"schema\":1,\"kind\":\"doctor_probe\",\"library\":%s,\"ranks\":%d,\"layer\":%s,\"verified\":%s,"
        "\"accelerated\":%lld,\"collectives\":%s,\"shared_memory\":%s,\"cma\":%s}\n",
        quoted(library_version()).c_str(), size, yes_or_no(layer), yes_or_no(verified), sum,
        json(collectives, collectives.works).c_str(), json(shared, shared_on_all).c_str(),
        json(attach, attach_on_all).c_str());
    std::fflush(stdout);
  }
  MPI_Finalize();
  return verified ? 0 : 1;
}

int main() {
  return gapless_doctor_probe();
}
