"""`gapless measure creation`: what the shell sees of what making a datatype costs."""

from __future__ import annotations

from types import SimpleNamespace

from gapless.cli.experiment import known, numbers, words
from gapless.cli.options import Row, with_options
from gapless.cli.ways import options, run, ways_settings
from gapless.errors import GaplessError

# Making a type is the work of both ranks.
CACHES = ("warm", "cold")
OPTIONS = options(
    "creation",
    "quick (2 minutes at most) or standard (30 minutes at most)",
    Row("constructors", str, None, "vector, hvector, indexed, ... (default: all).", metavar="NAMES"),
    Row("counts", str, None, "Numbers of blocks, multiples of ten.", metavar="NUMBERS"),
    caches=CACHES,
)


@with_options(OPTIONS)
def creation(given: SimpleNamespace) -> None:
    """Time constructing, committing and freeing a datatype, by constructor and size, natively and with the layer.

    Every second double of an array, described by each constructor; again and for the first time; and from how many
    messages on such a type beats copying by hand (docs/methods/creation.md).

    [bold]Examples:[/bold]
      gapless measure creation --preset quick --mpi mpich,openmpi,intel --out results/creation
      gapless measure creation --constructors vector,struct,darray --counts 100,10000 --launches 8

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.lab.creation.settings import CONSTRUCTORS, PRESETS
    from gapless.lab.creation.story import STORY

    counts = numbers(given.counts, "--counts")
    if any(count % 10 for count in counts):
        raise GaplessError(f"--counts {given.counts}: the nested type has blocks of ten", "name multiples of ten")
    settings = ways_settings(
        given, OPTIONS, PRESETS, CACHES, counts=counts,
        constructors=known(words(given.constructors), CONSTRUCTORS, "--constructors"),
    )  # fmt: skip
    run(settings, given, STORY)
