"""The MPI libraries that the layer is measured on: their programs, their launchers, and the environment they want."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gapless.errors import GaplessError
from gapless.paths import Build
from gapless.rivals import INSTALLED

NAMES = ("mpich", "openmpi", "intel")


@dataclass(frozen=True)
class Library(Build):
    """A build, and one of the MPI libraries that its programs run on.

    Attributes
    ----------
    name : str
        mpich, openmpi or intel; the family, where the user named a prefix.
    abi : str
        Which of the built programs run on it: mpich or openmpi.
    options : tuple of str
        Of the launcher.
    environment : mapping
        What the launcher and the ranks need.
    """

    name: str = "mpich"
    abi: str = "mpich"
    options: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    def program(self, relative: str) -> Path:
        """Return a built program; ``lab/pingpong`` is ``lab/openmpi/pingpong`` for Open MPI."""
        path = Path(relative)
        if self.abi != "mpich" and path.parts[0] in ("lab", "bench"):
            abi_path = path.parent / self.abi / path.name
            if (self.folder / abi_path).exists() or not (self.folder / path).exists():
                return super().program(str(abi_path))
        return super().program(relative)

    @property
    def settings(self) -> Mapping[str, str]:
        """What the environment must say for this MPI."""
        return self.environment

    def launch(self, ranks: int) -> list[str]:
        """Return how a command begins that starts so many ranks."""
        return [str(self.mpiexec), *self.options, "-n", str(ranks)]


def _family(prefix: Path) -> str:
    """Return whose MPI lies below a prefix."""
    if not (prefix / "bin").is_dir():
        raise GaplessError(f"no MPI in {prefix}", f"name a prefix with bin/mpiexec, or one of {', '.join(NAMES)}")
    if any((prefix / "bin" / tool).exists() for tool in ("ompi_info", "prterun", "orterun")):
        return "openmpi"
    return "intel" if (prefix / "bin" / "impi_info").exists() else "mpich"


def find_library(mpi: str | None = None) -> Library:
    """Find a library by name, or by the prefix that it was installed into, and the build whose programs it runs.

    Parameters
    ----------
    mpi : str, optional
        mpich (default: the one that was built for), openmpi, intel, or a prefix.
    """
    build = Build.find()
    if mpi in (None, "mpich"):
        return Library(build.folder, build.mpi_root)
    installed = {"openmpi": INSTALLED / "openmpi", "intel": INSTALLED / "impi"}
    prefix = installed.get(mpi, Path(mpi).expanduser())
    if mpi in installed and not prefix.is_dir():
        raise GaplessError(f"{mpi} is not installed", "run tools/rivals.sh")
    prefix = prefix.resolve()
    family = _family(prefix)
    if family == "openmpi":
        options = ("--oversubscribe", "--bind-to", "none")
        if os.geteuid() == 0:
            options = ("--allow-run-as-root", *options)
        return Library(build.folder, prefix, "openmpi", "openmpi", options, {"OPAL_PREFIX": str(prefix)})
    # The programs are linked with the build's own MPICH: the path of another one takes its place.
    environment = {"LD_LIBRARY_PATH": str(prefix / "lib")}
    if family == "intel":
        # Unbound, as the others are; within one node, as rivals.py has it.
        environment |= {"I_MPI_FABRICS": "shm", "I_MPI_PIN": "off"}
    elif prefix == build.mpi_root.resolve():
        environment = {}
    return Library(build.folder, prefix, family, "mpich", (), environment)


def libraries(chosen: list[str] | None) -> list[Library]:
    """Return the chosen libraries, or all that are installed."""
    if chosen:
        return [find_library(mpi) for mpi in chosen]
    found = []
    for name in NAMES:
        try:
            found.append(find_library(name))
        except GaplessError:
            continue
    return found
