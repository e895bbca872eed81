// All-to-alls that the layer runs by its own algorithms: persistent ones by every procedure that completes requests,
// among others, in every order that MPI allows; and which calls are taken.
// usage: own_alltoall completes | independent | ends | choice
#include <numeric>
#include <string>
#include <vector>

#include "../preload/support.hpp"
#include "counted.hpp"

#if HAS_PERSISTENT_COLLECTIVES
namespace {

int rank, size;

enum class Kind { kPlain, kInPlace, kV, kVInPlace };
constexpr Kind kKinds[] = {Kind::kPlain, Kind::kInPlace, Kind::kV, Kind::kVInPlace};

// Blocks of ints, one after the other; `stride`: of ints of a block, of which the gaps stay as they are.
class AllToAll {
 public:
  AllToAll(Kind kind, int ints, int stride, MPI_Comm comm) : kind_(kind), ints_(ints), stride_(stride) {
    const int extent = ints * stride;
    MPI_Datatype vector;
    MPI_Type_vector(ints, 1, stride, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(extent) * static_cast<MPI_Aint>(sizeof(int)), &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&vector);
    out_.assign(static_cast<std::size_t>(extent * size), -1);
    in_ = out_;
    const bool is_in_place = kind == Kind::kInPlace || kind == Kind::kVInPlace;
    const void* const from = is_in_place ? MPI_IN_PLACE : out_.data();
    if (kind == Kind::kPlain || kind == Kind::kInPlace) {
      MPI_Alltoall_init(from, 1, type_, in_.data(), 1, type_, comm, MPI_INFO_NULL, &request_);
      return;
    }
    // Gone after the call, as MPI allows.
    std::vector<int> counts(static_cast<std::size_t>(size), 1), places(counts.size());
    std::iota(places.begin(), places.end(), 0);
    MPI_Alltoallv_init(from, counts.data(), places.data(), type_, in_.data(), counts.data(), places.data(), type_, comm,
                       MPI_INFO_NULL, &request_);
    std::fill(places.begin(), places.end(), 1 << 20);
  }
  ~AllToAll() { free_type(); }
  AllToAll(const AllToAll&) = delete;
  AllToAll& operator=(const AllToAll&) = delete;
  void free_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  void start(int round) {
    round_ = round;
    const bool is_in_place = kind_ == Kind::kInPlace || kind_ == Kind::kVInPlace;
    std::fill(in_.begin(), in_.end(), -1);
    for (int peer = 0; peer < size; ++peer)
      for (int k = 0; k < ints_; ++k) (is_in_place ? in_ : out_)[at(peer, k)] = value(rank, peer, k);
    MPI_Start(&request_);
  }
  void check(const char* how) const {
    for (int peer = 0; peer < size; ++peer) {
      for (int k = 0; k < ints_ * stride_; ++k) {
        const int there = in_[static_cast<std::size_t>(peer * ints_ * stride_ + k)];
        const int expected = k % stride_ == 0 ? value(peer, rank, k / stride_) : -1;
        CHECK(there == expected, "kind %d, round %d, %s: of rank %d %d at %d", static_cast<int>(kind_), round_, how,
              peer, there, k);
      }
    }
    CHECK(request_ != MPI_REQUEST_NULL, "%s: a persistent request is gone", how);
  }
  MPI_Request& request() { return request_; }
  void free() { MPI_Request_free(&request_); }

 private:
  std::size_t at(int peer, int k) const { return static_cast<std::size_t>((peer * ints_ + k) * stride_); }
  int value(int from, int to, int k) const { return ((round_ * 16 + from) * 16 + to) * 4096 + k; }
  const Kind kind_;
  const int ints_, stride_;
  int round_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::vector<int> out_, in_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

// A message around the ring, which completes among the requests.
class Ring {
 public:
  void start(int value) {
    out_ = value * 100 + rank;
    in_ = -1;
    MPI_Irecv(&in_, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &requests_[0]);
    MPI_Isend(&out_, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests_[1]);
  }
  MPI_Request* requests() { return requests_; }
  void check(int value) const {
    CHECK(in_ == value * 100 + (rank + size - 1) % size, "the ring's message %d: %d", value, in_);
  }

 private:
  int out_ = 0, in_ = 0;
  MPI_Request requests_[2];
};

// The all-to-all is the third of four requests, of which the first is none.
struct Four {
  explicit Four(AllToAll& one, Ring& ring)
      : list{MPI_REQUEST_NULL, ring.requests()[0], one.request(), ring.requests()[1]} {}
  MPI_Request list[4];
  bool seen[4] = {true, false, false, false};
  int left = 3;
  void note(int index, const char* how) {
    CHECK(index > 0 && index < 4 && !seen[index], "%s: index %d", how, index);
    seen[index] = true;
    --left;
  }
};

void complete(int how, AllToAll& one, Ring& ring, int round) {
  constexpr const char* kNames[] = {"Wait", "Test", "Waitall", "Testall", "Waitany", "Testany", "Waitsome", "Testsome"};
  const char* const name = kNames[how];
  if (how < 2) {
    int is_done = 0;
    while (is_done == 0) {
      if (how == 0) MPI_Wait(&one.request(), MPI_STATUS_IGNORE);
      if (how == 1) MPI_Test(&one.request(), &is_done, MPI_STATUS_IGNORE);
      if (how == 0) is_done = 1;
    }
    one.check(name);
    MPI_Wait(&one.request(), MPI_STATUS_IGNORE);  // of an inactive one: at once
    return;
  }
  ring.start(round);
  Four four(one, ring);
  MPI_Status statuses[4];
  int is_done = 0, count = 0, indices[4];
  if (how == 2) MPI_Waitall(4, four.list, round % 2 == 0 ? MPI_STATUSES_IGNORE : statuses);
  while (how == 3 && is_done == 0) MPI_Testall(4, four.list, &is_done, statuses);
  while (how > 3 && four.left > 0) {
    int index = MPI_UNDEFINED;
    MPI_Status status;
    if (how == 4) MPI_Waitany(4, four.list, &index, &status);
    if (how == 5) MPI_Testany(4, four.list, &index, &is_done, MPI_STATUS_IGNORE);
    if (how == 6) MPI_Waitsome(4, four.list, &count, indices, statuses);
    if (how == 7) MPI_Testsome(4, four.list, &count, indices, MPI_STATUSES_IGNORE);
    if (how == 4 || (how == 5 && is_done != 0)) four.note(index, name);
    if (how == 6) CHECK(count > 0, "%s returns none", name);
    for (int k = 0; how > 5 && k < count; ++k) four.note(indices[k], name);
    if (four.seen[2]) one.check(name);
  }
  one.check(name);
  ring.check(round);
  CHECK(four.list[1] == MPI_REQUEST_NULL && four.list[3] == MPI_REQUEST_NULL, "%s: requests are left", name);
  // Nothing is active now.
  int index = 0;
  MPI_Waitany(4, four.list, &index, MPI_STATUS_IGNORE);
  CHECK(index == MPI_UNDEFINED, "after %s: index %d", name, index);
}

void completes() {
  Ring ring;
  for (const Kind kind : kKinds) {
    for (const int stride : {1, 3}) {
      for (const int ints : {1, 300, 3000}) {
        AllToAll one(kind, ints, stride, MPI_COMM_WORLD);
        for (int how = 0; how < 8; ++how) {
          one.start(how);
          if (how % 3 == 2) {  // asked for before, which leaves it
            int is_done = 0;
            while (is_done == 0) MPI_Request_get_status(one.request(), &is_done, MPI_STATUS_IGNORE);
            one.check("Request_get_status");
          }
          complete(how, one, ring, how);
        }
        one.free();
      }
    }
  }
}

// Two of them in one list; and one that is over at once does not keep a message from being told, however often it is
// started again.
void several() {
  AllToAll one(Kind::kPlain, 50, 1, MPI_COMM_WORLD), other(Kind::kVInPlace, 3000, 2, MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    one.start(round);
    other.start(round);
    MPI_Request list[3] = {other.request(), MPI_REQUEST_NULL, one.request()};
    int left = 2, count = 0, index = 0, indices[3], done = 0;
    if (round == 0) MPI_Waitall(3, list, MPI_STATUSES_IGNORE);
    while (round == 1 && done == 0) MPI_Testall(3, list, &done, MPI_STATUSES_IGNORE);
    for (; round == 2 && left > 0; --left) MPI_Waitany(3, list, &index, MPI_STATUS_IGNORE);
    for (; round == 3 && left > 0; left -= count) MPI_Waitsome(3, list, &count, indices, MPI_STATUSES_IGNORE);
    one.check("one of two");
    other.check("the other of two");
  }
  one.free();
  other.free();

  int in = -1, out = rank;
  MPI_Request alone, list[2];
  int ours = 7, copied = 0;
  MPI_Alltoall_init(&ours, 1, MPI_INT, &copied, 1, MPI_INT, MPI_COMM_SELF, MPI_INFO_NULL, &alone);
  MPI_Irecv(&in, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &list[1]);
  list[0] = alone;
  MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
  MPI_Start(&list[0]);
  while (list[1] != MPI_REQUEST_NULL) {
    int count = 0, indices[2];
    MPI_Waitsome(2, list, &count, indices, MPI_STATUSES_IGNORE);
    for (int k = 0; k < count; ++k)
      if (indices[k] == 0) MPI_Start(&list[0]);
  }
  MPI_Wait(&list[0], MPI_STATUS_IGNORE);
  CHECK(in == (rank + size - 1) % size && copied == 7, "a message beside one that is over at once: %d, %d", in, copied);
  MPI_Request_free(&alone);
}

// A process that has started it may wait for anything else before, also for what the others send only after.
void independent() {
  for (const Kind kind : kKinds) {
    for (const int ints : {2, 200000}) {
      AllToAll one(kind, ints, 1, MPI_COMM_WORLD), other(kind, ints, 2, MPI_COMM_WORLD);
      for (int round = 0; round < 3; ++round) {
        int token = rank;
        // In another order on each process.
        (rank % 2 == 0 ? one : other).start(round);
        (rank % 2 == 0 ? other : one).start(round);
        if (rank == size - 1) {
          MPI_Wait(&one.request(), MPI_STATUS_IGNORE);
          for (int peer = 0; peer + 1 < size; ++peer) MPI_Send(&token, 1, MPI_INT, peer, 4, MPI_COMM_WORLD);
        } else {
          MPI_Recv(&token, 1, MPI_INT, size - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          MPI_Wait(&one.request(), MPI_STATUS_IGNORE);
        }
        one.check("independent");
        MPI_Wait(&other.request(), MPI_STATUS_IGNORE);
        other.check("the other one");
      }
      one.free();
      other.free();
    }
  }
}

// A type that the layer does not decode, freed at once, and its handle given to others.
void undecoded() {
  if (test::library_is("Intel")) return;  // it crashes on deep types
  constexpr int kInts = 4, kLevels = 201;
  MPI_Datatype type, other;
  MPI_Type_vector(kInts, 1, 2, MPI_INT, &type);
  for (int k = 0; k < kLevels; ++k) {
    MPI_Type_contiguous(1, type, &other);
    MPI_Type_free(&type);
    type = other;
  }
  MPI_Type_commit(&type);
  constexpr int kExtent = 2 * kInts - 1;
  std::vector<int> out(static_cast<std::size_t>(kExtent * size), -1), in(out);
  for (int peer = 0; peer < size; ++peer)
    for (int k = 0; k < kInts; ++k) out[static_cast<std::size_t>(peer * kExtent + 2 * k)] = rank * 100 + peer * 10 + k;
  MPI_Request request;
  MPI_Alltoall_init(out.data(), 1, type, in.data(), 1, type, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Type_free(&type);
  MPI_Datatype others[8];
  for (MPI_Datatype& one : others) {
    MPI_Type_vector(2, 2, 3, MPI_INT, &one);
    MPI_Type_commit(&one);
  }
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int peer = 0; peer < size; ++peer)
    for (int k = 0; k < kExtent; ++k) {
      const int there = in[static_cast<std::size_t>(peer * kExtent + k)];
      CHECK(there == (k % 2 == 0 ? peer * 100 + rank * 10 + k / 2 : -1), "undecoded: of rank %d %d", peer, there);
    }
  MPI_Request_free(&request);
  for (MPI_Datatype& one : others) MPI_Type_free(&one);
}

// Types and communicators that are freed before it is started, requests that are freed, or left to MPI_Finalize.
void ends() {
  undecoded();
  for (const Kind kind : kKinds) {
    for (int again = 0; again < 20; ++again) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      AllToAll one(kind, 100, 2, comm);
      one.free_type();
      MPI_Comm_free(&comm);
      for (int round = 0; round < 2; ++round) {
        one.start(round);
        MPI_Wait(&one.request(), MPI_STATUS_IGNORE);
        one.check("freed before");
      }
      one.free();
      CHECK(one.request() == MPI_REQUEST_NULL, "a freed request is there%s", "");
    }
    auto* const left = new AllToAll(kind, 100, 2, MPI_COMM_WORLD);
    left->start(5);
    MPI_Wait(&left->request(), MPI_STATUS_IGNORE);
    left->check("left");
  }
}

// The first calls on a communicator are the library's, blocks as short as measured ours, and long ones its own again.
void choice() {
  test::Layer layer;
  const auto calls = [&](int ints, int count) {
    std::vector<int> out(static_cast<std::size_t>(ints * size), rank), in(out.size());
    const long long before = layer.count("MPI_Alltoall").accelerated;
    for (int k = 0; k < count; ++k) MPI_Alltoall(out.data(), ints, MPI_INT, in.data(), ints, MPI_INT, MPI_COMM_WORLD);
    for (std::size_t k = 0; k < in.size(); ++k) CHECK(in[k] == static_cast<int>(k) / ints, "%d at %zu", in[k], k);
    return layer.count("MPI_Alltoall").accelerated - before;
  };
  const long long first = calls(16, 12), shorts = calls(64, 10), longs = calls(1 << 16, 10);
  CHECK(first == 4 && shorts == 10 && longs == 0, "ours: %lld of the first, %lld short, %lld long", first, shorts,
        longs);
}

}  // namespace
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string what = argc > 1 ? argv[1] : "";
#if HAS_PERSISTENT_COLLECTIVES
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (what == "completes") {
    completes();
    several();
  }
  if (what == "independent") independent();
  if (what == "ends") ends();
  if (what == "choice") {
    choice();
  } else {
    const test::Layer layer;
    for (const char* name : {"MPI_Alltoall_init", "MPI_Alltoallv_init"}) {
      const GAPLESS_Counters counters = layer.count(name);
      CHECK(counters.calls > 0 && counters.accelerated == counters.calls, "%lld of %lld calls of %s are ours",
            counters.accelerated, counters.calls, name);
    }
  }
  if (rank == 0) std::printf("all-to-alls of our own on %d ranks: %s\n", size, what.c_str());
#else
  std::puts("skipped: no persistent collectives");
#endif
  MPI_Finalize();
  return 0;
}
