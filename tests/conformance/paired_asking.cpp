// Long series of the same call, in which processes stop asking each other whether blocks go through the memory that
// they share (preload/policy/asking.hpp), and begin again: series in which all blocks are contiguous, in which all have
// gaps, and in which each process chooses for itself, in random order; and communicators that live for few calls, whose
// members put off the vote on a channel where nothing was gained lately.
// usage: paired_asking SERIES [SEED]
#include "../preload/random_mpi_type.hpp"
#include "paired.hpp"

using namespace conformance;

namespace {

constexpr int kLength = 300;  // ints of a block

// Blocks of one side, with gaps or contiguous, the latter as many ints or as one element that is a vector.
class Side {
 public:
  Side(int blocks, test::Random& random, bool has_gaps)
      : is_basic_(!has_gaps && random.below(2) == 0), blocks(blocks, kLength, has_gaps ? 2 + random.below(3) : 1) {}
  MPI_Datatype type() const { return is_basic_ ? MPI_INT : blocks.type(); }
  int count() const { return is_basic_ ? kLength : 1; }  // of a block; and how far they are apart, in extents

 private:
  bool is_basic_;

 public:
  Blocks blocks;
};

enum Call { kAlltoall, kAllgather, kAllgatherv, kGather, kGatherv, kScatterv, kAlltoallv, kAlltoallw, kCalls };
enum class Layouts { kContiguous, kGaps, kEither };

// What every call of a series is checked by; `own`: what each process chooses for itself.
void call(Call which, Layouts layouts, int round, test::Random& own, MPI_Comm comm = MPI_COMM_WORLD) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto has_gaps = [&] { return layouts == Layouts::kGaps || (layouts == Layouts::kEither && own.below(2) == 0); };
  Side sent(size, own, has_gaps()), received(size, own, has_gaps());
  const auto n = static_cast<std::size_t>(size);
  const auto counts_of = [&](const Side& side) { return std::vector<int>(n, side.count()); };
  // In extents, or `unit` of them.
  const auto places_of = [&](const Side& side, int unit) {
    std::vector<int> places(n);
    for (std::size_t k = 0; k < n; ++k) places[k] = static_cast<int>(k) * unit * (unit == 1 ? side.count() : 1);
    return places;
  };
  const auto out_counts = counts_of(sent), in_counts = counts_of(received);
  const auto out_places = places_of(sent, 1), in_places = places_of(received, 1);
  const auto out_bytes = places_of(sent, sent.blocks.bytes_apart());
  const auto in_bytes = places_of(received, received.blocks.bytes_apart());
  const std::vector<MPI_Datatype> out_types(n, sent.type()), in_types(n, received.type());
  const bool to_each = which == kAlltoall || which == kAlltoallv || which == kAlltoallw || which == kScatterv;
  for (int k = 0; k < size; ++k) sent.blocks.write(k, rank, to_each ? k : 0, round);
  // Of v-calls the same one always: each pair counts for itself.
  const int root = which == kGatherv || which == kScatterv ? size - 1 : round % size;
  void *const out = sent.blocks.data(), *const in = received.blocks.data();
#if MPI_VERSION >= 4 && !defined(OMPI_MAJOR_VERSION)
  // Each process for itself: with large counts.
  if (own.below(2) == 0 && (which == kAlltoall || which == kGather)) {
    if (which == kAlltoall) {
      MPI_Alltoall_c(out, sent.count(), sent.type(), in, received.count(), received.type(), comm);
    } else {
      MPI_Gather_c(out, sent.count(), sent.type(), in, received.count(), received.type(), root, comm);
    }
  } else
#endif
    switch (which) {
      case kAlltoall:
        MPI_Alltoall(out, sent.count(), sent.type(), in, received.count(), received.type(), comm);
        break;
      case kAllgather:
        MPI_Allgather(out, sent.count(), sent.type(), in, received.count(), received.type(), comm);
        break;
      case kAllgatherv:
        MPI_Allgatherv(out, sent.count(), sent.type(), in, in_counts.data(), in_places.data(), received.type(), comm);
        break;
      case kGather:
        MPI_Gather(out, sent.count(), sent.type(), in, received.count(), received.type(), root, comm);
        break;
      case kGatherv:
        MPI_Gatherv(out, sent.count(), sent.type(), in, in_counts.data(), in_places.data(), received.type(), root,
                    comm);
        break;
      case kScatterv:
        MPI_Scatterv(out, out_counts.data(), out_places.data(), sent.type(), in, received.count(), received.type(),
                     root, comm);
        break;
      case kAlltoallv:
        MPI_Alltoallv(out, out_counts.data(), out_places.data(), sent.type(), in, in_counts.data(), in_places.data(),
                      received.type(), comm);
        break;
      default:
        MPI_Alltoallw(out, out_counts.data(), out_bytes.data(), out_types.data(), in, in_counts.data(), in_bytes.data(),
                      in_types.data(), comm);
    }
  if (which == kScatterv) return received.blocks.expect(0, root, rank, round, "from the root");
  if ((which == kGather || which == kGatherv) && rank != root) return received.blocks.expect_nothing(0, "no root");
  for (int k = 0; k < size; ++k) received.blocks.expect(k, k, to_each ? rank : 0, round, "from all");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int series = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atol(argv[2]) : 1);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test::Random common(seed), own(1000 * seed + static_cast<std::uint64_t>(rank));
  int round = 0;
  for (int k = 0; k < series; ++k) {
    // Every call begins a series of contiguous blocks that is long enough for silence, and has one with gaps behind it.
    const Call which = static_cast<Call>(k < 2 * kCalls ? k / 2 : common.below(kCalls));
    const Layouts layouts =
        k < 2 * kCalls ? (k % 2 == 0 ? Layouts::kContiguous : Layouts::kGaps) : static_cast<Layouts>(common.below(3));
    const int calls = k < 2 * kCalls ? 40 : 1 + common.below(80);
    for (int j = 0; j < calls; ++j) call(which, layouts, round++, own);
  }
  // The first communicator's calls with gaps are not paired, for before them all was contiguous for long; the next
  // one's are.
  for (int j = 0; j < 40; ++j) call(kAlltoall, Layouts::kContiguous, round++, own);
  for (int k = 0; k < series; ++k) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, 0, k % 2 == 0 ? rank : -rank, &comm);
    const Layouts layouts = k < series / 2 ? Layouts::kGaps : static_cast<Layouts>(common.below(3));
    const int calls = k % 5 == 4 ? 60 : 4;
    for (int j = 0; j < calls; ++j) call(static_cast<Call>(common.below(kCalls)), layouts, round++, own, comm);
    MPI_Comm_free(&comm);
  }
  // Put off, each process counts a call once, whatever it has to send.
  for (const Call which : {kAlltoallv, kGatherv, kAlltoallw, kScatterv}) {
    for (int j = 0; j < 40; ++j) call(which, Layouts::kContiguous, round++, own);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int j = 0; j < 60; ++j) call(which, Layouts::kEither, round++, own, comm);
    MPI_Comm_free(&comm);
  }
  if (rank == 0) std::printf("paired_asking: %d calls in %d series\n", round, series);
  MPI_Finalize();
  return 0;
}
