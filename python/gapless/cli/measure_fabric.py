"""`gapless measure fabric`: what the shell sees of layouts between nodes by libfabric."""

from __future__ import annotations

import json
import re
import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from gapless.cli.experiment import (
    FAILED,
    INTERRUPTED,
    SHOWN,
    budget,
    end_as_by_ctrl_c,
    known,
    list_plan,
    numbers,
    out_option,
    results_folder,
    say,
    show_rows,
    words,
)
from gapless.cli.options import Data, Row, with_options
from gapless.errors import GaplessError

if TYPE_CHECKING:
    from gapless.lab.fabric.session import FabricSession
    from gapless.lab.fabric.settings import FabricSettings

OPTIONS = (
    Row("preset", str, "standard", "quick (3 minutes at most), standard (30 minutes at most), or paper (64 B and 4 KB "
        "blocks, constant data)."),
    Row("mpi", list[str], None, "mpich, openmpi, intel, /path/to/mpicc or a prefix, to be measured beside it; "
        "repeatable, or with commas (default: none).", metavar="NAME"),
    Row("provider", str, None, "Of libfabric: tcp (default), shm, which is within one node, or verbs, efa, cxi where "
        "they are.", metavar="NAME"),
    Row("two_nodes", bool, True, "The processes in two network namespaces of this machine (needs root), or both here.",
        "--two-nodes/--one-node"),
    Row("hosts", str, None, "Two nodes of a cluster instead, such as node1,node2: GAPLESS_RSH (ssh) starts the "
        "processes.",
        metavar="NAMES"),
    Row("charge", list[str], None, "A stated cost of registering memory, NS,NS_PER_PAGE, or 0 for none; repeatable "
        "(default: 0 and 20000,200).", metavar="COST"),
    Row("parts", str, None, "map, libraries, kernels, peers; with commas (default: all).", metavar="NAMES"),
    Row("ways", str, None, "host, lists, segments, adaptive; with commas (default: all).", metavar="NAMES"),
    Row("lengths", str, None, "Of blocks [bytes], whole doubles.", metavar="NUMBERS"),
    Row("counts", str, None, "Numbers of blocks.", metavar="NUMBERS"),
    Row("reuse", str, None, "How often a buffer is used before another takes its place.", metavar="NUMBERS"),
    Row("sides", str, None, "both: typed on both sides (default); one: contiguous on rank 1.", metavar="NAME"),
    Row("peers", str, None, "Numbers of processes whose channels are opened.", metavar="NUMBERS"),
    Row("data", Data, None, "fresh: the sender writes its data before each message (default); constant: never again "
        "(preset paper)."),
    Row("launches", int, None, "Launches of each charge and library.", min=2),
    Row("budget", str, None, "For all: 90s, 10m, 1h; 0: no limit.", metavar="TIME"),
    Row("seed", int, None, "Of all random orders.", min=0, max=2**40),
    out_option("fabric"),
    *SHOWN,
)  # fmt: skip


@with_options(OPTIONS)
def fabric(given: SimpleNamespace) -> None:
    """Move layouts between two nodes by libgapless_fabric: each way, and its own choice against the best of them.

    Vectors by length and number of blocks and by the reuse of a buffer, the faces of applications, first use against
    steady state, the share of registering memory, and what channels to many processes hold; without and with a stated
    cost of registrations; beside MPI libraries' own typed sends over the same wire (docs/methods/fabric.md).

    [bold]Examples:[/bold]
      gapless measure fabric --preset quick --mpi mpich --mpi openmpi --out results/fabric
      gapless measure fabric --lengths 64,4096 --counts 640 --reuse 1,16,100 --charge 0 --charge 20000,200 --launches 6
      gapless measure fabric --provider shm --one-node --parts map --budget 5m
      gapless measure fabric --parts peers --peers 2,8,64

    [bold]Exit status:[/bold] 0 measured; 1 a launch failed or data were wrong (the rest is recorded); 2 usage;
    130 interrupted (what was measured is kept).
    """
    settings = _settings(given)
    if given.listed:
        list_plan(settings)
        return
    _measure(settings, given)


def charges(given: list[str] | None) -> tuple[str, ...] | None:
    """Return the stated costs as the settings have them.

    Examples
    --------
    >>> charges(["0", "20000,200"])
    ('', '20000,200')
    """
    if not given:
        return None
    for text in given:
        if not re.fullmatch(r"\d{1,9}(,\d{1,9})?", text):
            raise GaplessError(f"--charge {text}: that is no cost", "write for example --charge 20000,200 (or 0)")
    return tuple(dict.fromkeys("" if set(text) <= set("0,") else text for text in given))


def _settings(given: SimpleNamespace) -> FabricSettings:
    from gapless.lab.experiment import changed
    from gapless.lab.fabric.settings import PARTS, PRESETS, WAYS

    if given.preset not in PRESETS:
        raise GaplessError(f"no preset is called '{given.preset}'", f"there are {', '.join(PRESETS)}")
    lengths = numbers(given.lengths, "--lengths")
    if any(length % 8 for length in lengths):
        raise GaplessError(f"--lengths {given.lengths}: a double has 8 bytes", "name multiples of 8")
    provider = words(given.provider)
    sides = known(words(given.sides), ("both", "one"), "--sides")
    chosen = changed(
        PRESETS[given.preset], lengths=lengths, counts=numbers(given.counts, "--counts"),
        reuse=numbers(given.reuse, "--reuse"), ways=known(words(given.ways), WAYS, "--ways"),
        parts=known(words(given.parts), PARTS, "--parts"), peers=numbers(given.peers, "--peers"),
        provider=provider[0] if provider else None, sides=sides[0] if sides else None,
        data=given.data.value if given.data else None, launches=given.launches, seed=given.seed,
        budget_s=budget(given.budget, given.launches),
    )  # fmt: skip
    if (charge := charges(given.charge)) is not None:
        chosen = replace(chosen, charge=charge)
    hosts = words(given.hosts) or ()
    if hosts and len(hosts) != 2:
        raise GaplessError(f"--hosts {given.hosts}: two hosts are needed", "name for example --hosts node1,node2")
    if hosts and given.mpi:
        raise GaplessError(
            "--hosts and --mpi: MPI libraries are started on this machine alone", "leave out one of them"
        )
    if chosen.provider == "shm" and (given.two_nodes or hosts):
        raise GaplessError("shm is shared memory: it is within one node", "add --one-node")
    return replace(chosen, two_nodes=given.two_nodes and not hosts, hosts=tuple(hosts))


def _measure(settings: FabricSettings, given: SimpleNamespace) -> None:
    from gapless.compiled import is_compilable
    from gapless.lab.fabric.launches import PROGRAM, Where
    from gapless.lab.fabric.session import new_session
    from gapless.lab.live import Display
    from gapless.paths import Build
    from gapless.targets.chosen import Targets, targets
    from gapless.targets.two_nodes import Nodes

    build = Build.find()
    try:
        build.program(PROGRAM)
    except GaplessError as error:
        if is_compilable(build.folder, PROGRAM):
            raise
        raise GaplessError(
            f"{build.folder / PROGRAM} is not there", "install libfabric and libsodium (apt install libfabric-dev "
            "libsodium-dev), and run 'make build'"
        ) from error  # fmt: skip
    names = ",".join(given.mpi or [])
    folder = given.out or results_folder(settings.experiment)
    end_as_by_ctrl_c()
    with ExitStack() as stack:
        nodes = stack.enter_context(Nodes()) if settings.two_nodes else None
        libraries = (
            stack.enter_context(targets(names, None, settings.two_nodes, say)) if names else Targets([], ExitStack())
        )
        display = stack.enter_context(Display())
        session = new_session(
            folder, settings, Where(build, settings.provider, nodes, settings.hosts), libraries,
            f"gapless {shlex.join(sys.argv[1:])}", {"mpi": names, "two_nodes": settings.two_nodes}, display,
        )  # fmt: skip
        interrupted = False
        try:
            session.measure()
        except KeyboardInterrupt:
            interrupted = True
    _show(session, given.json)
    for sentence in [*session.failed, *([session.shortened] if session.shortened else [])]:
        say(sentence)
    say(f"{'interrupted; ' if interrupted else ''}samples in {folder}; 'gapless report {folder}' shows them")
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(FAILED if session.failed else 0)


def _show(session: FabricSession, as_json: bool) -> None:
    from gapless.display import console
    from gapless.lab.fabric.facts import Facts, facts_of, steady_points
    from gapless.lab.fabric.story import peers_table, story_of
    from gapless.lab.results import of_kind
    from gapless.lab.ways.report import COLUMNS, print_story, print_tables, rows_of, rows_tsv

    if not of_kind(session.recorder.lines, "row"):
        # Channels to many processes alone.
        lines = [line for line in session.recorder.lines if line.get("what") == "peers"]
        if as_json or not sys.stdout.isatty():
            print(json.dumps(lines, indent=1))
        else:
            told = peers_table(Facts(peers=lines, settings=session.settings.as_json()))
            print_tables(console(), [told] if told else [])
        return
    run = session.run()
    points = steady_points(run)
    story = story_of(facts_of([run]), points)
    rows = rows_of(points)
    show_rows(as_json, rows, lambda: rows_tsv(COLUMNS, rows), lambda out: print_story(out, story, points))
