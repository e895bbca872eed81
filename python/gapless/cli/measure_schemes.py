"""`gapless measure schemes`: what the shell sees of the ways to send what a vector describes."""

from __future__ import annotations

from types import SimpleNamespace

from gapless.cli.experiment import numbers
from gapless.cli.options import Row, with_options
from gapless.cli.ways import options, run, ways_settings
from gapless.errors import GaplessError

OPTIONS = options(
    "schemes",
    "quick (3 minutes at most), standard (30 minutes at most), or paper (Eijkhout's protocol)",
    Row("sizes", str, None, "Message sizes [bytes].", metavar="NUMBERS"),
    Row("block", int, None, "Doubles of a block (default: 1).", min=1),
    Row("stride", int, None, "Doubles from one block to the next (default: 2).", min=1),
    Row("irregular", bool, False, "Blocks at random distances of the stride on average.", "--irregular"),
    Row("pairs", int, None, "So many pairs of ranks, all at once (default: 1).", min=1),
)


@with_options(OPTIONS)
def schemes(given: SimpleNamespace) -> None:
    """Send what a vector describes in every way there is, from a kilobyte to what memory allows.

    As an array, copied by hand, as a vector, as a subarray, by MPI_Bsend, by MPI_Put between fences, packed number by
    number, packed at once, by persistent requests, and with the Gapless layer and engine; received as an array. Times,
    bandwidths and slow-downs by size, with the eager limit marked (docs/methods/schemes.md).

    [bold]Examples:[/bold]
      gapless measure schemes --preset quick --mpi mpich,openmpi,intel --out results/schemes
      gapless measure schemes --block 4 --stride 64 --sizes 65536,1000000 --launches 8
      gapless measure schemes --preset paper --two-nodes
      gapless measure schemes --pairs 2 --irregular --sizes 10000,100000

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.lab.schemes.settings import PRESETS
    from gapless.lab.schemes.story import STORY

    settings = ways_settings(
        given, OPTIONS, PRESETS, sizes=numbers(given.sizes, "--sizes"), block=given.block, stride=given.stride,
        irregular=given.irregular or None, pairs=given.pairs, ranks=2 * given.pairs if given.pairs else None,
    )  # fmt: skip
    if settings.stride < settings.block:
        raise GaplessError(
            f"blocks of {settings.block} doubles overlap at a stride of {settings.stride}", "name a longer --stride"
        )
    run(settings, given, STORY)
