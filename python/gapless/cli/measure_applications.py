"""`gapless measure applications`: what the shell sees of the whole applications."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from gapless.cli.experiment import (
    FAILED,
    INTERRUPTED,
    MPI,
    end_as_by_ctrl_c,
    known,
    numbers,
    out_option,
    results_folder,
    say,
    words,
)
from gapless.cli.options import Row, with_options

if TYPE_CHECKING:
    from gapless.lab.applications.judged import Row as Judged

OPTIONS = (
    Row("preset", str, "standard", "quick (2 ranks, one size) or standard (1 to 4 ranks, strong and weak scaling)."),
    MPI,
    Row("programs", str, None, "flow, life, image; with commas.", metavar="NAMES"),
    Row("ranks", str, None, "Only these numbers of ranks of the preset.", metavar="NUMBERS"),
    Row("size", str, None, "Another field, in all or (weak scaling) on each rank.", metavar="N|RxC"),
    Row("steps", int, None, "Exchanges of each combination in a launch.", min=1),
    Row("launches", int, None, "Launches of each program, library and scale: the replicates.", min=1),
    Row("layer", bool, True, "Also measure under the Gapless layer."),
    out_option("applications"),
    Row("seed", int, 1, "Of all random orders.", min=0, max=2**31),
    Row("json", bool, False, "Print the judged rows as JSON and nothing else.", "--json"),
)


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

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed, or results differ (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept).
    """
    from dataclasses import replace

    from gapless.errors import GaplessError
    from gapless.lab.applications.catalogue import PRESETS, PROGRAMS
    from gapless.lab.applications.judged import rows_of
    from gapless.lab.applications.measure import measure
    from gapless.lab.environment import environment_line
    from gapless.lab.results import Recorder
    from gapless.lab.run_file import NAME
    from gapless.targets.chosen import targets

    (name,) = known([given.preset], PRESETS, "--preset")
    preset, only = PRESETS[name], numbers(given.ranks, "--ranks")
    scales = [scale for scale in preset.scales if not only or scale.ranks in only]
    if not scales:
        raise GaplessError(f"--ranks {given.ranks}: the preset '{name}' has none of them", "name others, or a preset")
    if given.size:
        scales = [replace(scale, size=given.size) for scale in scales]
    programs = known(words(given.programs), PROGRAMS, "--programs") or list(PROGRAMS)
    folder = given.out or results_folder("applications")
    if (folder / NAME).exists():
        raise GaplessError(f"{folder / NAME} holds a run already", "name another folder with --out")
    end_as_by_ctrl_c()
    failed: list[str] = []
    interrupted = False
    with targets(given.mpi, None, False, say, programs=[f"examples/applications/{one}" for one in programs]) as found:
        recorder = Recorder(folder / NAME)
        head = environment_line(found[0].library, f"gapless {shlex.join(sys.argv[1:])}")
        libraries = {target.name: target.facts for target in found}
        recorder.add(head | {"settings": {"experiment": "applications", "preset": name}, "libraries": libraries})
        launches, steps = given.launches or preset.launches, given.steps or preset.steps
        many = launches * len(scales) * len(programs) * sum(1 + (given.layer and target.layer) for target in found)
        try:
            with _progress(many) as now:
                failed = measure(
                    found, scales, programs, launches, steps, given.layer, given.seed, recorder, now
                )  # fmt: skip
        except KeyboardInterrupt:
            interrupted = True
    _show(rows_of(recorder.lines), given.json)
    for sentence in failed:
        say(sentence)
    say(f"{'interrupted; ' if interrupted else ''}times in {folder}; 'gapless report {folder}' shows them")
    raise typer.Exit(INTERRUPTED if interrupted else FAILED if failed else 0)


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
