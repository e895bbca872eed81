// What a watched process notes (GAPLESS_PROFILE): by threads that come and go, in MPI_Finalize's callbacks, and when
// its book is full. The process reads its own book when MPI has ended.
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support.hpp"

namespace {

constexpr int kWaves = 3, kThreads = 4, kExchanges = 100, kLast = 5, kCounts = 20000, kRequests = 300, kListed = 300000,
              kLists = 12;
constexpr int kNullPeer = -3;

// As in src/preload/watch/book.hpp.
struct Entry {
  std::int32_t procedure, role, layout, site, peer, first;
  std::int64_t count, calls, bytes, ticks, later, longest, last;
};

MPI_Datatype make_vector(int blocks) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

void exchange_with_self(int thread) {
  int from[32] = {}, to[32] = {};
  MPI_Datatype type = make_vector(16);
  for (int k = 0; k < kExchanges; ++k) {
    from[0] = k;
    MPI_Sendrecv(from, 1, type, 0, thread, to, 1, type, 0, thread, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(to[0] == k && to[1] == 0, "watching changed the data");
  }
  MPI_Type_free(&type);
}

// While another thread's call is pending, its communicator and its type are freed, which the standard allows.
void free_what_is_pending() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Datatype type = make_vector(5);
  std::thread sender([comm, type] {
    const int data[16] = {7};
    MPI_Ssend(data, 1, type, 0, 0, comm);
  });
  MPI_Message message;
  MPI_Mprobe(0, 0, comm, &message, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Type_free(&type);
  int data[5] = {};
  MPI_Mrecv(data, 5, MPI_INT, &message, MPI_STATUS_IGNORE);
  sender.join();
  CHECK(data[0] == 7, "watching changed the data");
}

// Types whose arguments take more room than all that the book keeps.
void send_long_lists() {
  std::vector<int> displacements(kListed);
  for (int t = 0; t < kLists; ++t) {
    for (int k = 0; k < kListed; ++k) displacements[k] = 3 * k + (k % 7 == 0 ? t % 2 : 0) + t;
    MPI_Datatype type;
    MPI_Type_create_indexed_block(kListed, 1, displacements.data(), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Bsend(displacements.data(), 1, type, MPI_PROC_NULL, 0, MPI_COMM_SELF);
    MPI_Type_free(&type);
  }
}

MPI_Datatype last_type;
int send_at_the_end(MPI_Comm, int, void*, void*) {
  int data[8] = {};
  for (int k = 0; k < kLast; ++k) MPI_Ssend(data, 1, last_type, MPI_PROC_NULL, 0, MPI_COMM_SELF);
  return MPI_SUCCESS;
}

std::vector<Entry> read_book(std::string& head) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string path = std::string(std::getenv("GAPLESS_RUN_DIR")) + '/' + host + '.' + std::to_string(getpid());
  std::ifstream file(path + ".profile", std::ios::binary);
  CHECK(static_cast<bool>(std::getline(file, head)), "there is no book %s.profile", path.c_str());
  std::int64_t clock[8];
  file.read(reinterpret_cast<char*>(clock), sizeof clock);
  std::vector<Entry> entries(static_cast<std::size_t>(clock[6]));
  file.read(reinterpret_cast<char*>(entries.data()), static_cast<std::streamsize>(entries.size() * sizeof(Entry)));
  CHECK(static_cast<bool>(file) && clock[5] > clock[4] && clock[4] > 0, "the book has no end");
  for (const char* const ending : {".profile", ".words", ".json", ".counters"}) unlink((path + ending).c_str());
  return entries;
}

int number_of(const std::string& head, const std::string& procedure) {
  const std::size_t list = head.find("\"procedures\":["), at = head.find('"' + procedure + '"');
  CHECK(list < at && at != std::string::npos, "no %s in the book", procedure.c_str());
  int number = 0;
  for (std::size_t k = list; k < at; ++k) number += head[k] == ',' ? 1 : 0;
  return number;
}

struct Sums {
  std::int64_t entries = 0, calls = 0, bytes = 0, later = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE, "threads");
  for (int wave = 0; wave < kWaves; ++wave) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(exchange_with_self, t);
    for (std::thread& thread : threads) thread.join();
  }

  free_what_is_pending();
  send_long_lists();

  // More requests than one line of a table holds, completed in one call.
  std::vector<MPI_Request> requests(kRequests);
  std::vector<int> room(64);
  MPI_Datatype type = make_vector(4);
  for (MPI_Request& request : requests) MPI_Irecv(room.data(), 1, type, 0, 1, MPI_COMM_SELF, &request);
  for (int k = 0; k < kRequests; ++k) MPI_Send(room.data() + 32, 1, type, 0, 1, MPI_COMM_SELF);
  MPI_Waitall(kRequests, requests.data(), MPI_STATUSES_IGNORE);
  // An error is no call, and is the program's to see.
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(room.data(), -1, type, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS, "an error is not reported");
  CHECK(MPI_Send(room.data(), 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_SELF) != MPI_SUCCESS, "an error is not reported");

  last_type = make_vector(3);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, send_at_the_end, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  for (int k = 1; k <= kCounts; ++k) MPI_Rsend(room.data(), k, type, MPI_PROC_NULL, 0, MPI_COMM_SELF);
  MPI_Type_free(&type);
  MPI_Finalize();

  std::string head;
  std::map<int, Sums> sums;
  std::map<int, bool> peers;
  std::int64_t pending_bytes = 0;
  for (const Entry& entry : read_book(head)) {
    Sums& of = sums[entry.procedure];
    of.entries += entry.calls > 0 ? 1 : 0;
    of.calls += entry.first != 0 ? entry.calls : 0;
    of.bytes += entry.bytes;
    of.later += entry.later;
    if (entry.peer == 0 && entry.layout > 0 && entry.procedure == number_of(head, "MPI_Ssend"))
      pending_bytes += entry.bytes;
    if (entry.calls > 0 && entry.peer == kNullPeer) peers[entry.procedure] = true;
  }
  const Sums exchanged = sums[number_of(head, "MPI_Sendrecv")];
  CHECK(exchanged.calls == kWaves * kThreads * kExchanges, "%lld calls", static_cast<long long>(exchanged.calls));
  CHECK(exchanged.bytes == std::int64_t{2} * 64 * exchanged.calls, "bytes");
  CHECK(exchanged.entries <= 2 * kThreads, "threads that come later have entries of their own: %lld",
        static_cast<long long>(exchanged.entries));
  const Sums received = sums[number_of(head, "MPI_Irecv")], sent = sums[number_of(head, "MPI_Send")];
  CHECK(received.calls == kRequests && received.bytes == std::int64_t{16} * kRequests, "receives");
  CHECK(received.later > 0, "the time of MPI_Waitall is not that of the requests");
  CHECK(sent.calls == kRequests, "%lld calls: what failed is counted", static_cast<long long>(sent.calls));
  CHECK(sums[number_of(head, "MPI_Waitall")].calls == 1, "MPI_Waitall");
  const int full = number_of(head, "MPI_Rsend");
  CHECK(sums[full].calls == kCounts && sums[full].bytes == 0 && peers[full], "%lld calls of a full book",
        static_cast<long long>(sums[full].calls));
  CHECK(sums[number_of(head, "MPI_Ssend")].calls == kLast + 1, "what MPI_Finalize calls is not noted");
  const Sums listed = sums[number_of(head, "MPI_Bsend")];
  CHECK(listed.calls == kLists && listed.entries > 1 && listed.entries < kLists, "%lld of the long lists are kept",
        static_cast<long long>(listed.entries));
  CHECK(pending_bytes == 20, "%lld bytes with what was freed meanwhile", static_cast<long long>(pending_bytes));
  return 0;
}
