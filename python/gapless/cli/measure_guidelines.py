"""`gapless measure guidelines`: what the shell sees of the expectation tests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from gapless.cli.experiment import (
    EXTENT,
    KEPT,
    MPI,
    SHOWN,
    WHERE,
    known,
    measure,
    numbers,
    out_option,
    settings_of,
    words,
)
from gapless.cli.options import Data, Row, with_options
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.measure import Session
    from gapless.lab.settings import Settings

OPTIONS = (
    Row("preset", str, "standard", "quick (3 minutes at most), standard (30 minutes at most), or paper."),
    MPI,
    Row("tests", str, None, "ET1 to ET11, X (further descriptions), or all; with commas.", metavar="NAMES"),
    Row("pattern", str, None, "pingpong, bcast, allgather.", metavar="NAMES"),
    Row("base", str, None, "Base types: int (default), char, short, float, double, byte, or all.", metavar="NAMES"),
    Row("cache", str, None, "warm (default), cold, or both with a comma.", metavar="NAMES"),
    Row("data", Data, None, "fresh: the sender writes its data before each message (default); constant: never again "
        "(preset paper)."),
    Row("blocks", str, None, "Values of A.", "-A", "--blocks", metavar="NUMBERS"),
    Row("sizes", str, None, "Message sizes [bytes], for all tests.", metavar="NUMBERS"),
    Row("variants", str, None, "1 (small gaps), 2 (large gaps).", metavar="NUMBERS"),
    Row("only", str, None, "Only rows whose 'TEST case pattern bytes' matches.", "--filter", metavar="GLOB"),
    Row("pair", list[str], None, "A comparison of your own: 'COMPARED <= REFERENCE', or with ~ for similar.",
        metavar="TEXT"),
    Row("pairs", Path, None, "Comparisons of your own: a [[pair]] for each.", metavar="FILE.toml"),
    EXTENT[0],
    Row("against_native", bool, False,
        "Also compare each message with the layer to the same without it, typed and packed", "--against-native"),
    Row("against_local", bool, False,
        "Also compare it to the layer without shared memory, from 8 KiB on", "--against-local"),
    *EXTENT[1:],
    Row("ranks", int, None, "Ranks; other than 2 for bcast and allgather only.", min=2),
    *WHERE,
    out_option("guidelines"),
    *KEPT,
    Row("plant", float, None, "Slow everything but contiguous messages down so much: the lab's test of itself.",
        min=1.0),
    *SHOWN,
)  # fmt: skip


@with_options(OPTIONS)
def guidelines(given: SimpleNamespace) -> None:
    """Judge a library's datatypes: which expectation holds, which is violated and how much, which is undecided.

    The layouts and Expectation Tests 1 to 11 of Carpen-Amarie, Hunold and Träff (2016), as ping-pong, Bcast and
    Allgather, natively and under the Gapless layer. Data are verified before and after timing; launches are the
    replicates; false discoveries are controlled over the whole table (docs/methods.md).

    [bold]Examples:[/bold]
      gapless measure guidelines --preset quick --mpi mpich,openmpi,intel
      gapless measure guidelines --mpi /opt/mpi/bin/mpicc --launcher 'srun -n {ranks}' --out mine
      gapless measure guidelines --tests ET6 -A 2,10 --base double --cache warm,cold --preset quick
      gapless measure guidelines --pair '1 x vector(1000, 1, 64, double) <= 1000 x resized(0, 512, double)'
      gapless measure guidelines --tests ET1,ET3 --pattern bcast,allgather --against-native --tolerance 0.05
      gapless measure guidelines --resume results/20260101-120000-guidelines --budget 10m

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    settings = _settings(given)
    measure(settings, given, lambda session: _show(session, given.json))


def _settings(given: SimpleNamespace) -> Settings:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    from gapless.lab.catalogue import PATTERNS, TESTS
    from gapless.lab.layouts.notation import BASES
    from gapless.lab.own import parse_pair, read_pairs
    from gapless.lab.settings import PRESETS

    own = [parse_pair(text) for text in given.pair or []] + (read_pairs(given.pairs) if given.pairs else [])
    if given.pattern:
        own = [replace(one, patterns=tuple(words(given.pattern))) for one in own]
    settings = settings_of(
        given, OPTIONS, PRESETS,
        tests=list(TESTS) if given.tests == "all" else known(words(given.tests), TESTS, "--tests"),
        patterns=known(words(given.pattern), PATTERNS, "--pattern"),
        bases=list(BASES) if given.base == "all" else known(words(given.base), BASES, "--base"),
        caches=known(words(given.cache), ("warm", "cold"), "--cache"), blocks=numbers(given.blocks, "-A"),
        sizes=numbers(given.sizes, "--sizes"),
        variants=[int(word) for word in known(words(given.variants), ("1", "2"), "--variants")],
        against_native=given.against_native or None, against_local=given.against_local or None, pairs=own,
        data=given.data.value if given.data else None, only=given.only, ranks=given.ranks, plant=given.plant,
    )  # fmt: skip
    for flag, chosen in (("--against-native", given.against_native), ("--against-local", given.against_local)):
        if chosen and not settings.layer:
            raise GaplessError(f"{flag} compares the layer, and --no-layer leaves it out", "leave one out")
    if given.against_local and given.two_nodes:
        raise GaplessError("--against-local: two nodes share no memory", "leave --two-nodes or --against-local out")
    return replace(settings, tests=()) if own and not given.tests and not given.resume else settings


def _show(session: Session, as_json: bool) -> None:
    from gapless.display import console
    from gapless.lab.report.texts import summary_table
    from gapless.lab.verdicts import judge_run

    judged = judge_run(session.run(), session.settings.tolerance, session.settings.q)
    if as_json:
        print(json.dumps([one.as_json() for one in judged], indent=1))
    elif judged:
        console().print(summary_table(judged))
