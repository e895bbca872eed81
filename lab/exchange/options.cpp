#include "options.hpp"

#include <CLI/CLI.hpp>

#include <sstream>

namespace gapless::lab::exchange {
namespace {

constexpr const char* kAbout =
    "Times messages of any datatypes, as a job file names them: in a pattern (pingpong, bcast, allgather, alltoallw,\n"
    "neighbor_alltoallw, neighbor_alltoall, gatherv, scatterv; ialltoallw, ineighbor_alltoallw: the nonblocking ones\n"
    "and MPI_Wait; sendrecv: MPI_Sendrecv; waitall: MPI_Irecv, MPI_Isend, MPI_Waitall; alltoall, in which a rank also\n"
    "has a block for itself: of the last ten but this one, without data for a rank itself, neighbours in a ring), "
    "each\n"
    "sent\n"
    "  native          by the typed call, the Gapless layer off,\n"
    "  gapless         by the same call with the layer on (left out where the layer is not under the program),\n"
    "  local           with the layer on, but nothing through memory that processes share,\n"
    "  pack            through MPI_Pack, MPI_PACKED and MPI_Unpack,\n"
    "  pack_send       packed by the sender, received typed,\n"
    "  unpack_receive  sent typed, received as MPI_PACKED and unpacked,\n"
    "  manual          packed and unpacked by loops, as by hand,\n"
    "  engine          packed and unpacked by the engine in the program: the layer's work, done by hand,\n"
    "  engine_pack, engine_unpack  that alone, on rank 0: nothing is sent, and a sample is one call\n"
    "  engine_send     packed by the engine, received typed,\n"
    "  buffered        by MPI_Bsend,\n"
    "  persistent      by persistent requests,\n"
    "  put             by MPI_Put between two fences: received in a window,\n"
    "  pack_element    packed by a call of MPI_Pack for each number, received typed,\n"
    "  hand_c, hand_clang, hand_fortran  packed and unpacked by the loops of an application, which the message names,\n"
    "                  as these compilers make them, and sent as numbers of their base type\n"
    "(all from pack on in a ping-pong only; pack in bcast, allgather, sendrecv and waitall, too, pack and hand_* in\n"
    "alltoall).\n"
    "The job is a JSON object (see below); types are written in the text notation of docs/notation.md. The members of\n"
    "a group carry equal payloads and are timed in turns, in an order drawn anew for each repetition. Before anything\n"
    "is timed, the messages of a layout are proved to have equal type maps, and what every member receives is "
    "compared\n"
    "with known values, gaps and guards included; once again after timing.\n"
    "A sample is one round trip of a ping-pong or one exchange of a sendrecv or waitall (`inner` of them are timed\n"
    "together and divided) or one call of a collective, in nanoseconds: the longest of all ranks, each by its own "
    "clock behind a barrier. \"warm\": one\n"
    "operation that is not timed comes before each sample. \"cold\": instead of it, a walk over twice the last cache\n"
    "(\"cold_sender\": on rank 0 alone);\n"
    "`inner` is 1 then, and in collectives. \"data\": \"constant\" unless \"fresh\": the sender (in a bcast the root)\n"
    "writes its data before each message; the time of that is left out of a sample, and a second list, "
    "`cycle_samples`,\n"
    "has the same operations with it. Where caches are cold and in all but a ping-pong, all write before the barrier.\n"
    "A group ends when, on rank 0, every member's median is known within "
    "`precision` (95 %), when\n"
    "`budget_ms` is over or after `max` repetitions, but not before `min`. Ping-pong needs 2 ranks, the others any\n"
    "number from 2 on.\n"
    "Facts, progress, raw samples, groups that are refused here with the reason, and errors go to the standard "
    "output,\n"
    "one JSON object a line. Exit status: 0; 1 if data were wrong; 2 if the job or the command line is.";

constexpr const char* kExamples =
    "A job:\n"
    "  {\"schema\": 1, \"seed\": 7, \"groups\": [\n"
    "    {\"id\": \"pairs\", \"pattern\": \"pingpong\", \"cache\": \"warm\", \"data\": \"fresh\",\n"
    "     \"messages\": [\n"
    "       {\"name\": \"dense\", \"count\": 2000, \"type\": \"int32\", \"layout\": \"dense\"},\n"
    "       {\"name\": \"pairs\", \"count\": 1, \"type\": \"vector(1000, 2, 4, int32)\", \"layout\": \"pairs\"}],\n"
    "     \"members\": [\n"
    "       {\"name\": \"dense:native\", \"message\": \"dense\", \"method\": \"native\"},\n"
    "       {\"name\": \"pairs:native\", \"message\": \"pairs\", \"method\": \"native\"}],\n"
    "     \"reps\": {\"min\": 10, \"max\": 100, \"inner\": 1, \"precision\": 0.02, \"budget_ms\": 500, \"warmup\": "
    "2}}]}\n"
    "Optional: \"plant\": factor (at least 1) beside the seed, and \"plant\": true in the members that are slowed by "
    "it\n"
    "inside the timed section, to see whether the judgement notices; \"eager_limit\": true beside the seed, to have "
    "the\n"
    "longest contiguous message found (64 MiB at most) whose native send ends before it is received; \"root\" of a "
    "bcast (0); in a message, "
    "\"receive\", a\n"
    "count and type, where another type is received than is sent; in a member that is native, gapless, local or pack,\n"
    "\"fresh_type\": true, to have the datatype constructed, committed and freed by both ranks within each ping-pong, "
    "and\n"
    "\"fresh_buffer\": true, to have each one in another buffer (2 to 16 in turn, 256 MiB at most); in one of a\n"
    "ping-pong, sendrecv or waitall that is gapless, \"way\": adaptive, host, kernel, entries or direct, how the layer "
    "moves a message\n"
    "within a node (include/gapless/gapless_layer.h); in a group, \"buffers\": heap, or window or alloc, to have\n"
    "them in memory of MPI_Win_allocate_shared or MPI_Alloc_mem; beside a count, "
    "\"origin\": the bytes from a cache "
    "line to\n"
    "the buffer's address (0); \"loops\", an object with a kernel, its sizes and maybe a list of places\n"
    "(lab/exchange/loops/loops.h); in a group, \"phases\": true: behind each sample one operation more, whose list of "
    "phases\n"
    "says how long constructing the type and a buffer (create), commit, pack, communicate, unpack and free took: of a "
    "round trip, "
    "both\n"
    "ranks' work; of a collective, of creating and freeing, the mean of the ranks; \"pairs\": true, to have each rank "
    "of\n"
    "the first half send to one of the second, all at once; \"pong\": \"empty\", to have a message answered with an "
    "empty\n"
    "one, and one direction timed alone; \"in_order\": true, to have all round trips of a member in a row,\n"
    "`max` of `reps` (of which nothing else counts), from the first one of the group on, without an untimed one "
    "before\n"
    "it, and verified behind the last one alone; `ways` says how rank 0's messages and its peer's were moved (d "
    "direct,\n"
    "k kernel, - otherwise, ? not known: GAPLESS_STATS is off); in `reps`, \"layer_warmup\": so many messages of each "
    "member with\n"
    "the layer before anything is timed (it tries its ways first), and \"member_limit_ms\": a member whose first "
    "message takes longer is\n"
    "left out, and in any member \"layer\": true, to have the layer on whatever its method. `first` is what the first\n"
    "message of a member took, `first_type` the first making of its datatype in a group with phases.\n"
    "Examples:\n"
    "  mpiexec -n 2 exchange --job job.json > samples.jsonl\n"
    "  gapless run -- mpiexec -n 4 exchange --job job.json     # with the layer\n"
    "  mpiexec -n 2 exchange --job job.json --validate         # prove everything, time nothing";

}  // namespace

ParseResult parse_options(int argc, char** argv) {
  ParseResult result{true, 0, "", {}};
  CLI::App app(kAbout, "exchange");
  app.footer(kExamples);
  app.add_option("--job", result.options.job, "The job file; every rank reads it")->required();
  app.add_flag("--validate", result.options.validate, "Prove type maps and data of all groups; time nothing");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int code = app.exit(error, out, complaint);
    return {false, code == 0 ? 0 : 2, out.str() + complaint.str(), {}};
  }
  return result;
}

}  // namespace gapless::lab::exchange
