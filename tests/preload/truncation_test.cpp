// Receives into types with gaps that are too small for what comes: the error is the plain library's, and nothing else
// is harmed: neither what is received or sent meanwhile, nor the memory's size. (Open MPI writes the whole message into
// what it takes for a contiguous buffer, here one of the layer's.)
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "support.hpp"

namespace {

constexpr int kKilo = 1 << 10, kMega = 1 << 20;
constexpr int kLargest = 48 * kMega;
constexpr int kReceiver = 0, kSender = 1;

int rank, handled, handled_class;
MPI_Comm comm;

void on_error(MPI_Comm*, int* code, ...) {
  ++handled;
  handled_class = test::error_class(*code);
}

// A type of `bytes` bytes in pieces of 8, with as much between them.
MPI_Datatype gapped(int bytes) {
  MPI_Datatype type;
  MPI_Type_vector(bytes / 8, 1, 2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

double value(int id, int k) {
  return id * 1e6 + k;
}

// Something staged that goes on while others are truncated: its data are right at the end.
class Bystander {
 public:
  Bystander(int id, int bytes, bool sent_by_receiver)
      : id_(id), n_(bytes / 8), type_(gapped(bytes)), data_(static_cast<std::size_t>(2 * n_)) {
    sends_ = (rank == kReceiver) == sent_by_receiver;
    for (int k = 0; k < 2 * n_; ++k) data_[static_cast<std::size_t>(k)] = sends_ ? value(id, k) : -1;
  }
  ~Bystander() { MPI_Type_free(&type_); }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  bool sends() const { return sends_; }
  void start() {
    if (sends_) {
      MPI_Isend(data_.data(), 1, type_, 1 - rank, 100 + id_, comm, &request_);
    } else {
      MPI_Irecv(data_.data(), 1, type_, 1 - rank, 100 + id_, comm, &request_);
    }
  }
  void end() {
    CHECK(MPI_Wait(&request_, MPI_STATUS_IGNORE) == MPI_SUCCESS, "bystander %d", id_);
    for (int k = 0; k < 2 * n_ && !sends_; ++k) {
      const double expected = k % 2 == 0 ? value(id_, k) : -1;
      const double found = data_[static_cast<std::size_t>(k)];
      CHECK(found == expected, "bystander %d of %d doubles, at %d: %g for %g", id_, n_, k, found, expected);
    }
  }

 private:
  int id_, n_;
  bool sends_;
  MPI_Datatype type_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<double> data_;
};

// One truncated receive, in every way that there is.
using Receive = std::function<int(double*, MPI_Datatype, int, MPI_Status*)>;
const struct {
  const char* name;
  Receive receive;
} ways[] = {
    {"MPI_Recv", [](double* to, MPI_Datatype type, int,
                    MPI_Status* status) { return MPI_Recv(to, 1, type, kSender, 1, comm, status); }},
    {"MPI_Irecv, MPI_Wait",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       MPI_Request request;
       MPI_Irecv(to, 1, type, MPI_ANY_SOURCE, 1, comm, &request);
       return MPI_Wait(&request, status);
     }},
    {"MPI_Irecv, MPI_Test",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       MPI_Request request;
       MPI_Irecv(to, 1, type, kSender, 1, comm, &request);
       int flag = 0, code = MPI_SUCCESS;
       while (request != MPI_REQUEST_NULL && code == MPI_SUCCESS) code = MPI_Test(&request, &flag, status);
       return code;
     }},
    {"MPI_Irecv, MPI_Waitany",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
       MPI_Irecv(to, 1, type, kSender, 1, comm, &requests[1]);
       int index;
       return MPI_Waitany(2, requests, &index, status);
     }},
    {"MPI_Irecv, MPI_Waitall",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       MPI_Request request;
       MPI_Irecv(to, 1, type, kSender, 1, comm, &request);
       status->MPI_ERROR = MPI_SUCCESS;
       const int code = MPI_Waitall(1, &request, status);
       return test::error_class(code) == MPI_ERR_IN_STATUS ? status->MPI_ERROR : code;
     }},
    {"MPI_Mprobe, MPI_Mrecv",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       MPI_Message message;
       MPI_Mprobe(kSender, 1, comm, &message, MPI_STATUS_IGNORE);
       return MPI_Mrecv(to, 1, type, &message, status);
     }},
    {"MPI_Sendrecv",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       return MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 1, to, 1, type, kSender, 1, comm, status);
     }},
    {"MPI_Sendrecv_replace",
     [](double* to, MPI_Datatype type, int, MPI_Status* status) {
       return MPI_Sendrecv_replace(to, 1, type, MPI_PROC_NULL, 1, kSender, 1, comm, status);
     }},
};

void truncated(const char* name, const Receive& receive, int expected_bytes, int sent_bytes,
               const std::vector<double>& large) {
  if (rank == kSender) {
    CHECK(MPI_Send(large.data(), sent_bytes, MPI_BYTE, kReceiver, 1, comm) == MPI_SUCCESS, "send");
    return;
  }
  MPI_Datatype type = gapped(expected_bytes);
  std::vector<double> to(static_cast<std::size_t>(expected_bytes / 4), -7);
  MPI_Status status{};
  handled = 0;
  handled_class = MPI_SUCCESS;
  const int code = receive(to.data(), type, sent_bytes, &status);
  // MPICH returns MPI_SUCCESS where a handler of the program's returns.
  const int seen = handled != 0 ? handled_class : test::error_class(code);
  CHECK(seen == MPI_ERR_TRUNCATE || (handled == 1 && seen == MPI_ERR_IN_STATUS), "%s: %d bytes for %d: class %d", name,
        sent_bytes, expected_bytes, seen);
  for (std::size_t k = 0; k < to.size(); ++k) {
    const double expected = k % 2 != 0 ? -7 : large[k / 2];
    CHECK(to[k] == expected, "%s: %d bytes for %d: %g at %zu", name, sent_bytes, expected_bytes, to[k], k);
  }
  MPI_Type_free(&type);
}

// [bytes] Without what is mapped from files and shared memory.
long resident() {
  long pages = 0, resident = 0, shared = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  CHECK(file != nullptr && std::fscanf(file, "%ld %ld %ld", &pages, &resident, &shared) == 3, "statm");
  std::fclose(file);
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

void round(const std::vector<double>& large) {
  const int sizes[] = {16, 1000, 4 * kKilo, 40 * kKilo, 300 * kKilo, 3 * kMega};
  std::vector<std::unique_ptr<Bystander>> bystanders;
  for (int id = 0; id < 36; ++id) bystanders.push_back(std::make_unique<Bystander>(id, sizes[id % 6], id % 3 == 2));
  // Everything that is received is waiting; half of what is sent is under way or lies in staging already.
  for (auto& b : bystanders) {
    if (!b->sends()) b->start();
  }
  MPI_Barrier(comm);
  for (std::size_t k = 0; k < bystanders.size(); k += 2) {
    if (bystanders[k]->sends()) bystanders[k]->start();
  }
  MPI_Barrier(comm);
  for (const auto& [name, receive] : ways) {
    for (const int expected : {1000, 8 * kKilo, kMega}) {
      for (const int sent : {2000, 12 * kKilo, 70 * kKilo, 1100 * kKilo, kLargest}) {
        const bool too_long = sent == kLargest && &receive != &ways[1].receive;  // once is enough
        if (sent <= expected || too_long) continue;
        truncated(name, receive, expected, sent, large);
      }
    }
  }
  for (std::size_t k = 1; k < bystanders.size(); k += 2) {
    if (bystanders[k]->sends()) bystanders[k]->start();
  }
  for (auto& b : bystanders) b->end();
}

// A receive that nobody waits for any more, and one that is cancelled.
void left_alone(const std::vector<double>& large) {
  if (rank == kReceiver) {
    MPI_Datatype type = gapped(1000);
    std::vector<double> to(250, -7);
    MPI_Request request;
    MPI_Irecv(to.data(), 1, type, kSender, 77, comm, &request);
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled != 0, "not cancelled");
    MPI_Type_free(&type);
  }
  truncated(ways[0].name, ways[0].receive, 1000, 70 * kKilo, large);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const test::Layer layer = test::layer();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  const std::vector<double> large(kLargest / sizeof(double), 0.5);

  for (int k = 0; k < 4; ++k) {
    // MPICH raises what MPI_Waitany finds on a communicator that is none of the program's choice.
    for (MPI_Comm each : {comm, MPI_COMM_WORLD, MPI_COMM_SELF}) {
      MPI_Comm_set_errhandler(each, k % 2 == 0 ? MPI_ERRORS_RETURN : handler);
    }
    round(large);
    left_alone(large);
    // Three buffers are overrun by the longest message in every round, where the library does so at all.
    const long in_use = resident() - kLargest;
    CHECK(in_use < 2L * kLargest, "round %d: %ld bytes", k, in_use);
  }
  for (const char* procedure : {"MPI_Recv", "MPI_Irecv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}) {
    CHECK(rank == kSender || layer.accelerated(procedure) > 0, "%s was not staged", procedure);
  }
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
