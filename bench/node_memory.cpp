// node_memory: what processes of a node keep for each other (src/wire), counted.
//
//   node_memory PROCESSES PEERS BYTES
//
// So many processes, children of fork without an MPI library, in a ring: each sends a typed message of so many bytes to
// each of the PEERS processes behind it, and receives one from each of those before it, through its pool; and reads
// their layouts from the board. The data are compared. Prints one JSON line, in bytes; of processes the mean:
//   records       in the node's file before any message: what processes say of themselves, their records of messages
//   pool          in it, for messages and layouts
//   channel       in it, for collective calls of one communicator of all processes
//   tables        of a process alone: its view of the others, and of its pool
//   layouts       of a process alone: plans of the layouts that it has read
//   page_tables   of a process alone, for the file's mapping, which takes so much `address_space`; `mappings`: parts of
//                 it with an access of their own, as the kernel lists them
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "copy/foreign.hpp"
#include "layout/layout.hpp"
#include "move/move.hpp"
#include "notation/parse.hpp"
#include "plan/plan.hpp"
#include "samples.h"
#include "serial/serial.hpp"
#include "wire/board.hpp"
#include "wire/channels.hpp"
#include "wire/heap.hpp"
#include "wire/message.hpp"

namespace {

using namespace gapless;

constexpr std::int64_t kDefaultCap = std::int64_t{1} << 30;  // the layer's

// Chunks of a process: its layout's, and those of two messages under way; a pool grows by eight at least.
std::int64_t chunks_for(std::int64_t bytes) {
  const std::int64_t parts = wire::parts_of(bytes, wire::part_bytes_of(bytes, wire::Sending::kAmongOthers));
  return (1 + 2 * parts + 7) / 8 * 8;
}

// What a process tells the others, beside the memory that is counted.
struct Told {
  wire::Ticket ticket[2];  // of its last messages
  wire::Place layout;
  std::int64_t tables = 0, layouts = 0, page_tables = 0, mappings = 0;
};

struct Meeting {
  explicit Meeting(int processes) {
    pthread_barrierattr_t shared;
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&all, &shared, static_cast<unsigned>(processes));
  }
  pthread_barrier_t all;
  std::int64_t records = 0;
};

std::int64_t allocated_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<std::int64_t>(now.uordblks + now.hblkhd);
}

// [bytes] of this process's page tables.
std::int64_t page_table_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (std::int64_t kilobytes = 0; word == "VmPTE:" && status >> kilobytes) return kilobytes << 10;
  }
  fail("/proc/self/status does not say VmPTE");
}

std::int64_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::int64_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

template <class T>
T* shared(std::size_t count) {
  void* const place = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) fail("no memory");
  return static_cast<T*>(place);
}

// One process: what the layer has there of its node (preload/policy/shared_memory.hpp).
class Process {
 public:
  Process(int file, int self, Told* told) : told_(told), self_(self) {
    std::string why;
    if (!segment_.attach(dup(file), self, why)) fail(why.c_str());
  }
  // To be called when all have attached.
  void make_pool() {
    pool_ = std::make_unique<wire::Pool>(segment_);
    board_ = std::make_unique<wire::Board>(segment_, *pool_);
    heaps_ = std::make_unique<wire::PeerHeaps>();
  }

  void show(const layout::LayoutPtr& type, const plan::Plan& plan) {
    if (!board_->show(serial::serialise(plan.form(), type->lb, type->extent), told_[self_].layout)) fail("no board");
  }

  void send(const plan::Plan& plan, const char* buffer, int to, int round) {
    const std::int64_t part = wire::part_bytes_of(plan.size(), wire::Sending::kAmongOthers);
    wire::Lease lease;
    if (!pool_->take(static_cast<std::uint32_t>(wire::parts_of(plan.size(), part)), to, lease))
      fail("the pool is full");
    const wire::Ticket ticket{
        .process = static_cast<std::uint32_t>(self_), .record = lease.record, .bytes = plan.size(), .part_bytes = part};
    wire::Outgoing<wire::Segment> message(segment_, lease, ticket, 1);
    while (message.advance(false, [&](std::int64_t at, char* room, std::int64_t bytes) {
      move::pack(plan, 1, buffer, at, room, bytes);
    }) == wire::Step::kMoved) {
    }
    pool_->lend(message.lease(), message.used_chunks());
    told_[self_].ticket[round % 2] = ticket;
  }

  // What `from` has sent in this round.
  void receive(const plan::Plan& plan, char* buffer, int from, int round) {
    heaps_->look_at(segment_, from);
    if (!segment_.is_known(from, 0)) fail("a pool cannot be opened");
    wire::Incoming<wire::Segment> message(segment_, told_[from].ticket[round % 2]);
    // All of it is packed.
    while (message.advance([&](std::int64_t at, const char* room, std::int64_t bytes) {
      move::unpack(plan, 1, buffer, at, room, bytes);
    }) == wire::Step::kMoved) {
    }
    if (!message.is_done()) fail("a message is broken");
  }

  // What pulling an offered message of another process needs of its layout.
  copy::ForeignPtr read_layout(int from) { return layouts_.of(wire::Board::read(segment_, from, told_[from].layout)); }

 private:
  Told* told_;
  int self_;
  wire::Segment segment_;
  std::unique_ptr<wire::Pool> pool_;
  std::unique_ptr<wire::Board> board_;
  std::unique_ptr<wire::PeerHeaps> heaps_;
  copy::ForeignLayouts layouts_;
};

struct Job {
  int processes, peers;
  std::int64_t bytes;
  int file;
  Meeting* meeting;
  Told* told;

  struct stat file_of_node() const {
    struct stat of{};
    if (fstat(file, &of) != 0) fail("fstat");
    return of;
  }

  void meet() const { pthread_barrier_wait(&meeting->all); }

  void run(int self) const {
    const layout::LayoutPtr type = notation::parse("vector(" + std::to_string(bytes / 8) + ", 1, 2, double)");
    const plan::PlanPtr plan = plan::compile(*type);
    std::vector<double> sent(static_cast<std::size_t>(bytes / 4)), received(sent.size());
    const auto of = [](int process, std::size_t k) { return process + static_cast<double>(k) / 1024; };
    for (std::size_t k = 0; k < sent.size(); k += 2) sent[k] = of(self, k);

    const std::int64_t tables_before = page_table_bytes(), mappings_before = mappings();
    std::int64_t before = allocated_bytes();
    const auto process = std::make_unique<Process>(file, self, told);
    meet();
    if (self == 0) meeting->records = file_of_node().st_blocks * 512;
    meet();
    process->make_pool();
    Told& own = told[self];
    own.tables = allocated_bytes() - before;
    process->show(type, *plan);
    meet();
    for (int d = 1; d <= peers; ++d) {
      const int from = (self - d + processes) % processes;
      process->send(*plan, reinterpret_cast<const char*>(sent.data()), (self + d) % processes, d);
      meet();
      process->receive(*plan, reinterpret_cast<char*>(received.data()), from, d);
      for (std::size_t k = 0; k < received.size(); k += 2)
        if (received[k] != of(from, k)) fail("the data are wrong");
    }
    std::vector<copy::ForeignPtr> read(static_cast<std::size_t>(peers));
    before = allocated_bytes();
    for (int d = 1; d <= peers; ++d)
      read[static_cast<std::size_t>(d - 1)] = process->read_layout((self - d + processes) % processes);
    own.layouts = allocated_bytes() - before;
    own.page_tables = page_table_bytes() - tables_before;
    own.mappings = mappings() - mappings_before;
    meet();  // nobody detaches before
  }

  void print() const {
    Told sum;
    for (int k = 0; k < processes; ++k) {
      sum.tables += told[k].tables;
      sum.layouts += told[k].layouts;
      sum.page_tables += told[k].page_tables;
      sum.mappings += told[k].mappings;
    }
    const auto mean = [&](std::int64_t of_all) { return static_cast<long long>(of_all / processes); };
    const struct stat node = file_of_node();
    std::printf(
        "{\"processes\": %d, \"peers\": %d, \"bytes\": %lld, \"records\": %lld, \"pool\": %lld, \"channel\": %lld, "
        "\"tables\": %lld, \"layouts\": %lld, \"page_tables\": %lld, \"mappings\": %lld, \"address_space\": %lld}\n",
        processes, peers, static_cast<long long>(bytes), static_cast<long long>(meeting->records),
        static_cast<long long>(node.st_blocks * 512 - meeting->records),
        static_cast<long long>(wire::bytes_of_channel(processes)), mean(sum.tables), mean(sum.layouts),
        mean(sum.page_tables), mean(sum.mappings), static_cast<long long>(node.st_size));
  }
};

constexpr char kUsage[] = "usage: node_memory PROCESSES PEERS BYTES";

void kill_all(const std::vector<pid_t>& children) {
  for (const pid_t child : children) kill(child, SIGKILL);
}

int number(const char* text, int least, int most) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > most) fail(kUsage);
  return static_cast<int>(value);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail(kUsage);
  const int processes = number(argv[1], 2, wire::kMaxProcesses);
  const int peers = number(argv[2], 1, processes - 1), bytes = number(argv[3], 64, 1 << 20) / 8 * 8;
  std::string why;
  const std::int64_t cap = std::max(kDefaultCap, processes * chunks_for(bytes) * wire::kChunkBytes);
  const int file = wire::Segment::make(processes, cap, why);
  if (file < 0) fail(why.c_str());
  const Job job{processes,
                peers,
                bytes,
                file,
                new (shared<Meeting>(1)) Meeting(processes),
                shared<Told>(static_cast<std::size_t>(processes))};
  for (int k = 0; k < processes; ++k) new (job.told + k) Told;
  std::vector<pid_t> children;
  for (int self = 0; self < processes; ++self) {
    children.push_back(fork());
    if (children.back() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      job.run(self);
      _exit(0);
    }
    if (children.back() < 0) break;
  }
  if (children.back() < 0) {
    children.pop_back();
    kill_all(children);
    fail("no process");
  }
  while (!children.empty()) {
    int status = 0;
    const pid_t child = wait(&status);
    std::erase(children, child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    kill_all(children);  // who waits for one that has failed would wait for ever
    if (WIFSIGNALED(status)) fail(("a process was ended by signal " + std::to_string(WTERMSIG(status))).c_str());
    return 1;  // it has said why
  }
  job.print();
  return 0;
}
