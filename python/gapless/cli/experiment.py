"""What the shell sees of every experiment of the lab: its common options, a run that goes on, and what ends it."""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from gapless.cli.options import EagerOption, LauncherOption, Row, TwoNodesOption
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from rich.console import Console

    from gapless.lab.experiment import Experiment
    from gapless.lab.measure import Session

FAILED, INTERRUPTED = 1, 130

Kind = TypeVar("Kind", bound="Experiment")

MPI = Row("mpi", str, None, "mpich, openmpi, intel (installed on demand), /path/to/mpicc, or a prefix; with commas.",
          metavar="NAMES")  # fmt: skip
# How much is measured.
EXTENT = (
    Row("layer", bool, True, "Also measure everything with the Gapless layer on, interleaved."),
    Row("launches", int, None, "Launches of each library (default: as the power asks, in the budget).", min=2),
    Row("budget", str, None, "For all libraries: 90s, 10m, 1h; 0: no limit.", metavar="TIME"),
    Row("power", float, None, "How surely a row without a difference is decided.", min=0.05, max=0.999),
    Row("tolerance", float, None, "What still counts as equal.", min=0.001, max=10),
)
# Where, and what becomes of it.
WHERE = (
    Row.of("launcher", LauncherOption, None),
    Row.of("two_nodes", TwoNodesOption, False),
    Row.of("eager", EagerOption, None),
)
KEPT = (
    Row("resume", Path, None, "Go on with the run there, with its own settings.", metavar="DIR"),
    Row("seed", int, None, "Of all random orders.", min=0, max=2**40),
)
SHOWN = (
    Row("listed", bool, False, "Print what would be measured and what is refused, and leave.", "--list"),
    Row("json", bool, False, "Print the judged rows as JSON and nothing else.", "--json"),
)
# What --resume does not refuse beside it.
RESUMABLE = ("preset", "layer", "launches", "budget", "power", "resume", "listed", "json")


def out_option(name: str) -> Row:
    """Return the option that names the folder of the results of this experiment."""
    return Row("out", Path, None, f"Where results go (default: results/<time>-{name}).", metavar="DIR")


def results_folder(name: str) -> Path:
    """Return where the results of a run go that begins now, if it is not told."""
    return Path("results") / f"{datetime.now():%Y%m%d-%H%M%S}-{name}"


def say(text: str) -> None:
    """Print a sentence for people, on the error stream."""
    from gapless.display import console

    console(stderr=True).print(f"gapless: {text}", soft_wrap=True, markup=False)


def end_as_by_ctrl_c() -> None:
    """Let a time limit of a CI, or a closed terminal, end a run as Ctrl-C does.

    Ranks end, and what was measured is kept.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)


def words(text: str | None) -> list[str]:
    """Return the words of a list with commas."""
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def numbers(text: str | None, option: str) -> list[int]:
    """Return the positive numbers of a list with commas."""
    try:
        found = [int(word) for word in words(text)]
    except ValueError:
        found = [0]
    if any(number < 1 for number in found):
        raise GaplessError(f"{option} {text}: that is no list of positive numbers", f"write for example {option} 2,10")
    return found


def known(given: list[str], there_are: Collection[str], option: str) -> list[str]:
    """Return the words, if there are such."""
    for word in given:
        if word not in there_are:
            raise GaplessError(f"{option}: there is no '{word}'", f"there are {', '.join(there_are)}")
    return given


def budget(text: str | None, launches: int | None) -> float | None:
    """Read 90, 90s, 10m or 1h [s]; who names a number of launches and no time wants them all."""
    if text is None:
        return 0.0 if launches else None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", text)
    if match is None:
        raise GaplessError(f"--budget {text}: that is no time", "write for example --budget 10m (0: no limit)")
    return float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2]]


def refuse_beside_resume(given: SimpleNamespace, options: Sequence[Row], resumable: Sequence[str], may: str) -> None:
    """Raise GaplessError if an option that a run cannot change stands beside --resume; `may` names those that can."""
    for row in options:
        if row.name not in resumable and getattr(given, row.name) != row.default:
            raise GaplessError(
                f"--resume goes on with a run as it was begun, not with another {row.flag}",
                f"name {may} beside it, or begin a new run",
            )


def begun_with(given: SimpleNamespace, options: Sequence[Row], presets: Mapping[str, Kind]) -> Kind:
    """Return the settings of the preset, or of the run that goes on, before the command line changes them.

    Raises
    ------
    GaplessError
        If there is no such preset, if --resume stands beside what a run cannot change, or if the run there is of
        another experiment.
    """
    from gapless.lab.experiment import stored_settings

    if given.preset not in presets:
        raise GaplessError(f"no preset is called '{given.preset}'", f"there are {', '.join(presets)}")
    if not given.resume:
        return presets[given.preset]
    refuse_beside_resume(given, options, RESUMABLE, "--launches, --budget or --power")
    stored = stored_settings(given.resume)
    if not isinstance(stored, type(presets[given.preset])):
        raise GaplessError(
            f"{given.resume} is a run of '{stored.experiment}'",
            f"go on with it by 'gapless measure {stored.experiment} --resume {given.resume}'",
        )
    return stored


def settings_of(given: SimpleNamespace, options: Sequence[Row], presets: Mapping[str, Kind], **own: object) -> Kind:
    """Return the settings of the preset, or of the run that goes on, with what was given changed.

    Parameters
    ----------
    given : SimpleNamespace
        What `EXTENT` and `KEPT` name, and what `begun_with` wants.
    options, presets
        Those of the command.
    own
        What the experiment has beside them; None and empty lists change nothing.
    """
    from gapless.lab.experiment import changed

    return changed(
        begun_with(given, options, presets),
        budget_s=budget(given.budget, given.launches), layer=None if given.layer else False,
        **{name: getattr(given, name) for name in ("launches", "power", "tolerance", "seed")}, **own,
    )  # fmt: skip


def list_plan(settings: Experiment) -> None:
    """Print every row that would be measured, tab-separated, and what is refused."""
    plan = settings.plan()
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


def was_interrupted(session: Session) -> bool:
    """Measure; return whether Ctrl-C ended it."""
    try:
        session.measure()
    except KeyboardInterrupt:
        return True
    return False


def show_rows(
    as_json: bool, rows: Sequence[Mapping[str, Any]], tsv: Callable[[], str], tables: Callable[[Console], None]
) -> None:
    """Print rows as JSON, if that is asked for; tab-separated in a pipe; as tables on a terminal."""
    from gapless.display import console

    if as_json:
        print(json.dumps(rows, indent=1))
    elif not sys.stdout.isatty():
        print(tsv(), end="")
    else:
        tables(console())


def measure(settings: Experiment, given: SimpleNamespace, show: Callable[[Session], None]) -> None:
    """List what would be measured; or measure, or go on: show what came of it, and leave with the exit status.

    Parameters
    ----------
    settings : Experiment
        What is measured.
    given : SimpleNamespace
        listed, mpi, launcher, two_nodes, eager, out, resume.
    show : callable
        Prints the result on standard output, also of a run that was interrupted.
    """
    if given.listed:
        list_plan(settings)
        return
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session, resumed_session
    from gapless.lab.results import of_kind, read
    from gapless.lab.run_file import NAME
    from gapless.targets.chosen import targets
    from gapless.targets.eager import eager_bytes

    resume, asked = given.resume, {name: getattr(given, name) for name in ("mpi", "launcher", "two_nodes", "eager")}
    folder = resume or given.out or results_folder(settings.experiment)
    if resume:
        asked = of_kind(read(resume / NAME), "environment")[0]["asked"]
    end_as_by_ctrl_c()
    with (
        targets(
            asked["mpi"],
            asked["launcher"],
            asked["two_nodes"],
            say,
            eager_bytes(asked.get("eager")),
            (settings.program,),
        ) as found,
        Display() as display,
    ):
        for target in found:
            if settings.layer and not target.layer:
                display.say(f"{target.name} is measured without the layer: {target.reason}")
        if resume:
            session = resumed_session(folder, settings, found, display)
        else:
            session = new_session(folder, settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display)
        interrupted = was_interrupted(session)
    show(session)
    for sentence in [*session.failed, *([session.shortened] if session.shortened else [])]:
        say(sentence)
    say(f"{'interrupted; ' if interrupted else ''}samples in {folder}; 'gapless report {folder}' shows them"
        + (f", '--resume {folder}' goes on" if interrupted or session.shortened else ""))  # fmt: skip
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(FAILED if session.failed else 0)
