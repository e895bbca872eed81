"""`gapless measure alltoall`: what the shell sees of all-to-alls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from gapless.cli.experiment import (
    EXTENT,
    FAILED,
    KEPT,
    MPI,
    SHOWN,
    WHERE,
    known,
    measure,
    numbers,
    out_option,
    say,
    settings_of,
    show_rows,
    words,
)
from gapless.cli.options import Data, Row, with_options
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.measure import Session

OPTIONS = (
    Row("preset", str, "standard", "quick (3 minutes at most), standard (30 minutes at most), or paper (Träff's)."),
    MPI,
    Row("sizes", str, None, "Of a block [bytes], whole integers.", metavar="NUMBERS"),
    Row("problems", str, None, "regular, as-irregular (the same through MPI_Alltoallv), random; with commas.",
        metavar="NAMES"),
    Row("algorithms", str, None, "basic, zero-copy, least-slots, ..., also zero-copy/types or /staged (default: all).",
        metavar="NAMES"),
    Row("ranks", int, None, "Processes (default: 2); more than cores measure waiting, and that is said.", min=1),
    Row("in_place", bool, False, "With MPI_IN_PLACE (of equal blocks alone).", "--in-place"),
    Row("data", Data, None, "fresh: all write before each call (default); constant: never again (preset paper)."),
    *EXTENT, *WHERE, out_option("alltoall"), *KEPT, *SHOWN,
    Row("count", str, None, "Measure nothing: count rounds, messages, blocks, copies and slots for such numbers of "
        "processes, 2,36 or 1-1024, and compare them with the theorems.", metavar="NUMBERS"),
    Row("simulate", str, None, "Measure nothing here: simulate a cluster of so many nodes by SimGrid "
        "(tools/simgrid.sh), 36,80,256,1024.", metavar="NUMBERS"),
)  # fmt: skip


@with_options(OPTIONS)
def alltoall(given: SimpleNamespace) -> None:
    """Time all-to-alls by every algorithm of libgapless_mpi and by the MPI library, once and persistent.

    Bruck's algorithm and its zero-copy forms, by datatypes or packed; direct messages; ours with the least memory; MPI
    4's persistent all-to-all beside ours; irregular algorithms on equal and on random blocks; making datatypes alone;
    natively and with the layer. What schedules do is counted and compared with the theorems (docs/methods/alltoall.md).

    [bold]Examples:[/bold]
      gapless measure alltoall --preset quick --mpi mpich,openmpi,intel --out results/alltoall
      gapless measure alltoall --problems regular --algorithms basic,zero-copy/types --sizes 64,40000 --launches 8
      gapless measure alltoall --preset paper --mpi openmpi
      gapless measure alltoall --count 1-1024
      gapless measure alltoall --simulate 36,80,256,1024 --out docs/results/alltoall

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed, data were wrong or a theorem does not hold (the rest is
    recorded); 2 usage; 130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.lab.alltoall.names import REGULAR
    from gapless.lab.alltoall.settings import PRESETS, PROBLEMS

    if given.count and given.simulate:
        raise GaplessError("--count and --simulate exclude each other", "leave one of them out")
    if given.count:
        _count(given)
        return
    sizes = numbers(given.sizes, "--sizes")
    if any(size % 4 for size in sizes):
        raise GaplessError(f"--sizes {given.sizes}: an integer has 4 bytes", "name multiples of 4")
    if given.simulate:
        _simulate(given, sizes)
        return
    algorithms = words(given.algorithms)
    for word in algorithms:
        name, _, how = word.partition("/")
        known([name], REGULAR, "--algorithms")
        known([how or "types"], ("types", "staged"), f"--algorithms {word}: behind the stroke")
    settings = settings_of(
        given, OPTIONS, PRESETS, sizes=sizes, problems=known(words(given.problems), PROBLEMS, "--problems"),
        algorithms=algorithms, ranks=given.ranks, in_place=given.in_place or None,
        data=given.data.value if given.data else None,
    )  # fmt: skip
    measure(settings, given, lambda session: _show(session, given.json))


def _show(session: Session, as_json: bool) -> None:
    from gapless.lab.alltoall.points import points_of
    from gapless.lab.alltoall.report import print_report, rows_of, tsv
    from gapless.lab.alltoall.theorems import counted

    if not session.run().counts:
        for line in counted(session.targets[0].library):
            session.recorder.add(line)
    run = session.run()
    points = points_of(run)
    show_rows(as_json, rows_of(points), lambda: tsv(points), lambda out: print_report(out, points, [run]))


def ranges(text: str, option: str) -> list[int]:
    """Return the numbers of a list that may have ranges: 1-4,36."""
    found: list[int] = []
    for word in words(text):
        first, dash, last = word.partition("-")
        ends = numbers(f"{first},{last}" if dash else first, option)
        if len(ends) != (2 if dash else 1) or ends[0] > ends[-1]:
            raise GaplessError(f"{option} {text}: '{word}' is no range", f"write for example {option} 1-1024")
        found += range(ends[0], ends[-1] + 1)
    return found


def _count(given: SimpleNamespace) -> None:
    from gapless.lab.alltoall.theorems import HEADS, check, counted, sentence, table_of
    from gapless.lab.ways.report import Told, print_tables
    from gapless.targets.libraries import find_library

    lines = counted(find_library((words(given.mpi) or [None])[0]), ranges(given.count, "--count"))
    cells = table_of(lines)
    rows = [dict(line, theorem="; ".join(check(line).wrong) or "holds") for line in lines]
    show_rows(
        given.json, rows, lambda: "".join("\t".join(row) + "\n" for row in (list(HEADS), *cells)),
        lambda out: print_tables(out, [Told("What the schedules do", HEADS, cells)]),
    )  # fmt: skip
    say(sentence(lines))
    if any(check(line).wrong for line in lines):
        raise typer.Exit(FAILED)


def _simulate(given: SimpleNamespace, sizes: list[int]) -> None:
    from gapless.lab.alltoall.simulation import simulate

    simulate(numbers(given.simulate, "--simulate"), sizes, given.out or Path("results/simulated-alltoall"), say)
