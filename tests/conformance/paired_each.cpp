// Calls of which each block goes through the memory of a node or by the library, as its sender decides: to and from a
// root, and among neighbours that send one block to all, or equal ones.
// usage: paired_each rooted | neighbours | one_way | unequal | refused
#include <algorithm>
#include <string_view>
#include <utility>

#include "paired.hpp"

using namespace conformance;

namespace {

const MPI_Comm kWorld = MPI_COMM_WORLD;
constexpr int kApart = 7000;  // [ints] from block to block: the longest

MPI_Datatype ints_apart(int gap) {
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, 4 * gap, &type);
  MPI_Type_commit(&type);
  return type;
}

// Blocks of up to kApart ints, `gap` apart; written, and checked to the last byte.
struct Side {
  Side(int blocks, int of_gap)
      : gap(of_gap), type(ints_apart(gap)), ints(static_cast<std::size_t>(blocks * kApart * gap), -1) {}
  ~Side() { MPI_Type_free(&type); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  int* block(int k) { return ints.data() + static_cast<std::ptrdiff_t>(k) * kApart * gap; }
  void write(int k, int length, int first) {
    for (int j = 0; j < length; ++j) block(k)[j * gap] = first + j;
  }
  void expect(int k, int length, int first, const char* what, int round) {
    for (int j = 0; j < kApart * gap; ++j) {
      const int expected = j % gap == 0 && j / gap < length ? first + j / gap : -1;
      CHECK(block(k)[j] == expected, "%s, round %d, block %d: int %d is %d, not %d", what, round, k, j, block(k)[j],
            expected);
    }
  }
  int gap;
  MPI_Datatype type;
  std::vector<int> ints;
};

int length_of(int rank, int round) {
  constexpr int kLengths[] = {kApart, 5, 0, 40, 3000};
  return kLengths[(rank + round) % 5];
}

// Every root; of each process another number of ints, some too few to be paired, some none; with gaps at some.
void rooted() {
  const auto [rank, size] = Members(kWorld);
  for (int round = 0; round < 10 * size; ++round) {
    const int root = round % size, length = length_of(rank, round);
    const bool is_root = rank == root, in_place = is_root && round % 3 == 2;
    Side single(1, 1 + (rank + round) % 3), many(size, 1 + round / 2 % 2);
    std::vector<int> counts, places;
    for (int k = 0; k < size; ++k) {
      counts.push_back(length_of(k, round)), places.push_back((size - 1 - k) * kApart);
    }
    const auto of = [size = size](int k) { return size - 1 - k; };
    if (in_place) {
      many.write(of(rank), length, first_value(rank, root, round));
    } else {
      single.write(0, length, first_value(rank, root, round));
    }
    int code = MPI_Gatherv(in_place ? MPI_IN_PLACE : single.block(0), length, single.type, many.block(0), counts.data(),
                           places.data(), many.type, root, kWorld);
    CHECK(code == MPI_SUCCESS, "gatherv: code %d", code);
    for (int k = 0; k < size && is_root; ++k) {
      many.expect(of(k), counts[static_cast<std::size_t>(k)], first_value(k, root, round), "gatherv", round);
    }
    if (!in_place) single.expect(0, length, first_value(rank, root, round), "what was gathered", round);
    std::fill(single.ints.begin(), single.ints.end(), -1);
    code = MPI_Scatterv(many.block(0), counts.data(), places.data(), many.type,
                        in_place ? MPI_IN_PLACE : single.block(0), length, single.type, root, kWorld);
    CHECK(code == MPI_SUCCESS, "scatterv: code %d", code);
    if (!in_place) single.expect(0, length, first_value(rank, root, round), "scatterv", round);
  }
}

// Each process sends to the next one alone; to that, to itself and to the one before; or to the next one twice, to the
// one before and to itself, and the last one to nobody.
enum class Kind { kOneWay, kBothWays, kMixed };
struct Graph {
  explicit Graph(Kind kind) {
    const auto [rank, size] = Members(kWorld);
    const auto targets_of = [size = size, kind](int k) {
      if (kind == Kind::kOneWay) return std::vector<int>{(k + 1) % size};
      if (kind == Kind::kBothWays) return std::vector<int>{(k + 1) % size, k, (k + size - 1) % size};
      std::vector<int> all{(k + 1) % size, k, (k + size - 1) % size, (k + 1) % size};
      return k == size - 1 && size > 2 ? std::vector<int>{} : all;
    };
    targets = targets_of(rank);
    for (int k = 0; k < size; ++k) {
      for (const int target : targets_of(k)) {
        if (target == rank) sources.push_back(k);
      }
    }
    MPI_Dist_graph_create_adjacent(kWorld, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
  }
  ~Graph() { MPI_Comm_free(&comm); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  std::vector<int> targets, sources;
  MPI_Comm comm = MPI_COMM_NULL;
};

// One block to all neighbours, and equal ones; in each round other processes have gaps, and so decide otherwise.
void exchange(Kind kind) {
  const test::Layer layer = test::layer();
  const int rank = Members(kWorld).rank;
  const Graph graph(kind);
  const auto in_blocks = static_cast<int>(graph.sources.size()), out_blocks = static_cast<int>(graph.targets.size());
  for (int round = 0; round < 12; ++round) {
    const int length = round % 4 == 3 ? 5 : kApart;
    const int out_gap = (rank + round) % 3 == 0 ? 1 : 2, in_gap = 1 + round / 2 % 2;
    Side one(1, out_gap), each(out_blocks + 1, out_gap);
    one.write(0, kApart, first_value(rank, 0, round));
    for (int k = 0; k < out_blocks; ++k) each.write(k, kApart, first_value(rank, k, round));
    {
      Side in(in_blocks + 1, in_gap);
      MPI_Neighbor_allgather(one.block(0), length, one.type, in.block(0), length, in.type, graph.comm);
      for (int k = 0; k < in_blocks; ++k) {  // its blocks are as long as what comes
        for (int j = 0; j < length * in_gap; ++j) {
          const int source = graph.sources[static_cast<std::size_t>(k)];
          const int expected = j % in_gap == 0 ? first_value(source, 0, round) + j / in_gap : -1;
          CHECK(in.ints[static_cast<std::size_t>(k * length * in_gap + j)] == expected, "allgather, round %d: block %d",
                round, k);
        }
      }
    }
    Side gathered(in_blocks + 1, in_gap);
    std::vector<int> counts, places;
    for (int k = 0; k < in_blocks; ++k) {
      counts.push_back(length_of(graph.sources[static_cast<std::size_t>(k)], round)), places.push_back(k * kApart);
    }
    MPI_Neighbor_allgatherv(one.block(0), length_of(rank, round), one.type, gathered.block(0), counts.data(),
                            places.data(), gathered.type, graph.comm);
    for (std::size_t k = 0; k < counts.size(); ++k) {
      gathered.expect(static_cast<int>(k), counts[k], first_value(graph.sources[k], 0, round), "allgatherv", round);
    }
    // Which of two blocks from the same process comes first is the library's affair.
    std::vector<int> off;
    for (const bool on : {false, true}) {
      layer.set_collectives(on);
      Side in(in_blocks + 1, in_gap);
      MPI_Neighbor_alltoall(each.block(0), length, each.type, in.block(0), length, in.type, graph.comm);
      if (!on) off = in.ints;
      CHECK(in.ints == off, "alltoall, round %d: not as without the layer", round);
      CHECK(in_blocks == 0 || in.ints[0] != -1, "alltoall, round %d: nothing came", round);
    }
  }
}

void neighbours() {
  for (const Kind kind : {Kind::kOneWay, Kind::kBothWays, Kind::kMixed}) exchange(kind);
}

// From one to all, and in a chain, in which blocks become shorter from process to process: the ones at the end know
// nothing of the long ones at the beginning. Who has no neighbour on one side gives the count of the other, for with a
// count of none Open MPI 5.0.11 does nothing at all.
void one_way() {
  const auto [rank, size] = Members(kWorld);
  for (const bool is_chain : {false, true}) {
    std::vector<int> sources, targets;
    if (rank > 0) sources.push_back(is_chain ? rank - 1 : 0);
    for (int k = rank + 1; k < size && (is_chain ? k == rank + 1 : rank == 0); ++k) targets.push_back(k);
    MPI_Comm comm;
    MPI_Dist_graph_create_adjacent(kWorld, static_cast<int>(sources.size()), sources.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(targets.size()), targets.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    const auto length_from = [is_chain](int source) { return is_chain ? kApart >> (4 * source) : kApart; };
    // Open MPI 5.0.11 itself fails in MPI_Neighbor_alltoall on the chain.
    for (int round = 0; round < 4; round += is_chain ? 2 : 1) {
      Side out(size, 2), in(1, 1 + round % 3);
      const int out_length = length_from(targets.empty() ? sources[0] : rank);
      const int in_length = length_from(sources.empty() ? rank : sources[0]);
      const auto target = [round](int k) { return round % 2 == 0 ? 0 : k; };
      for (std::size_t k = 0; k < targets.size(); ++k) {
        int* const block = out.block(0) + static_cast<std::ptrdiff_t>(k) * (round % 2 == 0 ? 0 : out_length) * out.gap;
        for (int j = 0; j < out_length; ++j) block[j * out.gap] = first_value(rank, target(targets[k]), round) + j;
      }
      if (round % 2 == 0) {
        MPI_Neighbor_allgather(out.block(0), out_length, out.type, in.block(0), in_length, in.type, comm);
      } else {
        MPI_Neighbor_alltoall(out.block(0), out_length, out.type, in.block(0), in_length, in.type, comm);
      }
      if (!sources.empty()) {
        in.expect(0, in_length, first_value(sources[0], target(rank), round), is_chain ? "chain" : "from one", round);
      }
    }
    MPI_Comm_free(&comm);
  }
}

// In a line every second process sends long blocks, and the others short ones.
void unequal() {
  const auto [rank, size] = Members(kWorld);
  const int periodic = 0, before = rank - 1;
  MPI_Comm line;
  MPI_Cart_create(kWorld, 1, &size, &periodic, 0, &line);
  const auto length_from = [](int source) { return source % 2 == 0 ? kApart : kApart / 20; };
  for (int round = 0; round < 4; ++round) {
    Side out(2, 2), in(2, 3);
    const int out_length = length_from(rank), in_length = length_from(rank + 1);
    for (int k = 0; k < out_length; ++k) out.block(0)[k * out.gap] = first_value(rank, 0, round) + k;
    MPI_Neighbor_allgather(out.block(0), out_length, out.type, in.block(0), in_length, in.type, line);
    for (int side = 0; side < 2; ++side) {
      const int source = before + 2 * side;
      for (int k = 0; k < in_length && source >= 0 && source < size; ++k) {
        const int found = in.block(0)[(side * in_length + k) * in.gap], expected = first_value(source, 0, round) + k;
        CHECK(found == expected, "round %d, from %d: int %d is %d, not %d", round, source, k, found, expected);
      }
    }
  }
  MPI_Comm_free(&line);
}

// On a new communicator the library refuses what one process gives, with which no data are exchanged.
void refused() {
  const auto [rank, size] = Members(kWorld);
  const bool is_refused = rank == size - 1;
  for (const bool gathers : {true, false}) {
    MPI_Comm comm;
    MPI_Comm_dup(kWorld, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    Side single(1, 2), many(size, 2);
    std::vector<int> counts(static_cast<std::size_t>(size), kApart), places;
    counts[static_cast<std::size_t>(size - 1)] = 0;
    for (int k = 0; k < size; ++k) places.push_back(k * kApart);
    const int length = is_refused ? -1 : kApart;
    const int code = gathers ? MPI_Gatherv(single.block(0), length, single.type, many.block(0), counts.data(),
                                           places.data(), many.type, 0, comm)
                             : MPI_Scatterv(many.block(0), counts.data(), places.data(), many.type, single.block(0),
                                            length, single.type, 0, comm);
    CHECK((code == MPI_SUCCESS) == !is_refused || (gathers && rank == 0), "rank %d: code %d", rank, code);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * (size - 1) / 2, "the next sum on it is %d", sum);
    broadcast(comm, 0, 5000, 1);
    MPI_Comm_free(&comm);
  }
}

constexpr std::pair<std::string_view, void (*)()> kScenarios[] = {
    {"rooted", rooted}, {"neighbours", neighbours}, {"one_way", one_way}, {"unequal", unequal}, {"refused", refused}};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const auto found =
      std::find_if(std::begin(kScenarios), std::end(kScenarios), [&](auto& one) { return one.first == what; });
  CHECK(found != std::end(kScenarios), "usage: paired_each WHAT");
  MPI_Init(&argc, &argv);
  found->second();
  if (Members(kWorld).rank == 0) std::puts("the data are right");
  MPI_Finalize();
  return 0;
}
