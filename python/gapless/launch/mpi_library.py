"""MPI library files: which file is one, its ABI, whether it has the large-count procedures, and where they lie."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gapless.launch.elf import read_elf

MPICH, OPEN_MPI, STANDARD = "mpich", "openmpi", "standard"
LARGE_COUNT = "MPI_Send_c"
# Procedures by which the fronts differ, the first of each version of MPI that brought wrapped ones.
MARKERS = frozenset({"MPI_Session_init", LARGE_COUNT, "MPI_Request_get_status_all"})


@dataclass(frozen=True)
class MpiLibrary:
    """A library file that defines MPI.

    `markers` says which of MARKERS it defines.
    """

    path: Path
    soname: str
    abi: str
    markers: frozenset[str] = frozenset()

    @property
    def large_counts(self) -> bool:
        """Whether it defines the procedures whose names end in ``_c``."""
        return LARGE_COUNT in self.markers


def mpi_library(path: Path) -> MpiLibrary | None:
    """Return what a file is as an MPI library, or None if it is none (a Fortran or C++ binding is none).

    Parameters
    ----------
    path : Path
        The file; links are followed.
    """
    real = path.resolve()
    elf = read_elf(real, symbols=True)
    if elf is None or not {"MPI_Init", "MPI_Send"} <= elf.symbols:
        return None
    # Open MPI has its predefined handles as data; the standard fixes the name of a library of its ABI.
    if "ompi_mpi_comm_world" in elf.symbols:
        abi = OPEN_MPI
    elif elf.soname.startswith("libmpi_abi."):
        abi = STANDARD
    else:
        abi = MPICH
    return MpiLibrary(real, elf.soname or real.name, abi, MARKERS & elf.symbols)


def looks_like_mpi(name: str) -> bool:
    """Say whether a file's name is one that MPI libraries have: only such files are opened."""
    return name.startswith("libmpi") and ".so" in name


def library_folders(prefix: Path) -> list[Path]:
    """Return the folders below an installation's prefix that hold libraries."""
    return [
        prefix / "lib", prefix / "lib64", prefix / "lib" / "release", *sorted(prefix.glob("lib/*-linux-gnu*"))
    ]  # fmt: skip


def libraries_of(files: Iterable[Path]) -> list[MpiLibrary]:
    """Return which of some files are MPI libraries, in order.

    Links count once, and so do copies: a wheel holds no links, but libmpi.so, libmpi.so.12 and libmpi.so.12.0 all full.
    """
    found: dict[tuple[Path, str], MpiLibrary] = {}
    for file in files:
        library = mpi_library(file) if looks_like_mpi(file.name) else None
        if library is not None:
            key = (library.path.parent, library.soname)
            if key not in found or library.path.name == library.soname:
                found[key] = library
    return list(found.values())


def libraries_in(folders: Iterable[Path]) -> list[MpiLibrary]:
    """Return the MPI libraries in folders, each once, in order.

    Parameters
    ----------
    folders : iterable of Path
        Where to look; not below them. One that does not exist holds none.
    """
    files: list[Path] = []
    for folder in folders:
        with contextlib.suppress(OSError):
            files += sorted(folder.iterdir())
    return libraries_of(files)
