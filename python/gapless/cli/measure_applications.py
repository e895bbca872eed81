"""`gapless measure applications`: what the shell sees of the whole applications."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from gapless.cli.experiment import (
    FAILED,
    INTERRUPTED,
    MPI,
    WHERE,
    budget,
    end_as_by_ctrl_c,
    known,
    numbers,
    out_option,
    refuse_beside_resume,
    results_folder,
    say,
    words,
)
from gapless.cli.options import Row, with_options

if TYPE_CHECKING:
    from gapless.lab.applications.catalogue import Scale
    from gapless.lab.applications.judged import Row as Judged
    from gapless.lab.applications.settings import Settings
    from gapless.lab.results import Line

OPTIONS = (
    Row("preset", str, "standard", "quick (2 ranks, one size) or standard (1 to 4 ranks, strong and weak scaling)."),
    MPI,
    Row("programs", str, None, "flow, life, image; with commas.", metavar="NAMES"),
    Row("ranks", str, None, "Only these numbers of ranks of the preset.", metavar="NUMBERS"),
    Row("size", str, None, "Another field, in all or (weak scaling) on each rank.", metavar="N|RxC"),
    Row("steps", int, None, "Exchanges of each combination in a launch.", min=1),
    Row("launches", int, None, "Launches of each program, library and scale: the replicates.", min=1),
    Row("budget", str, None, "No round of launches is begun that would end later: 90s, 10m, 1h.", metavar="TIME"),
    Row("layer", bool, True, "Also measure under the Gapless layer."),
    *WHERE,
    out_option("applications"),
    Row("resume", Path, None, "Go on with the run there, with its own settings.", metavar="DIR"),
    Row("seed", int, None, "Of all random orders.", min=0, max=2**31),
    Row("listed", bool, False, "Print what would be launched, and leave.", "--list"),
    Row("json", bool, False, "Print the judged rows as JSON and nothing else.", "--json"),
)
RESUMABLE = ("preset", "launches", "budget", "resume", "listed", "json")


@with_options(OPTIONS)
def applications(given: SimpleNamespace) -> None:
    """Run three applications with halos packed by hand or described as a datatype, and say which way wins.

    A Jacobi flow solver, the Game of Life and the reconstruction of an image, ordinary MPI programs; halos by hand, by
    MPI_Type_vector and MPI_Type_create_subarray; sent by MPI_Irecv, MPI_Isend and MPI_Waitall, by
    MPI_Neighbor_alltoallw and by persistent requests; natively and under the layer. All results must have the same bits
    (docs/methods/applications.md).

    [bold]Examples:[/bold]
      gapless measure applications --preset quick --mpi mpich,openmpi,intel
      gapless measure applications --programs flow --ranks 2,4 --launches 9 --mpi openmpi
      gapless measure applications --preset quick --two-nodes --launches 15 --budget 10m

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed, or results differ (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept, --resume goes on).
    """
    from gapless.errors import GaplessError
    from gapless.lab.applications.judged import rows_of
    from gapless.lab.applications.measure import measure
    from gapless.lab.environment import environment_line, require_same
    from gapless.lab.results import Recorder, read
    from gapless.lab.run_file import NAME
    from gapless.targets.chosen import targets
    from gapless.targets.eager import eager_bytes

    head = _stored(given) if given.resume else {}
    settings = _settings(given, head)
    if given.listed:
        _list(settings)
        return
    folder = given.resume or given.out or results_folder("applications")
    if not given.resume and (folder / NAME).exists():
        raise GaplessError(f"{folder / NAME} holds a run already", "name another folder with --out, or --resume it")
    asked = head.get("asked") or {name: getattr(given, name) for name in ("mpi", "launcher", "two_nodes", "eager")}
    end_as_by_ctrl_c()
    failed: list[str] = []
    rounds, interrupted = settings.launches, False
    with targets(
        asked["mpi"], asked["launcher"], asked["two_nodes"], say, eager_bytes(asked["eager"]),
        [f"examples/applications/{one}" for one in settings.programs],
    ) as found:  # fmt: skip
        recorder = Recorder(folder / NAME)
        libraries = {target.name: target.facts for target in found}
        if given.resume:
            require_same(folder, head, libraries)
            recorder.lines = read(folder / NAME)
        else:
            line = environment_line(found[0].library, f"gapless {shlex.join(sys.argv[1:])}")
            line |= {"settings": settings.as_json(), "asked": asked, "two_nodes": asked["two_nodes"]}
            recorder.add(line | {"libraries": libraries})
        try:
            with _progress(len(_launches(settings)) * sum(1 + (settings.layer and of.layer) for of in found)) as now:
                failed, rounds = measure(found, settings, recorder, now)
        except KeyboardInterrupt:
            interrupted = True
    _show(rows_of(recorder.lines), given.json)
    for sentence in failed:
        say(sentence)
    if rounds < settings.launches:
        say(f"the budget ended it: {rounds} of {settings.launches} launches")
    goes_on = f"; '--resume {folder}' goes on" if interrupted or rounds < settings.launches else ""
    say(f"{'interrupted; ' if interrupted else ''}times in {folder}; 'gapless report {folder}' shows them{goes_on}")
    raise typer.Exit(INTERRUPTED if interrupted else FAILED if failed else 0)


def _stored(given: SimpleNamespace) -> Line:
    """Return the head of the run that goes on; GaplessError if something stands beside it that a run cannot change."""
    from gapless.lab.applications.settings import stored_head
    from gapless.lab.results import read
    from gapless.lab.run_file import NAME

    refuse_beside_resume(given, OPTIONS, RESUMABLE, "--launches or --budget")
    return stored_head(given.resume, read(given.resume / NAME))


def _settings(given: SimpleNamespace, head: Line) -> Settings:
    """Return what is measured: the preset's or the stored run's, as the command line changes it."""
    from dataclasses import replace

    from gapless.lab.applications.catalogue import PRESETS, PROGRAMS
    from gapless.lab.applications.settings import Settings

    seconds = budget(given.budget, given.launches)  # who names launches and no time wants them all
    (name,) = known([given.preset], PRESETS, "--preset")
    begun = Settings.from_json(head["settings"]) if head else Settings.of(name, PRESETS[name])
    begun = begun.with_ranks(numbers(given.ranks, "--ranks"))
    if given.size:
        begun = replace(begun, scales=tuple(replace(scale, size=given.size) for scale in begun.scales))
    return replace(
        begun,
        programs=tuple(known(words(given.programs), PROGRAMS, "--programs")) or begun.programs,
        launches=given.launches or begun.launches,
        steps=given.steps or begun.steps,
        layer=begun.layer and given.layer,
        seed=begun.seed if given.seed is None else given.seed,
        budget_s=begun.budget_s if seconds is None else seconds,
    )


def _launches(settings: Settings) -> list[tuple[int, Scale, str]]:
    """Return what is launched on each library, natively and under the layer."""
    from itertools import product

    return list(product(range(1, settings.launches + 1), settings.scales, settings.programs))


def _list(settings: Settings) -> None:
    """Print what would be launched, tab-separated, and what is done in each launch."""
    from gapless.lab.applications.catalogue import CALLS, WAYS

    print("launch", "program", "ranks", "size", "weak", "steps", "layer", sep="\t")
    for number, scale, program in _launches(settings):
        told = (number, program, scale.ranks, scale.size, "yes" if scale.weak else "no", settings.steps)
        print(*told, "off,on" if settings.layer else "off", sep="\t")
    print(f"gapless: in each launch {', '.join(WAYS)} by {', '.join(CALLS)}", file=sys.stderr)


@contextmanager
def _progress(many: int) -> Iterator[Callable[[str], None]]:
    """Show a bar; what is yielded is told what is launched next."""
    from rich.progress import Progress

    from gapless.display import console

    with Progress(console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("measuring", total=many)
        begun = 0

        def now(text: str) -> None:
            nonlocal begun
            progress.update(task, description=text, completed=begun)
            begun += 1

        yield now


def _show(rows: list[Judged], as_json: bool) -> None:
    from gapless.display import console
    from gapless.lab.applications.tables import print_rows, tsv

    if as_json:
        print(json.dumps([row.as_json() for row in rows], indent=1))
    elif not sys.stdout.isatty():
        print(tsv(rows), end="")
    else:
        print_rows(console(), rows)
