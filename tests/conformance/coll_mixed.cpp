// Collectives among other things: several at a time on several communicators, completed in another order than begun,
// together with messages; in two threads; between two groups. usage: coll_mixed outstanding | threads | intercomm
// [ROUNDS]
#include <memory>
#include <thread>

#include "coll_twin.hpp"

using namespace conformance;

namespace {

constexpr Procedure kMany[] = {kAllgather, kBcast, kAlltoallv, kGatherv, kAlltoall, kScatter, kAllgatherv, kAlltoallw};
constexpr int kAtOnce = static_cast<int>(std::size(kMany)), kMessages = 4;

// A ring of strided messages beside the collectives, checked against arithmetic.
struct Message {
  int rank, size, tag;
  std::vector<int> out, in;
  Message(int r, int s, int t) : rank(r), size(s), tag(t), out(600), in(600, -1) {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = static_cast<int>(k) + 1000 * rank + tag;
  }
  void begin(MPI_Datatype type, MPI_Comm comm, MPI_Request* two) {
    MPI_Irecv(in.data(), 1, type, (rank + size - 1) % size, tag, comm, &two[0]);
    MPI_Isend(out.data(), 1, type, (rank + 1) % size, tag, comm, &two[1]);
  }
  bool is_right() const {
    for (std::size_t k = 0; k < in.size(); ++k) {
      const int sent = static_cast<int>(k) + 1000 * ((rank + size - 1) % size) + tag;
      if (in[k] != (k % 3 == 0 ? sent : -1)) return false;
    }
    return true;
  }
};

void complete(std::vector<MPI_Request>& requests, int how) {
  const int n = static_cast<int>(requests.size());
  int done = 0, index = 0, flag = 0;
  std::vector<int> indices(requests.size());
  switch (how % 4) {
    case 0:
      MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE);
      return;
    case 1:
      do MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
      while (index != MPI_UNDEFINED);
      return;
    case 2:
      do MPI_Testsome(n, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE), std::this_thread::yield();
      while (done != MPI_UNDEFINED);
      return;
    default:
      // From behind: the last begun is waited for first.
      for (int k = n - 1; k > n / 2; --k) MPI_Wait(&requests[static_cast<std::size_t>(k)], MPI_STATUS_IGNORE);
      while (flag == 0) MPI_Testall(n, requests.data(), &flag, MPI_STATUSES_IGNORE), std::this_thread::yield();
  }
}

void outstanding(CollectiveTwin& twin, const std::vector<Place>& places, int round, MPI_Datatype third) {
  const std::string name = "outstanding " + std::to_string(round);
  twin.begin(name);
  std::vector<std::unique_ptr<Operation>> operations;
  std::vector<std::unique_ptr<Call>> calls;
  std::vector<Message> messages;
  std::vector<MPI_Request> requests;
  for (int k = 0; k < kAtOnce; ++k) {
    Shape shape;
    shape.seed = static_cast<std::uint64_t>(100 * round + k);
    shape.size = (round + k) % 5 == 0 && kMany[k] != kAllgatherv ? Size::kEager : Size::kRandom;
    twin.restrict(kMany[k], kNonblocking, shape);
    const Place& place = places[static_cast<std::size_t>(k + round) % places.size()];
    operations.push_back(std::make_unique<Operation>(place, kMany[k], shape));
    operations.back()->fill(0);
    calls.push_back(std::make_unique<Call>(*operations.back()));
  }
  for (int k = 0; k < kMessages; ++k) messages.emplace_back(twin.rank(), twin.size(), 10 * round + k);
  MPI_Request two[2];
  for (int k = 0; k < kAtOnce; ++k) {
    if (k % 2 == 0) {
      messages[static_cast<std::size_t>(k / 2)].begin(third, MPI_COMM_WORLD, two);
      requests.insert(requests.end(), {two[0], two[1]});
    }
    const int code = calls[static_cast<std::size_t>(k)]->start(kNonblocking);
    if (code != MPI_SUCCESS) twin.fail(name, "code " + std::to_string(code));
    requests.push_back(calls[static_cast<std::size_t>(k)]->request);
    if (k % 2 != 0) operations[static_cast<std::size_t>(k)]->free_types();
  }
  complete(requests, round);
  for (int k = 0; k < kAtOnce; ++k) {
    Outcome outcome;
    const std::string wrong = operations[static_cast<std::size_t>(k)]->check(0, outcome);
    twin.see(name + ", " + name_of(kMany[k]), outcome, wrong);
  }
  for (const Message& message : messages) {
    if (!message.is_right()) twin.fail(name, "a message is wrong");
  }
  for (const MPI_Request request : requests) {
    if (request != MPI_REQUEST_NULL) twin.fail(name, "a request is left");
  }
}

std::vector<Place> duplicates(int count) {
  std::vector<Place> places;
  for (int k = 0; k < count; ++k) {
    Place place;
    place.name = "duplicate";
    MPI_Comm_dup(MPI_COMM_WORLD, &place.comm);
    MPI_Comm_rank(place.comm, &place.rank);
    MPI_Comm_size(place.comm, &place.size);
    places.push_back(place);
  }
  return places;
}

// Every thread its own communicator.
void in_threads(CollectiveTwin& twin, std::vector<Place>& places, int rounds) {
  std::vector<std::string> failures(places.size());
  const auto work = [&](std::size_t which) {
    for (int round = 0; round < rounds; ++round) {
      const Procedure procedure = kMany[(static_cast<std::size_t>(round) + which) % kAtOnce];
      const Mode mode = round % 3 == 0 ? kBlocking : kNonblocking;
      Shape shape;
      shape.seed = static_cast<std::uint64_t>(round) + 5000 * which;
      twin.restrict(procedure, mode, shape);
      if (!twin.works(procedure, mode, places[which], shape)) continue;
      Operation operation(places[which], procedure, shape);
      Outcome outcome;
      const std::string wrong = run(operation, mode, round, round % 2 == 0, outcome);
      if (!wrong.empty()) failures[which] = std::string(name_of(procedure)) + ": " + wrong;
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < places.size(); ++k) threads.emplace_back(work, k);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty()) twin.fail("threads", failure);
  }
}

// From one half of the world to the other and back; data known by sender, place and round.
void between_groups(CollectiveTwin& twin, MPI_Comm inter, int round) {
  const std::string name = "between groups " + std::to_string(round);
  int rank, remote;
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_remote_size(inter, &remote);
  const int half = twin.rank() % 2, stride = 2 + round % 3, length = 1 + 40 * (round % 4);
  const auto value = [&](int from_half, int from, int block, int k) {
    return from_half + 2 * from + 20 * block + 400 * k + round;
  };
  MPI_Datatype column, resized;
  MPI_Type_vector(length, 1, stride, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, static_cast<MPI_Aint>(length) * stride * 4, &resized);
  MPI_Type_commit(&resized);
  const std::size_t block = static_cast<std::size_t>(length) * static_cast<std::size_t>(stride);
  std::vector<int> out(block * static_cast<std::size_t>(remote)), in;
  for (int b = 0; b < remote; ++b) {
    for (int k = 0; k < length; ++k) {
      out[static_cast<std::size_t>(b) * block + static_cast<std::size_t>(k * stride)] = value(half, rank, b, k);
    }
  }
  const auto expect = [&](const char* what, int blocks, auto sent) {
    for (int b = 0; b < blocks; ++b) {
      for (int k = 0; k < length; ++k) {
        const int got =
            in[static_cast<std::size_t>(b) * static_cast<std::size_t>(length) + static_cast<std::size_t>(k)];
        if (got != sent(b, k)) {
          twin.fail(name, std::string(what) + ": block " + std::to_string(b) + ", " + std::to_string(k));
          return;
        }
      }
    }
  };
  const auto forget = [&] { in.assign(static_cast<std::size_t>(length) * static_cast<std::size_t>(remote), -1); };
  // The even half's rank 0 is the root, for its own group MPI_ROOT.
  const int root = half != 0 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  forget();
  const bool is_root = root == MPI_ROOT;
  MPI_Bcast(is_root ? out.data() : in.data(), is_root ? 1 : length, is_root ? resized : MPI_INT, root, inter);
  if (half != 0) expect("bcast", 1, [&](int, int k) { return value(0, 0, 0, k); });
  forget();
  MPI_Gather(out.data(), 1, resized, in.data(), length, MPI_INT, root, inter);
  if (is_root) expect("gather", remote, [&](int b, int k) { return value(1, b, 0, k); });
  forget();
  MPI_Allgather(out.data(), 1, resized, in.data(), length, MPI_INT, inter);
  expect("allgather", remote, [&](int b, int k) { return value(1 - half, b, 0, k); });
  forget();
  MPI_Request request;
  MPI_Ialltoall(out.data(), 1, resized, in.data(), length, MPI_INT, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect("ialltoall", remote, [&](int b, int k) { return value(1 - half, b, rank, k); });
  forget();
  MPI_Alltoall(out.data(), 1, resized, in.data(), length, MPI_INT, inter);
  expect("alltoall", remote, [&](int b, int k) { return value(1 - half, b, rank, k); });
  MPI_Type_free(&column);
  MPI_Type_free(&resized);
}

void intercommunicators(CollectiveTwin& twin, int rounds) {
  if (twin.size() < 2) return;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, twin.rank() % 2, twin.rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - twin.rank() % 2, 9, &inter);
  for (const Way way : {Way::kOff, Way::kOn}) {
    twin.switch_to(way);
    for (int round = 0; round < rounds; ++round) between_groups(twin, inter, round);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 12;
  CollectiveTwin twin(&argc, &argv, what == "threads" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
  if (argc > 3 && std::strcmp(argv[3], "survey") == 0) twin.survey();
  if (what == "intercomm") {
    intercommunicators(twin, rounds);
    return 0;
  }
  std::vector<Place> places = duplicates(what == "threads" ? 2 : 4);
  MPI_Datatype third;
  MPI_Type_vector(200, 1, 3, MPI_INT, &third);
  MPI_Type_commit(&third);
  for (const Way way : {Way::kOff, Way::kOn}) {
    twin.switch_to(way);
    if (what == "threads") {
      in_threads(twin, places, rounds);
    } else {
      for (int round = 0; round < rounds; ++round) outstanding(twin, places, round, third);
    }
  }
  MPI_Type_free(&third);
  free_places(places);
  return 0;
}
