"""Runs mpi4py's own test suite on MPI libraries, without the layer and under it, and compares every test's outcome.

python tests/mpi4py/run.py --library openmpi -n 2 --layer force

Exit status 1 if a test that is stable without the layer has another outcome under it, if the layer was not there, or if
a module that can send something through shared memory does not (pairing.py).
"""

from __future__ import annotations

import fnmatch
import json
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from compare import Difference, compare
from gapless.display import console, plain_table
from gapless.errors import GaplessError
from gapless.paths import REPOSITORY
from layer import Layer
from libraries import SUITE, Library, libraries
from pairing import paired_by_module, unpaired_modules
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from suite import SPAWNING, Selection, SuiteRun, all_modules, run_suite

REPETITIONS = 2
# Parts of the names of the modules that call collectives.
COLLECTIVES = ("test_cco_", "test_util_pkl5", "test_msgspec")


class Campaign:
    """One library and one number of ranks: the suite without the layer, and under it in some ways."""

    def __init__(
        self, library: Library, ranks: int, selection: Selection, folder: Path, stall_s: float, spawn: bool
    ) -> None:
        self.library, self.ranks, self.selection = library, ranks, selection
        self.folder, self.stall_s, self.spawn = folder, stall_s, spawn
        self.out = console()

    def run(self, layer: Layer, name: str, modules: tuple[str, ...] | None = None) -> SuiteRun:
        """Run the suite, or only some modules of it, once; keep every test's outcome in a file."""
        began = time.monotonic()
        folder = self.folder / name
        selection = self.selection
        if modules is not None:
            selection = Selection(modules, selection.only, selection.folder)
        title = f"{self.library.name}, {self.ranks} ranks, {name}"
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.out, transient=True, disable=not self.out.is_terminal) as progress:
            task = progress.add_task(title, total=None)
            run = run_suite(
                self.library, self.ranks, layer, selection, folder, self.stall_s, self.spawn,
                lambda done, total: progress.update(task, completed=done, total=total),
            )  # fmt: skip
        with (folder / "tests.jsonl").open("w", encoding="utf-8") as file:
            for test, entry in run.tests.items():
                row = {"library": run.library, "ranks": self.ranks, "layer": layer.value, "test": test}
                row |= {"outcomes": entry.outcomes, "seconds": entry.seconds, "text": entry.text}
                row |= {"paired": entry.paired}
                file.write(json.dumps(row) + "\n")
        kinds = Counter(outcome for entry in run.tests.values() for outcome in set(entry.outcomes))
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        seconds = time.monotonic() - began
        launches = f", {run.launches} launches" if run.launches > 1 else ""
        self.out.print(f"{title}: {len(run.tests)} tests in {seconds:.0f} s{launches}: {said}", soft_wrap=True)
        return run

    def judge(self, without: SuiteRun, layer: Layer) -> bool:
        """Run the suite under the layer, print what differs, and say whether nothing does that is not flaky anyway."""

        def repeat(modules: tuple[str, ...]) -> tuple[list[SuiteRun], SuiteRun]:
            again = self.run(layer, f"{layer.value}-again", modules)
            names = [f"absent-for-{layer.value}-{i + 1}" for i in range(REPETITIONS)]
            return [self.run(Layer.ABSENT, name, modules) for name in names], again

        under = self.run(layer, layer.value)
        differences = compare(without, under, repeat)
        void = under.account.void(layer)
        if differences:
            self.print_differences(differences, layer)
        under.account.write(self.folder / layer.value / "counts.json")
        self.out.print(f"{self.library.name}: {under.account.describe()}", soft_wrap=True)
        known = [difference.test for difference in differences if difference.test in self.library.broken]
        for test in known:
            self.out.print(f"{test}: not judged: {self.library.broken[test]}", soft_wrap=True)
        failures = sum(not difference.flaky and difference.test not in known for difference in differences)
        same = len(under.tests) - len(differences)
        title = f"mpi4py on {self.library.name}, {self.ranks} ranks, {layer.value}"
        line = f"{title}: {same} tests the same, {failures} differ"
        flaky = len(differences) - failures - len(known)
        self.out.print(f"{line}, {flaky} differ without the layer as well" if flaky else line, soft_wrap=True)
        if void:
            self.out.print(f"void: {void}", soft_wrap=True)
        return self.judge_pairing(under, layer) and not failures and not void

    def judge_pairing(self, under: SuiteRun, layer: Layer) -> bool:
        """Print what each module sent through shared memory, and say whether all did that can."""
        counts = paired_by_module(under)
        table = plain_table(
            f"Calls through shared memory, all ranks together ({layer.value})",
            ["module", "messages", "collective calls"],
        )
        for module, (messages, collective) in counts.items():
            if messages or collective:
                table.add_row(module, f"{messages}", f"{collective}")
        if table.row_count:
            self.out.print(table)
        missing = [] if self.selection.only else unpaired_modules(counts, self.ranks, layer)
        for module in missing:
            self.out.print(f"{self.library.name}: {module}: no call was paired", soft_wrap=True)
        return not missing

    def print_differences(self, differences: list[Difference], layer: Layer) -> None:
        """Print a table of differences, one row for each test."""
        table = plain_table(f"What differs ({layer.value})", ["test", "without", "with", "again", "remark"], left=3)
        for row in differences:
            said = (row.text.strip().splitlines() or [""])[-1]
            again = "flaky" if row.flaky else "yes" if row.again else "no"
            table.add_row(row.test, _brief(row.without), _brief(row.under), again, escape(said[:200]))
        self.out.print(table)


def _brief(outcomes: tuple[str, ...]) -> str:
    return outcomes[0] if len(set(outcomes)) == 1 else " / ".join(outcomes)


def _modules(folder: Path, patterns: list[str], exclude: list[str], spawn: bool) -> tuple[str, ...]:
    found = all_modules(folder)
    if patterns:
        found = [name for name in found if any(fnmatch.fnmatch(name, f"*{pattern}*") for pattern in patterns)]
    found = [name for name in found if not any(fnmatch.fnmatch(name, f"*{pattern}*") for pattern in exclude)]
    if not spawn:
        found = [name for name in found if name not in SPAWNING]
    if not found:
        raise GaplessError(f"no module of {folder} is left to run", "see --modules and --exclude")
    return tuple(found)


LibraryOption = Annotated[list[str], typer.Option("--library", "-l", help="mpich, openmpi, impi; may be repeated.")]
LayerOption = Annotated[
    list[Layer] | None, typer.Option("--layer", help="Default: force; may be repeated. 'absent' alone: a baseline.")
]
ModulesOption = Annotated[
    list[str] | None, typer.Option("--modules", "-m", help="Only modules whose name contains this; may be repeated.")
]
ExcludeOption = Annotated[
    list[str] | None, typer.Option("--exclude", "-x", help="No modules whose name contains this; may be repeated.")
]
OnlyOption = Annotated[list[str] | None, typer.Option("--only", help="Only module.Class.test; may be repeated.")]


def main(
    library: LibraryOption,
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="Size of the world.")] = 2,
    layer: LayerOption = None,
    modules: ModulesOption = None,
    exclude: ExcludeOption = None,
    collectives: Annotated[bool, typer.Option("--collectives", help="Only the modules of collectives.")] = False,
    only: OnlyOption = None,
    spawn: Annotated[bool, typer.Option("--spawn", help="Run the tests that spawn processes, too.")] = False,
    stall: Annotated[float, typer.Option(help="Seconds without news after which ranks count as hung.")] = 60.0,
    results: Annotated[Path, typer.Option(help="Where the outcomes go.")] = REPOSITORY / "build" / "mpi4py",
    suite: Annotated[Path, typer.Option(help="The folder of the test modules.")] = SUITE / "test",
) -> None:
    """Compare mpi4py's own test suite without the layer and under it."""
    out = console()
    known = libraries()
    folder = suite.resolve()
    wanted = [*(modules or []), *(COLLECTIVES if collectives else ())]
    chosen = Selection(_modules(folder, wanted, exclude or [], spawn), frozenset(only or []), folder)
    good, compared = True, 0
    for name in library:
        if name not in known:
            raise GaplessError(f"no library is called {name}", f"one of {', '.join(known)}")
        known[name].require()
        if spawn and known[name].no_spawn:
            out.print(f"{name}: skipped: {known[name].no_spawn}", soft_wrap=True)
            continue
        kept = results.resolve() / f"{name}-{ranks}{'-spawn' if spawn else ''}"
        shutil.rmtree(kept, ignore_errors=True)
        campaign = Campaign(known[name], ranks, chosen, kept, stall, spawn)
        without = campaign.run(Layer.ABSENT, "absent")
        for way in layer or [Layer.FORCE]:
            if way is not Layer.ABSENT:
                good = campaign.judge(without, way) and good
                compared += len(without.tests)
        out.print(f"{name}: every outcome is in {kept}/*/tests.jsonl", soft_wrap=True)
    print(f"mpi4py: {compared} tests compared")
    raise typer.Exit(0 if good else 1)


if __name__ == "__main__":
    # Ranks must not outlive us: SIGTERM unwinds the stack as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        app.command()(main)
        app()
    except GaplessError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        sys.exit(2)
