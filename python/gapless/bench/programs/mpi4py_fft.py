"""Programs on mpi4py-fft, from PyPI: a Navier-Stokes solver on its transforms, and shenfun, which is built on it."""

from __future__ import annotations

import os
from pathlib import Path

from gapless.bench.fft import rank_environment
from gapless.bench.programs.program import Program, Started, rank_words, read_reports
from gapless.paths import REPOSITORY
from gapless.targets.libraries import NAMES, Library
from gapless.targets.on_demand import Say, install_fft, run_tool

# Of a side of the solver's box.
POINTS = 64
SHENFUN = REPOSITORY / "build" / "programs" / "shenfun"


def install_shenfun(say: Say) -> None:
    """Build shenfun unless it is there."""
    if not list(SHENFUN.glob(".stamp-*")):
        say(f"shenfun is not there: building it into {SHENFUN} (tools/programs.sh shenfun), some minutes")
    run_tool(
        [str(REPOSITORY / "tools" / "programs.sh"), "shenfun"],
        REPOSITORY / "build" / "install-programs-shenfun.log",
        "building shenfun",
        "try 'tools/programs.sh shenfun' with a network; it needs a C++ compiler and a minute or two of its time",
    )


def _start_solver(library: Library, folder: Path) -> Started:
    return Started(rank_words(folder, "taylor_green", POINTS), rank_environment(library))


def _start_shenfun(library: Library, folder: Path) -> Started:
    environment = rank_environment(library)
    path = os.pathsep.join([str(SHENFUN / "lib"), environment["PYTHONPATH"]])
    # Compiled functions would be kept beside the modules.
    return Started(rank_words(folder, "shenfun_poisson"),
                   environment | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder)})  # fmt: skip


PROGRAMS = (
    Program(
        "taylor-green", "mpi4py-fft (PyPI)",
        f"Navier-Stokes, {POINTS}^3, pseudo-spectral: each of 9 transforms a stage redistributes by one MPI_Alltoallw "
        "of subarrays",
        "every bit of velocity and spectrum, and the energy that mpi4py-fft's own solver gives; time of a step", NAMES,
        install_fft, _start_solver, read_reports,
    ),
    Program(
        "shenfun", "shenfun (PyPI)",
        "Poisson, 64 x 96 x 96, Legendre between walls and Fourier along them: MPI_Alltoallw of subarrays",
        "every bit of the solution, which is within 1e-9 of the known one; time of a solution", NAMES,
        install_shenfun, _start_shenfun, read_reports,
    ),
)  # fmt: skip
