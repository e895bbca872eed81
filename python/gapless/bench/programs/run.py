"""Runs chosen programs on chosen MPI libraries, fetching both on demand."""

from __future__ import annotations

from collections.abc import Sequence

from gapless.bench.programs import debian
from gapless.bench.programs.measure import measure_program
from gapless.bench.programs.program import Program
from gapless.errors import GaplessError
from gapless.lab.environment import environment_line
from gapless.lab.pingpong import progress_bar
from gapless.lab.results import Line, Recorder, new_file
from gapless.paths import Build
from gapless.targets.libraries import NAMES, Library
from gapless.targets.on_demand import Say, library_by_name


def pairs(programs: Sequence[Program], mpi: list[str] | None) -> list[tuple[Program, list[str]]]:
    """Return on which libraries each program will run; one that is built for none of them is left out.

    Raises
    ------
    GaplessError
        If a name is not known, or no program is built for any of these libraries.
    """
    known = (*NAMES, *debian.LIBRARIES)
    for name in mpi or ():
        if name not in (*known, "all"):
            raise GaplessError(f"--mpi {name}: these programs know no MPI of that name",
                               f"name one of {', '.join(known)}, or all")  # fmt: skip
    wanted = known if not mpi or "all" in mpi else mpi
    found = [(program, [name for name in program.libraries if name in wanted]) for program in programs]
    found = [(program, names) for program, names in found if names]
    if not found:
        built = "; ".join(f"{program.name}: {', '.join(program.libraries)}" for program in programs)
        raise GaplessError(f"none of these programs is built for {', '.join(wanted)}", f"they are built for: {built}")
    return found


def run_programs(programs: Sequence[Program], mpi: list[str] | None, launches: int, say: Say) -> list[Line]:
    """Fetch what is missing, run, and return the lines, which are stored too.

    Parameters
    ----------
    programs : sequence of Program
        What to run.
    mpi : list of str or None
        The libraries' names; None: all that each program is built for.
    launches : int
        How many without, and as many with, the layer.
    say : callable
        Called with what takes long, before it is done.
    """
    chosen = pairs(programs, mpi)
    recorder = Recorder(new_file("programs"))
    words = [word for program in programs for word in ("--program", program.name)]
    words += [word for name in mpi or () for word in ("--mpi", name)]
    recorder.add(environment_line(Build.find(), " ".join(["gapless bench programs", *words])))
    for program, _ in chosen:
        program.install(say)
    found = {name: _library(name, say) for name in dict.fromkeys(name for _, names in chosen for name in names)}
    with progress_bar() as progress:
        for program, names in chosen:
            for _ in measure_program(program, [found[name] for name in names], launches, recorder, progress):
                pass
    say(f"samples in {recorder.path}")
    return recorder.lines


def _library(name: str, say: Say) -> Library:
    return debian.debian_library(name) if name in debian.LIBRARIES else library_by_name(name, say)
