"""`gapless compare OLD NEW`: regressions and improvements between two runs, for people and for a CI."""

from __future__ import annotations

import json
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gapless.lab.compare import Change, Comparison

NOTHING_REGRESSED, REGRESSED = 0, 1


class Format(str, Enum):
    """How the answer is written."""

    TEXT = "text"
    JSON = "json"
    TSV = "tsv"


def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="A run: the folder that 'measure guidelines' wrote.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="The run to hold against it.")],
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
            "Only on a machine that was equally quiet both times.",
        ),
    ] = False,
) -> None:
    """Tell what became slower or faster from one run of the guidelines to another.

    [bold]Example:[/bold]  gapless compare results/before results/after --format json --all > changes.json

    A row is a member of a group: a message, and the way it is sent. Its time is divided by that of the contiguous
    message of the same launch, so a machine that is slower today is no regression. Launches are the replicates.
    A regression is an interval of new over old that lies wholly above 1 + tolerance, an improvement one below
    1 / (1 + tolerance), the same one between; all other rows are undecided. If nothing changed, the chance that
    anything is called a regression is at most q.

    [bold]Exit status:[/bold]  0 nothing regressed, 1 something regressed (or its data are wrong now), 2 usage error.
    """
    from gapless.lab.agreement import agreement
    from gapless.lab.compare import compare_runs
    from gapless.lab.run_file import read_run

    runs = read_run(old), read_run(new)
    found = compare_runs(*runs, tolerance, q, absolute)
    verdicts = agreement(*runs, tolerance, q)
    if absolute:
        print("gapless: warning: times are compared, so a busier machine looks like a regression", file=sys.stderr)
    for note in differences(runs[0].environment, runs[1].environment):
        print(f"gapless: warning: {note}", file=sys.stderr)
    if style is Format.JSON:
        print(
            json.dumps(
                as_json(found, every) | {"verdicts": verdicts.as_json(), "tolerance": tolerance, "q": q},
                indent=1,
                ensure_ascii=False,
            )
        )
    elif style is Format.TSV:
        print_tsv(found, every)
    else:
        print_text(found, every)
        for one, other in verdicts.flipped:
            print(f"{one.mpi} {one.row.test} {one.row.case} {one.row.pattern} {one.row.bytes}: {one.verdict} "
                  f"(×{one.ratio:.2f}), then {other.verdict} (×{other.ratio:.2f})")  # fmt: skip
        print(verdicts)
    raise typer.Exit(REGRESSED if found.regressed else NOTHING_REGRESSED)


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Name what makes two runs hard to compare: another machine, kernel, or way to measure."""
    names = {"cpu": "processor", "cores": "number of cores", "governor": "frequency governor", "kernel": "kernel",
             "two_nodes": "number of nodes", "preset": "preset"}  # fmt: skip
    before, after = dict(old), dict(new)
    for name, text in {"ranks": "number of ranks", "plant": "planted factor"}.items():
        names[name] = text
        before[name], after[name] = (of.get("settings", {}).get(name) for of in (old, new))
    return [
        f"the {text} differs: {before.get(name)}, then {after.get(name)}"
        for name, text in names.items()
        if before.get(name) != after.get(name)
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
    from rich.measure import Measurement

    from gapless.display import console, plain_table

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
        out.width = max(out.width, Measurement.get(out, out.options.update(width=1000), table).maximum)
        out.print(table, markup=False)
    for line in found.broken:
        out.print(f"now wrong: {line}", markup=False, soft_wrap=True)
    for which, subjects in (("OLD", found.only_old), ("NEW", found.only_new)):
        if subjects:
            out.print(f"only in {which}: {len(subjects)} rows, for example {subjects[0].mpi} "
                      f"{subjects[0].place.text} {subjects[0].member}", markup=False, soft_wrap=True)  # fmt: skip
    out.print(", ".join(f"{number} {change}" for change, number in counts(found).items()), soft_wrap=True)
