"""`gapless advise TYPE`: which way to send a datatype is the fastest on a library, and the lines to write."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gapless.cli.options import EagerOption, JsonOption, LauncherOption, TwoNodesOption
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.advice.settings import AdviceSettings
    from gapless.lab.advice.verdict import Advice
    from gapless.lab.interval import Interval
    from gapless.lab.measure import Session
    from gapless.lab.run_file import Run

FAILED, INVALID, INTERRUPTED = 1, 2, 130
LAUNCHES = 8
LANGUAGES = {"c": "C", "fortran": "Fortran", "none": ""}


def advise(
    type_text: Annotated[str, typer.Argument(metavar="TYPE", help="The type as text (docs/notation.md).")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many of it a message has.")] = 1,
    mpi: Annotated[
        str | None, typer.Option("--mpi", metavar="NAMES", help="mpich, openmpi, intel, /path/to/mpicc; with commas.")
    ] = None,
    stored: Annotated[
        list[Path] | None,
        typer.Option("--from", metavar="DIR", help="Measure nothing: use stored runs of 'gapless measure vector' "
                     "and 'apps', or of advise; repeatable."),
    ] = None,
    launches: Annotated[int, typer.Option(min=2, help="Launches of each library: the replicates.")] = LAUNCHES,
    layer: Annotated[bool, typer.Option("--layer/--no-layer", help="Also with the Gapless layer.")] = True,
    language: Annotated[
        str, typer.Option("--language", metavar="NAME", help="Of the lines to write: c, fortran, or none.")
    ] = "c",
    launcher: LauncherOption = None,
    two_nodes: TwoNodesOption = False,
    eager: EagerOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the samples there, for 'gapless report' and --from."),
    ] = None,
    json: JsonOption = False,
) -> None:  # fmt: skip
    """Advise how to send a datatype: as such, through MPI_Pack or packed by hand, from what count on, by how much.

    Measures for some seconds on the libraries named, at the count asked for and at others around it; says so where
    nothing is decided; and prints the lines of C or Fortran to write.

    [bold]Examples:[/bold]

      gapless advise 'vector(1000, 1, 2, double)'

      gapless advise 'subarray([64, 64, 64], [64, 64, 1], [0, 0, 0], C, double)' --mpi mpich,openmpi,intel

      gapless advise 'indexed_block(3, [0, 30, 9, 60], double)' --count 100 --language fortran

      gapless advise 'vector(1000, 1, 2, double)' --two-nodes --out results/advice

      gapless advise 'vector(1000, 1, 2, double)' --from results/vector --mpi mpich

    [bold]Exit status:[/bold] 0 advised, also if nothing is decided; 1 a launch failed or data were wrong; 2 usage;
    130 interrupted.
    """
    from gapless.lab.advice.settings import AdviceSettings

    if language not in LANGUAGES:
        raise GaplessError(f"--language: there is no '{language}'", f"there are {', '.join(LANGUAGES)}")
    if stored and (out or two_nodes or eager or launcher or not layer or launches != LAUNCHES):
        raise GaplessError(
            "--from measures nothing: --out, --two-nodes, --eager, --launcher, --launches and --no-layer say how to",
            "leave them or --from out",
        )
    settings = AdviceSettings(type_text=_canonical(type_text), count=count, launches=launches, layer=layer)
    try:
        settings.plan()
    except OverflowError:
        raise GaplessError(f"{count} of {type_text} are more than 64 bits of bytes", "name a smaller --count") from None
    if stored:
        _from_stored(stored, settings, mpi, language, json)
        return
    asked = {"mpi": mpi, "launcher": launcher, "two_nodes": two_nodes, "eager": eager}
    session, interrupted = _measured(settings, asked, out)
    _show(session, settings, language, json, interrupted)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if session.failed:
        raise typer.Exit(FAILED)


def _canonical(text: str) -> str:
    """Return the type as the notation prints it; an error of the text is a usage error, and shows where."""
    import sys

    import gapless

    try:
        return str(gapless.Datatype(text))
    except ValueError as error:
        print(f"gapless: error: {error}", file=sys.stderr)
        raise typer.Exit(INVALID) from None


def _measured(settings: AdviceSettings, asked: dict[str, Any], out: Path | None) -> tuple[Session, bool]:
    """Measure, in a folder that goes unless one is named; return the session and whether it was interrupted."""
    import shlex
    import sys
    import tempfile

    from gapless.cli.experiment import end_as_by_ctrl_c, say, was_interrupted
    from gapless.lab.live import Display
    from gapless.lab.measure import new_session
    from gapless.targets.chosen import targets
    from gapless.targets.eager import eager_bytes

    end_as_by_ctrl_c()
    with (
        tempfile.TemporaryDirectory(prefix="gapless-advise-") as folder,
        targets(asked["mpi"], asked["launcher"], asked["two_nodes"], say, eager_bytes(asked["eager"])) as found,
        Display() as display,
    ):
        session = new_session(
            out or Path(folder), settings, found, f"gapless {shlex.join(sys.argv[1:])}", asked, display
        )
        interrupted = was_interrupted(session)
    for sentence in [*session.failed, *(["interrupted"] if interrupted else [])]:
        say(sentence)
    if out:
        say(f"samples in {out}; 'gapless report {out}' shows them")
    return session, interrupted


def _show(session: Session, settings: AdviceSettings, language: str, json: bool, interrupted: bool) -> None:
    from gapless.lab.advice.verdict import advice_of
    from gapless.lab.ways.points import points_of
    from gapless.lab.ways.report import by_library

    points = points_of(session.run())
    found = [
        advice for of in by_library(points).values() if (advice := advice_of(of, settings.count)) is not None
    ]  # fmt: skip
    if not found and not interrupted:
        raise GaplessError(_why_nothing(session.run(), settings.count), "name another --count or --mpi")
    if json:
        print(json_module.dumps([_as_json(advice) for advice in found], indent=1))
        return
    # Nothing was measured: it failed, or was interrupted.
    if not found:
        return
    from gapless.display import console
    from gapless.lab.advice.story import STORY, sentences_of
    from gapless.lab.ways.report import print_tables

    print_tables(console(), STORY.tables(points))
    for advice in found:
        for sentence in sentences_of(advice):
            print(sentence)
    _print_lines(settings, [advice.native.way for advice in found], language)


def _why_nothing(run: Run, count: int) -> str:
    """Say why there is no advice: the library or the lab refused the message, or its launches failed."""
    reasons = [line["reason"] for line in run.refused if line.get("group") == str(count)]
    return f"nothing was measured: {reasons[0]}" if reasons else "nothing was measured"


def _as_json(advice: Advice) -> dict[str, Any]:
    def interval(of: Interval | None) -> dict[str, float | None] | None:
        return None if of is None else of.as_json()

    native = advice.native
    return {
        "mpi": advice.mpi, "bytes": advice.point.bytes, "launches": advice.point.launches,
        "us": {way: advice.point.us(way) for way in advice.point.times}, "fastest_native": native.way,
        "decided": native.decided, "second": native.second, "lead": interval(native.lead), "since_count": advice.since,
        "native_to_layer": interval(advice.to_layer), "with_layer": advice.with_layer,
    }  # fmt: skip


def _print_lines(settings: AdviceSettings, ways: list[str], language: str) -> None:
    """Print the lines of each way that is the fastest somewhere."""
    if language == "none":
        return
    from gapless.lab.advice.lines import lines
    from gapless.lab.advice.settings import NATIVE

    names = dict(zip(NATIVE, ("datatype", "pack", "by hand"), strict=True))
    for way in dict.fromkeys(ways):
        mark = "!" if language == "fortran" else "//"
        print(f"\n{mark} {names[way]}")
        print(lines(settings.type_text, settings.count, names[way], LANGUAGES[language]), end="")


def _from_stored(stored: list[Path], settings: AdviceSettings, mpi: str | None, language: str, json: bool) -> None:
    import gapless
    from gapless.cli.experiment import known as known_words
    from gapless.cli.experiment import words
    from gapless.lab.advice.settings import run_bytes
    from gapless.lab.advice.stored import KNOWN, known_of, predict
    from gapless.lab.advice.story import DOES
    from gapless.lab.run_file import read_run

    known = [one for path in stored for one in known_of(read_run(path))]
    if not known:
        raise GaplessError(
            "the stored runs say nothing of datatypes within a node",
            f"name runs of {', '.join(KNOWN)} (of advise with --out), without --two-nodes and --eager",
        )
    there_are = list(dict.fromkeys(one.mpi for one in known))
    libraries = known_words(words(mpi), there_are, "--mpi") or there_are
    datatype = gapless.Datatype(settings.type_text)
    size, run = datatype.size * settings.count, run_bytes(datatype, settings.count)
    found = {name: predict(known, name, size, run) for name in libraries}
    if json:
        print(json_module.dumps([
            {"mpi": name, "bytes": size, "run_bytes": run, "fastest_native": of.way, "decided": of.way is not None,
             "ratios_to_array": of.ratios, "from": [near.name for near in of.neighbours]}
            for name, of in found.items()
        ], indent=1))  # fmt: skip
        return
    for name, of in found.items():
        near = ", ".join(one.name for one in of.neighbours) or "none near enough"
        if of.way is None:
            print(f"{name}, {size} bytes in runs of {run}: not decided by stored messages ({near}); leave --from out")
            continue
        ratios = ", ".join(f"{DOES[way]}: {ratio:.2f}" for way, ratio in of.ratios.items())
        print(f"{name}, {size} bytes in runs of {run}: {DOES[of.way]} (by {near}; ratios to an array: {ratios})")
    _print_lines(settings, [of.way for of in found.values() if of.way], language)
