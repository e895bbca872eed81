"""`gapless measure adaptive`: what the shell sees of the ways between two processes of a node."""

from __future__ import annotations

from types import SimpleNamespace

from gapless.cli.experiment import known, numbers, words
from gapless.cli.options import Calls, Data, Row, with_options
from gapless.cli.ways import options, run, ways_settings
from gapless.errors import GaplessError

FEWEST_OVER_TIME = 20
DATA = Row("data", Data, None, "fresh: the sender writes its data before each message; constant: never again (preset "
           "paper); both, if it is not given.")  # fmt: skip
OPTIONS = tuple(
    DATA if row.name == "data" else row
    for row in options(
        "adaptive",
        "quick (3 minutes at most), standard (30 minutes at most), or paper (64 B and 4 KB blocks, constant data)",
        Row("lengths", str, None, "Of blocks [bytes], whole doubles.", metavar="NUMBERS"),
        Row("counts", str, None, "Numbers of blocks.", metavar="NUMBERS"),
        Row(
            "kernels",
            str,
            None,
            "In place of vectors: what kernels of applications exchange, 32 KB to 24 MB: all, or for example MILC, "
            "FFT2, NAS_MG_y, miniGhost, or one input, NAS_MG_x/512.",
            metavar="NAMES",
        ),
        Row(
            "buffers",
            str,
            None,
            "heap, window (of MPI_Win_allocate_shared), alloc (of MPI_Alloc_mem); with commas (heap,window).",
            metavar="NAMES",
        ),
        Row(
            "over_time",
            int,
            None,
            "In place of steady times: so many round trips of each way from the first one on, each by itself: what "
            "first uses cost, from which number on the layer has paid, which way is taken.",
            metavar="N",
            min=FEWEST_OVER_TIME,
        ),
        Row(
            "calls",
            Calls,
            None,
            "pingpong: MPI_Send and MPI_Recv to and fro (default); both ranks at once, as a halo "
            "exchange does: waitall, by MPI_Irecv, MPI_Isend and MPI_Waitall, or sendrecv.",
        ),
    )
)


@with_options(OPTIONS)
def adaptive(given: SimpleNamespace) -> None:
    """Compare the layer's ways to move a message within a node with one another, and its own choice with the best.

    A vector, sent by the library and with the Gapless layer: packed into shared memory (host), read by the kernel out
    of the sender's memory, close blocks at once (kernel) or each by itself (entries), copied by loads and stores where
    both have mapped it (direct), and as the layer chooses (adaptive). By length and number of blocks, with fresh and
    constant data, in the heap, in a shared window and in memory of MPI_Alloc_mem (docs/methods/adaptive.md).

    [bold]Examples:[/bold]
      gapless measure adaptive --preset quick --mpi mpich,openmpi,intel --out results/adaptive
      gapless measure adaptive --lengths 64,4096 --counts 128,1024 --launches 8
      gapless measure adaptive --buffers window --data fresh --mpi openmpi --budget 5m
      gapless measure adaptive --buffers heap,alloc --calls waitall --data fresh
      gapless measure adaptive --kernels all --data fresh --mpi mpich,openmpi --budget 20m
      gapless measure adaptive --over-time 200 --buffers heap,window --launches 8

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.lab.adaptive.settings import BUFFERS, OVER_TIME_COUNTS, OVER_TIME_LENGTHS, PRESETS
    from gapless.lab.adaptive.story import STORY

    if given.kernels and (given.lengths or given.counts):
        raise GaplessError("--kernels has messages of its own", "leave out --lengths and --counts")
    lengths = numbers(given.lengths, "--lengths")
    if any(length % 8 for length in lengths):
        raise GaplessError(f"--lengths {given.lengths}: a double has 8 bytes", "name multiples of 8")
    counts = numbers(given.counts, "--counts")
    if given.over_time:
        if given.calls not in (None, Calls.PINGPONG) or given.cache not in (None, "warm"):
            raise GaplessError("--over-time: messages to and fro, in warm caches", "leave out --calls and --cache")
        if not given.layer:
            raise GaplessError("--over-time: it is the layer that learns", "leave out --no-layer")
        if not given.kernels:
            lengths, counts = lengths or OVER_TIME_LENGTHS, counts or OVER_TIME_COUNTS
    settings = ways_settings(
        given, OPTIONS, PRESETS, lengths=lengths, counts=counts, over_time=given.over_time,
        buffers=known(words(given.buffers), BUFFERS, "--buffers"), calls=given.calls.value if given.calls else None,
        kernels=words(given.kernels) or None,
    )  # fmt: skip
    run(settings, given, STORY)
