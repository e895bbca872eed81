"""`gapless measure vector`: what the shell sees of blocks, their number and reuse."""

from __future__ import annotations

from types import SimpleNamespace

from gapless.cli.experiment import known, numbers, words
from gapless.cli.options import Row, with_options
from gapless.cli.ways import options, run, ways_settings
from gapless.errors import GaplessError

OPTIONS = options(
    "vector",
    "quick (3 minutes at most), standard (30 minutes at most), or paper (64 B and 4 KB blocks, constant data)",
    Row("lengths", str, None, "Of blocks [bytes], whole doubles.", metavar="NUMBERS"),
    Row("counts", str, None, "Numbers of blocks.", metavar="NUMBERS"),
    Row("reuse", str, None, "same (type and buffer), buffer (another one each time), type; with commas.",
        metavar="NAMES"),
)  # fmt: skip


@with_options(OPTIONS)
def vector(given: SimpleNamespace) -> None:
    """Find where packing beats sending a vector directly: by the length and number of its blocks, and by reuse.

    Directly, through MPI_Pack, copied by hand and with the Gapless layer, with the same type and buffer again, with
    another buffer, and with a type made for each message; first use against later ones; around 1024 blocks, where
    MPICH 5 changes its way (docs/methods/vector.md).

    [bold]Examples:[/bold]
      gapless measure vector --preset quick --mpi mpich,openmpi,intel --out results/vector
      gapless measure vector --lengths 8,64 --counts 1023,1024,1025 --launches 8
      gapless measure vector --reuse same,type --mpi openmpi --budget 5m

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.lab.vector.settings import PRESETS, REUSE
    from gapless.lab.vector.story import STORY

    lengths = numbers(given.lengths, "--lengths")
    if any(length % 8 for length in lengths):
        raise GaplessError(f"--lengths {given.lengths}: a double has 8 bytes", "name multiples of 8")
    settings = ways_settings(
        given, OPTIONS, PRESETS, lengths=lengths, counts=numbers(given.counts, "--counts"),
        reuse=known(words(given.reuse), REUSE, "--reuse"),
    )  # fmt: skip
    run(settings, given, STORY)
