"""`gapless compare`: regressions and improvements between two runs, or two sides measured now, for people and a CI."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapless.cli.experiment import INTERRUPTED, say
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.agreement import Agreement
    from gapless.lab.compare import Change, Comparison

NOTHING_REGRESSED, REGRESSED = 0, 1


class Format(str, Enum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    TSV = "tsv"


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A run's folder; with --run a library and its settings.")],
    new: Annotated[
        str | None, typer.Argument(metavar="[NEW]", help="What is held against it; none for the folder of a --run.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(min=0.001, max=10, help="The change that still counts as none: 0.10 is 10 %.")
    ] = 0.10,
    q: Annotated[
        float, typer.Option("--q", min=1e-6, max=0.5, help="Wrong answers accepted among those given, on average.")
    ] = 0.05,
    style: Annotated[Format, typer.Option("--format", help="How the answer is written.")] = Format.TEXT,
    every: Annotated[bool, typer.Option("--all", help="List every row, not only those that changed.")] = False,
    absolute: Annotated[
        bool,
        typer.Option(
            "--absolute",
            help="Compare the times themselves, not their ratios to the contiguous message of the same launch. "
            "Of stored runs only on a machine that was equally quiet both times.",
        ),
    ] = False,
    measured: Annotated[
        bool, typer.Option("--run", help="Measure OLD and NEW now, in turn, launch by launch.")
    ] = False,
    relative: Annotated[
        bool, typer.Option("--relative", help="Compare the ratios, also of a --run of two different libraries.")
    ] = False,
    preset: Annotated[str, typer.Option(help="With --run: quick (2 minutes at most) or standard (15).")] = "quick",
    budget: Annotated[str | None, typer.Option(metavar="TIME", help="With --run: 90s, 10m; 0: no limit.")] = None,
    launches: Annotated[int | None, typer.Option(min=2, help="With --run: rounds, a launch of each side.")] = None,
    only: Annotated[
        str | None,
        typer.Option("--filter", metavar="GLOB", help="With --run: only such 'TEST case pattern bytes'."),
    ] = None,
    layer: Annotated[bool, typer.Option(help="With --run: also measure under the Gapless layer.")] = True,
    two_nodes: Annotated[
        bool, typer.Option("--two-nodes", help="With --run: in two network namespaces, over TCP (needs root).")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, max=2**40, help="With --run: of all random orders.")] = 1,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="With --run: the results (default: results/<time>-compare).")
    ] = None,
) -> None:
    """Tell what became slower or faster, from one run to another or between two libraries, builds or settings.

    [bold]Examples:[/bold]
      gapless compare results/before results/after --format json --all > changes.json
      gapless compare --run mpich openmpi
      gapless compare --run mpich mpich,MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD=65536 --no-layer --budget 5m
      gapless compare --run mpich mpich,GAPLESS_PAIRED_MESSAGES=0
      gapless compare results/20260101-120000-compare --all    # the answer of that --run again

    With --run a side is NAME[,VARIABLE=VALUE]...: a name as of --mpi (mpich, openmpi, intel, a prefix, an mpicc), and
    what is set for its launches alone; GAPLESS_* for the layer, and plant=1.3 slows it down: the lab's test of itself.
    Both sides are launched in turn, in random order, and a round of one launch of each is one replicate. Of two
    libraries times are compared; of one library with two settings contiguous messages by their times, and all others by
    the ratio to the contiguous message of the same launch (--absolute: by their times, too).

    Two stored runs were made at different times: there a time is divided by that of the contiguous message of the same
    launch, so a machine that is slower today is no regression. Launches are the replicates.
    A regression is an interval of new over old that lies wholly above 1 + tolerance, an improvement one below
    1 / (1 + tolerance), the same one between; all other rows are undecided. If nothing changed, the chance that
    anything is called a regression is at most q (docs/methods/statistics.md).

    [bold]Exit status:[/bold]  0 nothing regressed, 1 something regressed (or its data are wrong now), 2 usage error,
    130 interrupted (with --run; what was measured is kept and judged).
    """
    from gapless.cli.compare_run import measure_sides
    from gapless.lab.paired_compare import compare_sides, rounds_of
    from gapless.lab.run_file import read_run

    if measured and new is None:
        raise GaplessError("--run measures two sides", "name both: gapless compare --run mpich openmpi")
    if relative and absolute:
        raise GaplessError("--relative and --absolute exclude each other", "leave one of them out")
    by_ratio = True if relative else False if absolute else None
    interrupted = False
    if measured and new is not None:
        given = SimpleNamespace(preset=preset, budget=budget, launches=launches, only=only, layer=layer, seed=seed,
                                two_nodes=two_nodes, out=out, tolerance=tolerance, q=q)  # fmt: skip
        run, failed, interrupted = measure_sides(old, new, given)
        for sentence in failed:
            print(f"gapless: warning: {sentence}", file=sys.stderr)
        if interrupted and not rounds_of(run, False):
            say("no round was measured to its end, so there is nothing to compare")
            raise typer.Exit(INTERRUPTED)
        found, verdicts = compare_sides(run, tolerance, q, by_ratio), None
    elif new is None:
        found, verdicts = compare_sides(read_run(Path(old)), tolerance, q, by_ratio), None
    else:
        found, verdicts = _stored(Path(old), Path(new), tolerance, q, absolute)
    if style is Format.JSON:
        answer = as_json(found, every) | ({"verdicts": verdicts.as_json()} if verdicts else {})
        print(json.dumps(answer | {"tolerance": tolerance, "q": q}, indent=1, ensure_ascii=False))
    elif style is Format.TSV:
        print_tsv(found, every)
    else:
        print_text(found, every)
        if verdicts:
            _print_flipped(verdicts)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(REGRESSED if found.regressed else NOTHING_REGRESSED)


def _stored(old: Path, new: Path, tolerance: float, q: float, absolute: bool) -> tuple[Comparison, Agreement]:
    """Compare two stored runs, and warn of what makes that hard."""
    from gapless.lab.agreement import agreement
    from gapless.lab.compare import compare_runs
    from gapless.lab.run_file import read_run

    runs = read_run(old), read_run(new)
    if absolute:
        print("gapless: warning: times are compared, so a busier machine looks like a regression", file=sys.stderr)
    for note in differences(runs[0].environment, runs[1].environment):
        print(f"gapless: warning: {note}", file=sys.stderr)
    return compare_runs(*runs, tolerance, q, absolute), agreement(*runs, tolerance, q)


def _print_flipped(verdicts: Agreement) -> None:
    for one, other in verdicts.flipped:
        print(f"{one.mpi} {one.row.test} {one.row.case} {one.row.pattern} {one.row.bytes}: {one.verdict} "
              f"(×{one.ratio:.2f}), then {other.verdict} (×{other.ratio:.2f})")  # fmt: skip
    print(verdicts)


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Name what makes two runs hard to compare: another machine, kernel, or way to measure."""
    names = {"cpu": "processor", "cores": "number of cores", "governor": "frequency governor", "kernel": "kernel",
             "congestion": "congestion control of TCP", "two_nodes": "number of nodes", "preset": "preset"}  # fmt: skip
    before, after = dict(old), dict(new)
    for name, text in {"ranks": "number of ranks", "plant": "planted factor"}.items():
        names[name] = text
        before[name], after[name] = (of.get("settings", {}).get(name) for of in (old, new))
    return [
        f"the {text} differs: {before.get(name)}, then {after.get(name)}"
        for name, text in names.items()
        if name in before and name in after and before[name] != after[name]
    ]


def listed(found: Comparison, every: bool) -> list[Change]:
    """Return the changes to list."""
    from gapless.lab.compare import IMPROVEMENT, REGRESSION

    return [one for one in found.changes if every or one.change in (REGRESSION, IMPROVEMENT)]


def counts(found: Comparison) -> dict[str, int]:
    """Return how many rows there are of each kind."""
    from gapless.lab.compare import CLAIMS, UNDECIDED

    return {change: found.count(change) for change in (*CLAIMS, UNDECIDED)}


def as_json(found: Comparison, every: bool) -> dict[str, Any]:
    """Return the comparison as one object."""
    from gapless.lab.compare import subject_json

    return {
        "regressed": found.regressed,
        "counts": counts(found),
        "broken": found.broken,
        "rows": [one.as_json() for one in listed(found, every)],
        "only_old": [subject_json(subject) for subject in found.only_old],
        "only_new": [subject_json(subject) for subject in found.only_new],
    }


def print_tsv(found: Comparison, every: bool) -> None:
    """Print a table with tabs, its columns named in the first line; an end that is not known stays empty."""
    from gapless.lab.compare import COLUMNS

    rows = [one.as_json() for one in listed(found, every)]
    print("\t".join(COLUMNS))
    for row in rows:
        print("\t".join("" if cell is None else str(cell) for cell in row.values()))


def print_text(found: Comparison, every: bool) -> None:
    """Print the rows that changed, and how many did not."""
    from gapless.display import console, plain_table, print_whole

    out = console()
    rows = listed(found, every)
    if rows:
        table = plain_table(
            "New over old", ("library", "where", "member", "change", "ratio", "interval", "launches"), 4
        )
        for one in rows:
            subject = one.subject
            table.add_row(
                subject.mpi, subject.place.text, subject.member, one.change, f"{one.ratio:.3f}",
                f"{one.ci_low:.3f} - {one.ci_high:.3f}", f"{one.launches_old}, {one.launches_new}",
            )  # fmt: skip
        print_whole(out, table)
    for line in found.broken:
        out.print(f"now wrong: {line}", markup=False, soft_wrap=True)
    for which, subjects in (("OLD", found.only_old), ("NEW", found.only_new)):
        if subjects:
            out.print(f"only in {which}: {len(subjects)} rows, for example {subjects[0].mpi} "
                      f"{subjects[0].place.text} {subjects[0].member}", markup=False, soft_wrap=True)  # fmt: skip
    out.print(", ".join(f"{number} {change}" for change, number in counts(found).items()), soft_wrap=True)
