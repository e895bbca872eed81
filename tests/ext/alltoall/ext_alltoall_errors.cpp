// Wrong arguments of GAPLESS_Alltoall: found before any data are sent, raised by the communicator's error handler, and
// nothing is changed. Also what requests and communicators outlive, and what memory is kept.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "gapless/gapless_mpi.h"

namespace {

int failures = 0, raised = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "failed: %s\n", what.c_str());
}

void handler(MPI_Comm*, int*, ...) {
  ++raised;
}

// The call's class of error, which its communicator's handler has been told of once.
void expect_error(int code, int error_class, const std::string& what) {
  int found = MPI_SUCCESS;
  MPI_Error_class(code, &found);
  expect(found == error_class, what + ": class " + std::to_string(found));
  expect(raised == 1, what + ": raised " + std::to_string(raised) + " times");
  raised = 0;
}

void wrong_arguments(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> send(static_cast<std::size_t>(size) * 2, 1), receive(send.size(), -1);
  int* const out = send.data();
  int* const in = receive.data();
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
  const auto call = [&](const void* from, MPI_Count sent, MPI_Datatype type, void* to, MPI_Count received,
                        MPI_Datatype into, const char* name) {
    return GAPLESS_Alltoall(from, sent, type, to, received, into, comm, name);
  };
  for (const char* name : {static_cast<const char*>(nullptr), "least-slots", "basic", "library"}) {
    const std::string what = name == nullptr ? "the model's choice" : name;
    expect_error(call(out, -1, MPI_INT, in, 2, MPI_INT, name), MPI_ERR_COUNT, what + ", a negative count");
    expect_error(call(out, 2, MPI_INT, in, -2, MPI_INT, name), MPI_ERR_COUNT, what + ", a negative receive count");
    expect_error(call(out, 2, MPI_DATATYPE_NULL, in, 2, MPI_INT, name), MPI_ERR_TYPE, what + ", no type");
    expect_error(call(out, 2, MPI_INT, in, 2, MPI_DATATYPE_NULL, name), MPI_ERR_TYPE, what + ", no receive type");
    expect_error(call(out, 1, uncommitted, in, 2, MPI_INT, name), MPI_ERR_TYPE, what + ", an uncommitted type");
    expect_error(call(out, 2, MPI_INT, in, 1, MPI_INT, name), MPI_ERR_TRUNCATE, what + ", too little room");
    expect_error(call(out, 1, MPI_INT, in, 2, MPI_INT, name), MPI_ERR_COUNT, what + ", too few");
    expect_error(call(nullptr, 2, MPI_INT, in, 2, MPI_INT, name), MPI_ERR_BUFFER, what + ", no buffer");
    expect_error(call(out, 2, MPI_INT, nullptr, 2, MPI_INT, name), MPI_ERR_BUFFER, what + ", no receive buffer");
    expect_error(call(out, 2, MPI_INT, MPI_IN_PLACE, 2, MPI_INT, name), MPI_ERR_BUFFER,
                 what + ", in place on that side");
    expect_error(call(out, MPI_Count{1} << 62, MPI_DOUBLE, in, MPI_Count{1} << 62, MPI_DOUBLE, name), MPI_ERR_COUNT,
                 what + ", more than can be counted");
  }
  for (const char* name : {"", "least", "least-slots:", "library:types", "BASIC"})
    expect_error(call(out, 2, MPI_INT, in, 2, MPI_INT, name), MPI_ERR_ARG, "the name '" + std::string(name) + "'");
  MPI_Type_free(&uncommitted);
  for (const int value : receive) expect(value == -1, "an error has written");
  expect(call(nullptr, 0, MPI_INT, nullptr, 0, MPI_DOUBLE, nullptr) == MPI_SUCCESS, "nothing at all");
  expect(call(out, 2, MPI_INT, in, 2, MPI_INT, "least-slots") == MPI_SUCCESS && in[1] == 1, "a right call after them");
  expect(raised == 0, "a right call raises nothing");
}

void requests(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> send(static_cast<std::size_t>(size) * 4, 7), receive(send.size(), 0);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  GAPLESS_Request request = GAPLESS_REQUEST_NULL;
  expect_error(GAPLESS_Alltoall_init(send.data(), 1, MPI_INT, receive.data(), 2, MPI_INT, comm, "basic", &request),
               MPI_ERR_COUNT, "init with unequal sides");
  expect(request == GAPLESS_REQUEST_NULL, "an error makes no request");
  expect_error(GAPLESS_Alltoall_init(send.data(), 1, type, receive.data(), 1, type, comm, "basic", nullptr),
               MPI_ERR_ARG, "init without a place for the request");
  for (const char* name : {"basic", "least-slots", "spread-out", "library"}) {
    MPI_Datatype mine = MPI_DATATYPE_NULL;
    MPI_Type_dup(type, &mine);
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &other);
    expect(GAPLESS_Alltoall_init(send.data(), 1, mine, receive.data(), 1, mine, other, name, &request) == MPI_SUCCESS,
           "init");
    MPI_Type_free(&mine);  // the request has its own
    MPI_Comm_free(&other);
    expect(GAPLESS_Wait(request) == MPI_SUCCESS, "wait for what is not started");
    for (int start = 0; start < 2; ++start) {
      receive.assign(receive.size(), 0);
      expect(GAPLESS_Start(request) == MPI_SUCCESS, "start");
      MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
      expect(GAPLESS_Start(request) != MPI_SUCCESS, "start twice");
      expect(GAPLESS_Request_free(&request) != MPI_SUCCESS && request != nullptr, "free what is started");
      expect(GAPLESS_Wait(request) == MPI_SUCCESS, "wait");
      expect(receive[0] == 7 && receive[1] == 0, std::string(name) + ": the data of a request whose type is freed");
    }
    expect(GAPLESS_Request_free(&request) == MPI_SUCCESS && request == GAPLESS_REQUEST_NULL, "free");
  }
  expect(GAPLESS_Start(GAPLESS_REQUEST_NULL) != MPI_SUCCESS, "start nothing");
  expect(GAPLESS_Request_free(&request) != MPI_SUCCESS, "free nothing");
  raised = 0;
  MPI_Type_free(&type);
}

// An error of one process alone leaves the next requests of the communicator right.
void after_an_error_of_one(MPI_Comm comm) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto n = static_cast<std::size_t>(size);
  for (const char* wrong : {"the count", "the name", "the place of the request"})
    for (const char* name : {"least-slots", "basic"}) {
      MPI_Comm mine = MPI_COMM_NULL;
      MPI_Comm_dup(comm, &mine);
      std::vector<int> send[2], receive[2];
      for (int k = 0; k < 2; ++k) {
        send[k].assign(2 * n, 10 * rank + k);
        receive[k].assign(2 * n, -1);
      }
      GAPLESS_Request requests[2] = {GAPLESS_REQUEST_NULL, GAPLESS_REQUEST_NULL};
      const bool is_wrong = rank == 1;
      const std::string what = wrong;
      const int code =
          GAPLESS_Alltoall_init(send[0].data(), is_wrong && what == "the count" ? -1 : 2, MPI_INT, receive[0].data(), 2,
                                MPI_INT, mine, is_wrong && what == "the name" ? "none" : name,
                                is_wrong && what == "the place of the request" ? nullptr : &requests[0]);
      expect((code != MPI_SUCCESS) == is_wrong, what + " is wrong on one process");
      MPI_Barrier(mine);
      if (!is_wrong) GAPLESS_Request_free(&requests[0]);
      for (int k = 0; k < 2; ++k)
        expect(GAPLESS_Alltoall_init(send[k].data(), 2, MPI_INT, receive[k].data(), 2, MPI_INT, mine, name,
                                     &requests[k]) == MPI_SUCCESS,
               "init after an error of one");
      for (GAPLESS_Request request : requests) GAPLESS_Start(request);
      for (GAPLESS_Request& request : requests) {
        expect(GAPLESS_Wait(request) == MPI_SUCCESS, "wait after an error of one");
        GAPLESS_Request_free(&request);
      }
      for (int k = 0; k < 2; ++k)
        for (std::size_t from = 0; from < n; ++from)
          expect(receive[k][2 * from] == 10 * static_cast<int>(from) + k, "the data after an error of one");
      MPI_Comm_free(&mine);
    }
  raised = 0;
}

// A type of 2^64 - 16 bytes in 16 bytes of memory: some libraries say that its size is undefined, others -16.
void uncountable(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<double> send(static_cast<std::size_t>(size) * 2), receive(send.size(), -1.0);
  MPI_Datatype two = MPI_DATATYPE_NULL, many = MPI_DATATYPE_NULL, more = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_DOUBLE, &two);
  MPI_Type_create_hvector((1 << 30) + 1, 1, 0, two, &many);
  MPI_Type_create_hvector((1 << 30) - 1, 1, 0, many, &more);
  MPI_Type_commit(&more);
  for (const char* name : {static_cast<const char*>(nullptr), "least-slots"}) {
    int found = MPI_SUCCESS;
    MPI_Error_class(GAPLESS_Alltoall(send.data(), 1, more, receive.data(), 1, more, comm, name), &found);
    expect(found == MPI_ERR_TYPE, "more bytes than can be counted: class " + std::to_string(found));
    expect(raised == 1, "more bytes than can be counted: raised " + std::to_string(raised) + " times");
    raised = 0;
  }
  expect(receive[0] == -1.0, "an error has written");
  for (MPI_Datatype* type : {&two, &many, &more}) MPI_Type_free(type);
}

// A handle that goes to another type: what a communicator remembers of the first one must not be used.
void reused_handles(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> send(static_cast<std::size_t>(size) * 4), receive(send.size());
  for (std::size_t k = 0; k < send.size(); ++k) send[k] = static_cast<int>(k % 4);
  for (int turn = 0; turn < 9; ++turn) {
    const int stride = 1 + turn % 3;
    MPI_Datatype type = MPI_DATATYPE_NULL, sized = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, stride, MPI_INT, &type);
    MPI_Type_create_resized(type, 0, 16, &sized);
    MPI_Type_free(&type);
    MPI_Type_commit(&sized);
    for (int call = 0; call < 5; ++call) {  // until the handle is remembered, and the call with it
      receive.assign(receive.size(), -1);
      expect(GAPLESS_Alltoall(send.data(), 1, sized, receive.data(), 1, sized, comm, "least-slots") == MPI_SUCCESS,
             "a call");
      for (std::size_t k = 0; k < receive.size(); ++k) {
        const int place = static_cast<int>(k % 4);
        const bool is_data = place == 0 || place == stride;
        expect(receive[k] == (is_data ? place : -1), "turn " + std::to_string(turn) + ": int " + std::to_string(k));
      }
    }
    MPI_Type_free(&sized);
  }
}

// [bytes] of this process that are resident.
long long resident() {
  long long all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

// Calls that need much memory for their messages do not keep it for the next ones like them.
void memory(MPI_Comm comm) {
  constexpr int kInts = 1 << 18;  // every second one, 1 MiB of data in a block
  int size = 0;
  MPI_Comm_size(comm, &size);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const std::size_t ints = static_cast<std::size_t>(size) * 2 * kInts;
  std::vector<int> send(ints + 4, 1), receive(ints + 4, 0);
  long long before = 0;
  for (std::size_t list = 0; list < 4; ++list) {
    for (int call = 0; call < 4; ++call)
      expect(GAPLESS_Alltoall(send.data() + list, 1, type, receive.data() + list, 1, type, comm, "spread-out:staged") ==
                 MPI_SUCCESS,
             "a call of large messages");
    if (list == 0) before = resident();
  }
  const long long more = resident() - before, staged = 2LL * (size - 1) * kInts * 4;
  expect(more < 2 * staged, "three lists of arguments more keep " + std::to_string(more) + " bytes");
  MPI_Type_free(&type);
}

void communicators(MPI_Comm comm) {
  int rank = 0, size = 0, value = 1, got = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int turn = 0; turn < 40; ++turn) {  // more than any library would have if they were not given back in turn
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_split(comm, 0, size - rank, &made);
    std::vector<int> send(static_cast<std::size_t>(size), rank), receive(send.size(), -1);
    for (int call = 0; call < 3; ++call)
      expect(GAPLESS_Alltoall(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, made, nullptr) == MPI_SUCCESS,
             "a call");
    expect(receive[0] == size - 1, "the ranks of a communicator");
    MPI_Comm_free(&made);
  }
  if (size < 2) return;
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(comm, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, comm, rank % 2 == 0 ? 1 : 0, 5, &both);
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(both, mine);
  expect_error(GAPLESS_Alltoall(&value, 1, MPI_INT, &got, 1, MPI_INT, both, nullptr), MPI_ERR_COMM,
               "an intercommunicator");
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

// MPI_Finalize calls these: that which was set after the first function of ours was called, then that which was set
// before.
GAPLESS_Request left = GAPLESS_REQUEST_NULL;
int errors_after = 0, errors_before = 0;
std::vector<int> late_sent(1024, 1), late_got(1024, 0);
int call_late(int& errors) {
  raised = 0;
  if (GAPLESS_Alltoall(late_sent.data(), 1, MPI_INT, late_got.data(), 1, MPI_INT, MPI_COMM_WORLD, "basic") !=
      MPI_SUCCESS)
    ++errors;
  if (GAPLESS_Start(left) != MPI_SUCCESS || GAPLESS_Wait(left) != MPI_SUCCESS) ++errors;
  return MPI_SUCCESS;
}
int while_there(MPI_Comm, int, void*, void*) {
  return call_late(errors_after);
}
int when_over(MPI_Comm, int, void*, void*) {
  return call_late(errors_before);
}
void set_callback(MPI_Comm_delete_attr_function* callback) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &key, nullptr);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  MPI_Comm_free_keyval(&key);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(60);  // a mistake may be that one waits for ever
  MPI_Init(&argc, &argv);
  set_callback(when_over);
  int one = 1, copied = 0;
  expect(GAPLESS_Copy(&one, 1, MPI_INT, &copied, 1, MPI_INT) == MPI_SUCCESS, "a copy");
  set_callback(while_there);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(comm, mine);
  wrong_arguments(comm);
  requests(comm);
  after_an_error_of_one(comm);
  uncountable(comm);
  reused_handles(comm);
  memory(comm);
  communicators(comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, mine);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&comm);
  int value = 1;
  std::vector<int> send(1024, 1), receive(1024, 0);
  expect(GAPLESS_Alltoall_init(send.data(), 1, MPI_INT, receive.data(), 1, MPI_INT, MPI_COMM_WORLD, "basic", &left) ==
             MPI_SUCCESS,
         "a request that is left");
  expect(GAPLESS_Alltoall(&value, 1, MPI_INT, &value, 1, MPI_INT, MPI_COMM_NULL, "basic") != MPI_SUCCESS,
         "no communicator");
  int all = 0, rank = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("alltoall_errors: %d failures\n", all);
  MPI_Finalize();
  if (errors_after != 0 || errors_before != 2 || raised != 0) {
    std::fprintf(stderr, "failed: in MPI_Finalize, %d errors while all is there, %d when it is over, raised %d times\n",
                 errors_after, errors_before, raised);
    return 1;
  }
  return all == 0 ? 0 : 1;
}
