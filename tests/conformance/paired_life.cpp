// The memory that the processes of a node share, in the life of communicators and of processes: many communicators at a
// time and one after the other, freed and finalised while others still read, limits, forks, descriptors closed by the
// program. usage: paired_life WHAT [NUMBER]
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "paired.hpp"

using namespace conformance;

namespace {

constexpr int kLength = 30'000;
const MPI_Comm kWorld = MPI_COMM_WORLD;

// Two collective calls, and messages.
void exchange(MPI_Comm comm, int round, int length = kLength) {
  all_to_all(comm, length, round);
  broadcast(comm, round % Members(comm).size, length, round);
  pass_on(comm, length, round);
}

MPI_Comm dup_of(MPI_Comm comm) {
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  return made;
}

long long resident_bytes() {
  long long all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// More communicators alive than there are channels: the last ones go another way.
void alive(int count) {
  std::vector<MPI_Comm> comms;
  for (int k = 0; k < count; ++k) {
    comms.push_back(dup_of(k % 3 == 2 ? comms.back() : kWorld));
    exchange(comms.back(), k, 1000);
  }
  for (int k = 0; k < count; k += 7) exchange(comms[static_cast<std::size_t>(k)], k);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// One after the other: their channels come back, and no memory stays. Later ones share as the first did.
void in_turn(int count) {
  long long settled = 0;
  for (int k = 0; k < count; ++k) {
    MPI_Comm comm;
    if (k % 4 == 0) {
      MPI_Comm_split(kWorld, 0, -Members(kWorld).rank, &comm);
    } else {
      comm = dup_of(kWorld);
    }
    exchange(comm, k, 600);
    MPI_Comm_free(&comm);
    if (k == count / 2) settled = shared_bytes() + resident_bytes();
  }
  const long long more = shared_bytes() + resident_bytes() - settled;
  CHECK(more < 2 << 20, "%lld bytes more after the second half of %d communicators", more, count);
}

// The root leaves the communicator, and then MPI, with what it has sent still unread by the others.
void leaves_at_once() {
  const Members of(kWorld);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm = dup_of(kWorld);
    exchange(comm, round, 1000);
    Blocks block(1, 400'000, 2);
    if (of.rank == 0) block.write(0, 0, 0, round);
    MPI_Bcast(block.data(), 1, block.type(), 0, comm);
    MPI_Comm_free(&comm);
    block.expect(0, 0, 0, round, "bcast on a communicator that the root has freed");
  }
  Blocks block(1, 2'000'000, 2);
  if (of.rank == 0) block.write(0, 0, 0, 99);
  MPI_Bcast(block.data(), 1, block.type(), 0, kWorld);
  if (of.rank != 0) block.expect(0, 0, 0, 99, "bcast before the root finalises");
}

// The program's own attribute uses a communicator while that is being freed: nothing that the layer finds then may stay
// for the next one, which gets the same handle and has other members.
int use_dying(MPI_Comm comm, int, void*, void*) {
  exchange(comm, 5);
  return MPI_SUCCESS;
}
void dying() {
  const Members all(kWorld);
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_dying, &keyval, nullptr);
  for (int round = 0; round < 12; ++round) {
    MPI_Comm comm, part;
    MPI_Comm_split(kWorld, 0, -all.rank, &comm);
    if (round % 3 == 1) exchange(comm, round);
    MPI_Comm_set_attr(comm, keyval, nullptr);
    if (round % 3 == 2) exchange(comm, round);
    (round % 4 == 3 ? MPI_Comm_disconnect : MPI_Comm_free)(&comm);
    MPI_Comm_split(kWorld, all.rank == all.size - 1 ? 1 : 0, all.rank, &part);
    exchange(part, round);
    MPI_Comm_free(&part);
  }
  MPI_Comm_free_keyval(&keyval);
}

// A child leaves by exit(), with all that runs at the end of a process, and does not have what its parent shares.
void forks() {
  const int rank = Members(kWorld).rank;
  for (int round = 0; round < 3; ++round) {
    MPI_Comm comm = dup_of(kWorld);
    exchange(comm, round);
    MPI_Comm_free(&comm);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      CHECK(shared_bytes() == 0, "the child has what its parent shares");
      round == 0 ? _exit(5) : round == 1 ? std::quick_exit(5) : std::exit(5);
    }
    exchange(kWorld, round);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5, "rank %d, round %d: the child ended with %#x", rank, round,
          static_cast<unsigned>(status));
  }
}

void set_limit(__rlimit_resource_t what, rlim_t value) {
  rlimit now;
  getrlimit(what, &now);
  now.rlim_cur = std::min(value, now.rlim_max);
  CHECK(setrlimit(what, &now) == 0, "setrlimit");
}

// The descriptor of the shared memory; -1: none.
int shared_descriptor() {
  char path[64], name[256];
  for (int k = 3; k < 1024; ++k) {
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", k);
    const auto bytes = readlink(path, name, sizeof name - 1);
    if (bytes > 0 && std::strstr((name[bytes] = '\0', name), "memfd:gapless") != nullptr) return k;
  }
  return -1;
}

// The program closes a descriptor that is not its own, as those do that close all, before or after the pool has grown;
// another file gets its number.
void closes(bool is_early) {
  if (!is_early) exchange(kWorld, 0, 2000);
  const int number = shared_descriptor();
  CHECK(number > 2, "no memory is shared");
  close(number);
  CHECK(dup2(memfd_create("the program's own", 0), number) == number, "dup2");
  for (int round = 0; round < 4; ++round) exchange(kWorld, round, 4000 << (2 * round));
  MPI_Comm comm = dup_of(kWorld);
  exchange(comm, 1);
  MPI_Comm_free(&comm);
  CHECK(lseek(number, 0, SEEK_END) == 0, "the program's own file was closed, or written to");
}

// No descriptor is left, while a rank is waited for.
void without_descriptors() {
  const int rank = Members(kWorld).rank;
  exchange(kWorld, 0);
  set_limit(RLIMIT_NOFILE, 3);
  for (int round = 0; round < 3; ++round) {
    if (rank == round) std::this_thread::sleep_for(std::chrono::milliseconds(250));
    exchange(kWorld, round);
  }
  set_limit(RLIMIT_NOFILE, RLIM_INFINITY);
}

// On one rank, or on all, before the layer shares anything or after.
void limited(__rlimit_resource_t what, rlim_t value, bool is_one, int rank) {
  if (!is_one || rank == 1) set_limit(what, value);
}

int rank_by_environment() {
  for (const char* const name : {"PMIX_RANK", "PMI_RANK"}) {
    if (const char* const text = std::getenv(name)) return std::atoi(text);
  }
  CHECK(false, "no rank in the environment");
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", where = argc > 2 ? argv[2] : "";
  const int number = std::atoi(where.c_str());
  constexpr rlim_t kManyBytes = rlim_t{1} << 45;  // of address space: for everything that a library does
  signal(SIGXFSZ, SIG_DFL);
  if (what == "address_space") limited(RLIMIT_AS, kManyBytes, where == "one", rank_by_environment());
  if (what == "file_size") limited(RLIMIT_FSIZE, 64 << 20, where == "one", rank_by_environment());
  MPI_Init(&argc, &argv);
  const int rank = Members(kWorld).rank;
  if (what == "alive") {
    alive(number);
  } else if (what == "in_turn") {
    in_turn(number);
  } else if (what == "leaves_at_once") {
    leaves_at_once();
  } else if (what == "dying") {
    dying();
  } else if (what == "forks") {
    forks();
  } else if (what == "closes") {
    closes(where == "early");
  } else if (what == "without_descriptors") {
    without_descriptors();
  } else if (what == "late_file_size") {
    exchange(kWorld, 0, 10);
    limited(RLIMIT_FSIZE, 0, where == "one", rank);
    for (int round = 0; round < 4; ++round) exchange(kWorld, round, 4000 << (2 * round));
    set_limit(RLIMIT_FSIZE, RLIM_INFINITY);  // the statistics are a file
  } else if (what == "many") {
    for (int round = 0; round < number; ++round) exchange(kWorld, round, 3000);
  } else {
    for (int round = 0; round < 4; ++round) exchange(kWorld, round);
  }
  if (rank == 0) std::puts("the data are right");
  MPI_Finalize();
  return 0;
}
