"""Finds the MPI libraries of this machine, and the launcher of each."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gapless.launch.launcher import Launcher, launcher_prefixes, launchers_on_path, recognise
from gapless.launch.loader import library_path
from gapless.launch.mpi_library import OPEN_MPI, MpiLibrary, libraries_in, library_folders
from gapless.paths import REPOSITORY

# Tried in this order. Debian installs several MPIs into one folder and tells them apart by what is behind the dot.
NAMES = {
    Launcher.OPEN_MPI: ("mpiexec.openmpi", "mpiexec", "mpirun.openmpi", "mpirun", "orterun"),
    Launcher.HYDRA: ("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun.mpich", "mpirun"),
}


@dataclass(frozen=True)
class Installation:
    """An MPI library, and the launcher that starts its programs (None if there is none)."""

    library: MpiLibrary
    launcher: Path | None
    kind: Launcher


def prefixes(environment: Mapping[str, str], named: Path | None = None) -> list[Path]:
    """Return where MPI may be installed, without repetitions.

    Parameters
    ----------
    environment : mapping
        PATH and I_MPI_ROOT count.
    named : Path, optional
        A prefix that the user named; it comes first.
    """
    found = [named.expanduser()] if named else []
    found += [Path(environment["I_MPI_ROOT"])] if environment.get("I_MPI_ROOT") else []
    found += [prefix for path in launchers_on_path(environment) for prefix in launcher_prefixes(path)]
    found += [REPOSITORY / ".venv", *sorted((REPOSITORY / ".venv" / "rivals").glob("*")), Path(sys.prefix)]
    found += [path for name in ("mpich", "openmpi") for path in sorted(Path("/usr/lib").glob(f"*/{name}"))]
    found += [Path("/usr")] if list(Path("/usr/lib").glob("*/libmpi*.so.*")) else []
    return list(dict.fromkeys(prefix.resolve() for prefix in found))


def find_launcher(kind: Launcher, near: Sequence[Path], environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the first launcher of a kind in some folders, or else on PATH."""
    for folder in [*near, *(Path(text) for text in environment.get("PATH", os.defpath).split(":"))]:
        for name in NAMES[kind]:
            path = shutil.which(str(folder / name))
            if path and recognise(path) is kind:
                return Path(path)
    return None


def installation_of(
    library: MpiLibrary, environment: Mapping[str, str] = os.environ, named: Path | None = None
) -> Installation:
    """Return a library with its launcher: below a prefix that the user named, beside it, or the first on PATH."""
    kind = Launcher.OPEN_MPI if library.abi == OPEN_MPI else Launcher.HYDRA
    near = [prefix / "bin" for prefix in [*([named] if named else []), *list(library.path.parents)[1:4]]]
    return Installation(library, find_launcher(kind, near, environment), kind)


def installations(environment: Mapping[str, str] = os.environ, named: Path | None = None) -> list[Installation]:
    """Find the MPI libraries of the machine: below the prefixes and on LD_LIBRARY_PATH.

    Parameters
    ----------
    environment : mapping
        What to look into.
    named : Path, optional
        A prefix that the user named.
    """
    folders = [folder for prefix in prefixes(environment, named) for folder in library_folders(prefix)]
    found = {library.path: library for library in libraries_in([*folders, *library_path(environment)])}
    return [installation_of(library, environment) for library in found.values()]
