"""MPI libraries of this machine for the measuring programs that pip brought: no compiler, no checkout.

The programs were linked with a library of the same ABI; the loader finds the user's in its place.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from gapless import doctor
from gapless.errors import GaplessError
from gapless.launch.installations import Installation, installation_of, installations
from gapless.launch.loader import path_to
from gapless.launch.mpi_library import MPICH, OPEN_MPI, MpiLibrary, libraries_in, library_folders, mpi_library
from gapless.launch.rules import user_cache
from gapless.paths import INSTALLED, preload_object
from gapless.targets.libraries import INTEL_SETTINGS, NAMES, Library, is_intel, open_mpi_options
from gapless.targets.own_mpi import linked_library, surroundings, wrapper_flags

# What the programs of an ABI ask the loader for.
SONAMES = {MPICH: "libmpi.so.12", OPEN_MPI: "libmpi.so.40"}
SEE = "'gapless doctor' shows what there is; 'pip install mpich' brings one"


@dataclass(frozen=True)
class InstalledLibrary(Library):
    """A library of this machine, and the programs that pip brought.

    Attributes
    ----------
    file : Path
        The library's shared object.
    """

    file: Path = Path()

    @property
    def probe_command(self) -> list[str]:
        """What two ranks run to tell whether MPI and the layer work."""
        rank = Path(doctor.__file__).with_name("rank.py")
        return [sys.executable, "-I", str(rank), str(self.file), str(INSTALLED / self.abi / "doctor_probe.so")]

    @property
    def preload(self) -> Path:
        """The layer's preload object."""
        return preload_object()

    @property
    def backend(self) -> Path:
        """The layer's backend for this library's ABI."""
        return self.preload.with_name(f"libgapless_be_{self.abi}.so")


def _prefix(library: MpiLibrary) -> Path:
    """Return where a library is installed: its programs are in ``bin`` there, its own file somewhere below ``lib``."""
    above = list(library.path.parents)[1:4]
    return next((folder for folder in above if (folder / "bin").is_dir()), above[0])


def _family(library: MpiLibrary) -> str:
    if library.abi == OPEN_MPI:
        return "openmpi"
    return "intel" if is_intel(_prefix(library)) else "mpich"


def _loader_path(library: MpiLibrary) -> str:
    """Return the LD_LIBRARY_PATH with which a program of the library's ABI loads this very file."""
    links = user_cache() / "links" / str(library.path).strip("/").replace("/", "-")
    try:
        return path_to(library.path, [SONAMES[library.abi]], links)
    except OSError as error:
        raise GaplessError(f"cannot write to {links}: {error.strerror}", "set XDG_CACHE_HOME to a folder") from error


def _library_of(found: Installation) -> InstalledLibrary:
    """Return a library of this machine as one that the measuring programs run on."""
    library = found.library
    family, launcher = _family(library), [str(found.launcher)] if found.launcher else []
    settings = {"LD_LIBRARY_PATH": _loader_path(library), **(INTEL_SETTINGS if family == "intel" else {})}
    options = open_mpi_options() if family == "openmpi" else ()
    return InstalledLibrary(
        INSTALLED, _prefix(library), family, library.abi, options, settings, (*launcher, *options) if launcher else (),
        file=library.path,
    )  # fmt: skip


def _at(path: Path) -> Installation:
    """Return what is at a place that the user named: a prefix, a library's own file, or a compiler wrapper."""
    if path.is_dir():
        among = libraries_in(library_folders(path))
    else:
        file = mpi_library(path) if path.is_file() else None
        if file is None and os.access(path, os.X_OK):
            wrapper = path.absolute()
            file = linked_library(wrapper_flags(wrapper, surroundings(wrapper)))
        among = [file] if file else []
    library = next((one for one in among if one.abi in SONAMES), None)
    if library is None:
        raise GaplessError(f"no MPI library is in {path}", f"name the prefix of one, or {', '.join(NAMES)}; {SEE}")
    return installation_of(library, named=path if path.is_dir() else path.parent.parent)


def installed_library(mpi: str | None = None, launcher: bool = False) -> InstalledLibrary:
    """Find a library of this machine.

    Parameters
    ----------
    mpi : str, optional
        mpich, openmpi or intel: the first of that family; a prefix, the path of a library file, or that of a compiler
        wrapper. Default: the library whose launcher is the first on PATH, else that of this Python's environment, else
        the system's.
    launcher : bool
        Whether the user names the launcher.

    Raises
    ------
    GaplessError
        If there is none, or none of its launchers is here.
    """
    if not (INSTALLED / "lab").is_dir():
        raise GaplessError(
            "this package was built without the measuring programs",
            "install a wheel, or build it where nlohmann_json and CLI11 are (Debian: nlohmann-json3-dev, libcli11-dev)",
        )
    if mpi is not None and mpi not in NAMES:
        found = _at(Path(mpi).expanduser())
        if found.launcher is None and not launcher:
            raise GaplessError(
                f"no mpiexec that fits {found.library.path} is beside it or on PATH",
                "name it: --launcher '/path/to/mpiexec -n {ranks}'",
            )
        return _library_of(found)
    for found in installations():
        reached = (found.launcher or launcher) and found.library.abi in SONAMES
        if reached and mpi in (None, _family(found.library)):
            return _library_of(found)
    raise GaplessError(
        f"no {mpi or 'MPI library'} with its mpiexec is found on this machine",
        f"install one, or name its prefix; {SEE}",
    )
